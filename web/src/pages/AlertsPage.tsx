import type { Alert } from '@sentinel-node/contracts';
import { useRef, useState } from 'react';
import { AlertFilters } from '../components/AlertFilters.tsx';
import { AlertPanel } from '../components/AlertPanel.tsx';
import { AlertsTable } from '../components/AlertsTable.tsx';
import { isFiltered, useAlerts, type AlertFilter } from '../components/alerts-list.ts';
import { ExportModal } from '../components/ExportModal.tsx';
import { LoadMore } from '../components/LoadMore.tsx';
import { isAbove, NewRows } from '../components/NewRows.tsx';
import { TriageBar } from '../components/TriageBar.tsx';
import { useTriage } from '../components/use-triage.ts';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { addressWith, closeByUrl, openByUrl, setUrlParams, useUrlParams } from '../state/url.ts';
import { dateOf, dateParams } from '../state/url-date.ts';
import { useNavigationState } from '../state/use-navigation-state.ts';
import { useUrlText } from '../state/use-url-text.ts';
import { zoneName } from '../time-zone.ts';
import { Button } from '../ui/Button.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';

/** The filters as the address has them; the search as it is being typed stands beside them. */
function useAlertFilter() {
  const params = useUrlParams();
  const search = useUrlText('search');
  const filter: AlertFilter = {
    search: search.settled,
    status: params.get('status') ?? '',
    deviceId: params.get('device') ?? '',
    date: dateOf(params),
  };
  const change = ({ search: text, status, deviceId, date }: AlertFilter): void => {
    search.setText(text);
    setUrlParams({ status, device: deviceId, ...dateParams(date) }, { push: true });
  };
  return { filter, typed: { ...filter, search: search.text }, change };
}

const panelOf = ({ id, deviceId }: Pick<Alert, 'id' | 'deviceId'>) => ({ alert: id, in: deviceId });

export function AlertsPage({ orgId }: { orgId: string }) {
  const { filter, typed, change } = useAlertFilter();
  const params = useUrlParams();
  const [exporting, setExporting] = useState(false);
  const list = useRef<HTMLElement>(null);
  const alerts = useAlerts(orgId, filter, () => isAbove(list));
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
          <Button icon="download" shortcut="export" onClick={() => setExporting(true)}>
            Export CSV
          </Button>
        }
      />
      <section className="card card-flush" aria-label="Alerts" ref={list}>
        <AlertFilters orgId={orgId} value={typed} onChange={change} />
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
        {alerts.data !== undefined && alerts.items.length === 0 && <NoAlerts filtered={isFiltered(filter)} />}
        {alerts.items.length > 0 && (
          <AlertsTable
            alerts={alerts.items}
            hrefOf={(alert) => addressWith(panelOf(alert))}
            onAlert={(alert) => openByUrl(panelOf(alert))}
            choice={triage.choice}
          />
        )}
        {alerts.hasMore && (
          <LoadMore busy={alerts.loadingMore} failed={alerts.moreFailed} onMore={alerts.loadMore} />
        )}
      </section>
      {triage.selection.size > 0 && (
        <TriageBar
          orgId={orgId}
          selection={triage.selection}
          onAll={triage.chooseAll}
          onClear={triage.clear}
          onDone={(ids) => {
            triage.done(ids);
            if (ids.length > 0) alerts.reload();
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
          download={(range) => api().exportAlerts(orgId, { ...range, timeZone: zoneName() })}
          onClose={() => setExporting(false)}
        />
      )}
    </>
  );
}

function NoAlerts({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState icon="search" title="No alert matches." />;
  return (
    <EmptyState icon="shield" title="There are no alerts.">
      An alert appears here as soon as a file differs from its chain.
    </EmptyState>
  );
}
