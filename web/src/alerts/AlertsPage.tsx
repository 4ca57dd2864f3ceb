import { ALERT_GROUPINGS, keysOf, type AlertCounts, type ListOrder } from '@sentinel-node/contracts';
import type { Alert, DeviceListItem } from '../answers.ts';
import { Suspense, useRef, useState, type RefObject } from 'react';
import { AlertFilters } from './AlertFilters.tsx';
import { AlertTotals } from './AlertTotals.tsx';
import { groupings } from './alert-groupings.ts';
import { AlertPanel } from './AlertPanel.tsx';
import { AlertsTable } from './AlertsTable.tsx';
import { countedQueryOf, isFiltered, noFilter, queryOf, useAlerts, type AlertFilter } from './alerts-list.ts';
import { ExportModal } from '../components/ExportModal.tsx';
import { LoadMore } from '../components/LoadMore.tsx';
import { isAbove, NewRows } from '../components/NewRows.tsx';
import { MaintenanceLink } from './MaintenanceLink.tsx';
import { SavedViews } from './SavedViews.tsx';
import { TriageBar } from './TriageBar.tsx';
import { useTriage } from './use-triage.ts';
import { messageOf } from '../errors.ts';
import { isOneOf } from '../narrow.ts';
import { api } from '../state/api.ts';
import { deletedUserOf } from './assignee.ts';
import { applyToDevices } from '../state/devices.ts';
import { addressWith, closeByUrl, openByUrl, setUrlParams, useUrlParams } from '../state/url.ts';
import { dateOf, dateParams } from '../state/url-date.ts';
import { DEVICES_READING, useMissing } from '../state/use-missing.ts';
import { useNavigationState } from '../state/use-navigation-state.ts';
import { readEveryMs, useReadAgain } from '../state/use-read-again.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';
import { useSame } from '../state/use-same.ts';
import { useUrlText } from '../state/use-url-text.ts';
import { zoneName } from '../time-zone.ts';
import { Button } from '../ui/Button.tsx';
import { Select } from '../ui/Field.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';
import type { RowChoice } from '../ui/Table.tsx';

// The list begins without groups.
const AlertGroups = lazyPart(
  () => import('./AlertGroups.tsx'),
  (module) => module.AlertGroups,
);

/** Returns the filters from the URL, and the search text being typed. */
function useAlertFilter() {
  const params = useUrlParams();
  const search = useUrlText('search');
  const of = (name: string): string => params.get(name) ?? '';
  const filter: AlertFilter = {
    search: search.settled,
    status: of('status'),
    deviceId: of('device'),
    type: of('type'),
    category: of('category'),
    fileId: of('file'),
    handledBy: of('handled'),
    assignee: of('assigned'),
    contentHash: of('content'),
    label: of('label'),
    planned: of('planned'),
    window: of('window'),
    expected: of('expected'),
    list: of('list'),
    date: dateOf(params),
  };
  const change = ({ search: text, date, ...next }: AlertFilter): void => {
    search.setText(text);
    const { status, deviceId, type, category, fileId, handledBy, assignee, contentHash } = next;
    const { label, planned, window, expected, list } = next;
    const values = { status, device: deviceId, type, category, file: fileId };
    const people = { handled: handledBy, assigned: assignee, content: contentHash };
    const setAside = { planned, window, expected, list };
    setUrlParams({ ...values, ...people, label, ...setAside, ...dateParams(date) }, { push: true });
  };
  const grouping = of('group');
  const group = isOneOf(ALERT_GROUPINGS, grouping) ? grouping : null;
  const order: ListOrder = of('order') === 'oldest' ? 'oldest' : 'newest';
  return { filter, typed: { ...filter, search: search.text }, change, group, order };
}

/**
 * Returns the number of alerts for each value of each filter; undefined during a search, which counts do not support. `missing`
 * says why they could not be read.
 */
function useCounts(orgId: string, filter: AlertFilter, isWanted: boolean) {
  const query = useSame(filter);
  const counts = useResource<AlertCounts>({
    key: isWanted && filter.search === '' ? `counts ${orgId} ${JSON.stringify(query)}` : null,
    load: (signal) => api().getAlertCounts(orgId, countedQueryOf(query), signal),
    apply: (held, item) => (item.kind === 'alert' || deletedUserOf(item) !== null ? RELOAD : held),
  });
  const missing = useMissing(counts, 'The numbers of alerts');
  useReadAgain(counts.readAgain, readEveryMs(filter.date));
  // Do not show old numbers as current after a failed reading.
  return { counts: counts.error === null ? counts.data : undefined, missing };
}

const groupOptions = [
  { value: '', label: 'Not grouped' },
  ...keysOf(groupings).map((value) => ({ value, label: groupings[value].label })),
];

const orderOptions = [
  { value: '', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
];

const panelOf = ({ id, deviceId }: Pick<Alert, 'id' | 'deviceId'>) => ({ alert: id, in: deviceId });

export function AlertsPage({ orgId }: { orgId: string }) {
  const { filter, typed, change, group, order } = useAlertFilter();
  // The list is read first: what its filters offer would delay it in a large organisation.
  const [isListRead, setListRead] = useState(false);
  const devices = useResource<{ devices: DeviceListItem[] }>({
    key: isListRead ? `devices ${orgId}` : null,
    load: (signal) => api().getDevices(orgId, signal),
    apply: applyToDevices,
  });
  const unread = useMissing(devices, 'The devices');
  const missing = devices.loading ? DEVICES_READING : unread;
  const known = devices.data?.devices ?? [];
  const params = useUrlParams();
  const [exporting, setExporting] = useState(false);
  const list = useRef<HTMLElement>(null);
  const alerts = useAlerts(orgId, filter, {
    order,
    deviceOf: (id) => known.find((device) => device.id === id),
    isAway: () => isAbove(list),
  });
  if (!isListRead && !alerts.loading) setListRead(true);
  const { counts, missing: uncounted } = useCounts(orgId, filter, isListRead);
  useNavigationState<{ alertId?: string | null; deviceId?: string | null }>(({ alertId, deviceId }) => {
    if (alertId && deviceId) setUrlParams({ alert: alertId, in: deviceId });
  });
  const triage = useTriage(orgId, filter, alerts.items);
  const [shownId, shownIn] = [params.get('alert'), params.get('in')];
  const listed = alerts.items.find(({ id }) => id === shownId);
  const deviceId = shownIn ?? listed?.deviceId;
  return (
    <>
      <PageHeader
        title="Alerts history"
        actions={
          <>
            <MaintenanceLink orgId={orgId} />
            <Button icon="download" shortcut="export" onClick={() => setExporting(true)}>
              Export CSV
            </Button>
          </>
        }
      />
      <section className="card card-flush" aria-label="Alerts" ref={list}>
        <AlertFilters devices={known} missing={missing} counts={counts} value={typed} onChange={change}>
          <Select
            label="Group"
            hideLabel
            options={groupOptions}
            value={group ?? ''}
            onChange={(event) => setUrlParams({ group: event.target.value }, { push: true })}
          />
          <SavedViews orgId={orgId} />
        </AlertFilters>
        <div className="alert-total alert-totals">
          {counts !== undefined && <AlertTotals counts={counts} isOfOneStatus={filter.status !== ''} />}
          <span className="muted" role="status">
            {uncounted}
          </span>
          {group === null && (
            <Select
              label="Order"
              hideLabel
              options={orderOptions}
              value={order === 'oldest' ? order : ''}
              onChange={(event) => setUrlParams({ order: event.target.value }, { push: true })}
            />
          )}
        </div>
        {group === null ? (
          <AlertList filter={filter} order={order} alerts={alerts} list={list} choice={triage.choice} />
        ) : (
          <Suspense fallback={<Skeleton lines={8} label="Loading groups" />}>
            <AlertGroups key={group} orgId={orgId} filter={filter} by={group} />
          </Suspense>
        )}
      </section>
      {group === null && triage.selection.size > 0 && (
        <TriageBar
          orgId={orgId}
          selection={triage.selection}
          onAll={triage.chooseAll}
          onClear={triage.clear}
          onDone={(ids) => {
            triage.done(ids);
            alerts.reload();
          }}
        />
      )}
      {shownId !== null && deviceId !== undefined && (
        <AlertPanel
          key={shownId}
          orgId={orgId}
          id={shownId}
          deviceId={deviceId}
          listed={listed}
          onClose={() => closeByUrl({ alert: null, in: null })}
          onChanged={(alert) =>
            alerts.update((page) => ({
              ...page,
              items: page.items.map((held) => (held.id === alert.id ? alert : held)),
            }))
          }
        />
      )}
      {exporting && (
        <ExportModal
          kind="Alerts"
          isFiltered={isFiltered({ ...filter, date: noFilter.date })}
          download={(range, isOnlyMatching) =>
            api().exportAlerts(orgId, {
              ...(isOnlyMatching && queryOf(filter)),
              ...range,
              timeZone: zoneName(),
            })
          }
          onClose={() => setExporting(false)}
        />
      )}
    </>
  );
}

function NoAlerts({ filtered, isEnd }: { filtered: boolean; isEnd: boolean }) {
  if (!isEnd) return <EmptyState icon="search" title="No alert matches so far." />;
  if (filtered) return <EmptyState icon="search" title="No alert matches." />;
  return (
    <EmptyState icon="shield" title="There are no alerts.">
      An alert appears here as soon as a file differs from its chain.
    </EmptyState>
  );
}

interface AlertListProps {
  filter: AlertFilter;
  order: ListOrder;
  alerts: ReturnType<typeof useAlerts>;
  list: RefObject<HTMLElement | null>;
  choice: RowChoice<Alert>;
}

function AlertList({ filter, order, alerts, list, choice }: AlertListProps) {
  return (
    <>
      <NewRows
        count={alerts.waiting}
        more={alerts.waitingMore}
        name="alert"
        list={list}
        onShow={alerts.bringIn}
      />
      {alerts.loading && <Skeleton lines={8} label="Loading alerts" />}
      {alerts.error !== null && alerts.data === undefined && (
        <ErrorState
          title="Alerts cannot be shown"
          message={messageOf(alerts.error)}
          onRetry={alerts.reload}
        />
      )}
      {alerts.data !== undefined && alerts.items.length === 0 && (
        <NoAlerts filtered={isFiltered(filter)} isEnd={!alerts.hasMore} />
      )}
      {alerts.items.length > 0 && (
        <AlertsTable
          alerts={alerts.items}
          order={order}
          hrefOf={(alert) => addressWith(panelOf(alert))}
          onAlert={(alert) => openByUrl(panelOf(alert))}
          choice={choice}
        />
      )}
      {alerts.hasMore && (
        <LoadMore busy={alerts.loadingMore} failed={alerts.moreFailed} onMore={alerts.loadMore} />
      )}
    </>
  );
}
