import {
  ALERT_STATUSES,
  AlertSchema,
  type Alert,
  type AlertStatus as Status,
} from '@sentinel-node/contracts';
import { useCallback, useState } from 'react';
import { AlertFilters, type AlertFilter } from '../components/AlertFilters.tsx';
import { AlertPanel } from '../components/AlertPanel.tsx';
import { AlertsTable } from '../components/AlertsTable.tsx';
import { ExportModal } from '../components/ExportModal.tsx';
import { LoadMore } from '../components/LoadMore.tsx';
import { inRange, rangeOf } from '../date-range.ts';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { liveObject, upsert } from '../state/live-object.ts';
import { useDebounced } from '../state/use-debounced.ts';
import { useNavigationState } from '../state/use-navigation-state.ts';
import { usePages } from '../state/use-pages.ts';
import { RELOAD } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';
import { TABLE_PAGE_LENGTH } from '../ui/Table.tsx';

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const noFilter: AlertFilter = { search: '', status: '', deviceId: '', date: { option: 'ALL' } };
const isStatus = (value: string): value is Status => (ALERT_STATUSES as readonly string[]).includes(value);

function queryOf(filter: AlertFilter) {
  const { search, status, deviceId } = filter;
  return {
    ...rangeOf(filter.date, Date.now()),
    ...(search !== '' && { search, timeZone }),
    ...(isStatus(status) && { status }),
    ...(deviceId !== '' && { deviceId }),
  };
}

function useAlerts(orgId: string, filter: AlertFilter) {
  const text = JSON.stringify(filter);
  const load = useCallback(
    async (lastId: string | undefined, signal: AbortSignal | undefined) => {
      const query = { ...queryOf(JSON.parse(text) as AlertFilter), limit: TABLE_PAGE_LENGTH };
      const page = await api().getAlerts(
        orgId,
        { ...query, ...(lastId !== undefined && { lastId }) },
        signal,
      );
      return { items: page.alerts, lastId: page.lastId };
    },
    [orgId, text],
  );
  return usePages<Alert>({
    key: `alerts ${orgId} ${text}`,
    load,
    apply: (alerts, item) => {
      const alert = item.kind === 'alert' ? liveObject(AlertSchema, item) : null;
      if (alert === null) return alerts;
      if (filter.search !== '') return RELOAD;
      if (matches(alert, filter)) return upsert(alerts, alert);
      return alerts.filter((held) => held.id !== alert.id);
    },
  });
}

const matches = (alert: Alert, filter: AlertFilter): boolean =>
  (filter.status === '' || alert.status === filter.status) &&
  (filter.deviceId === '' || alert.deviceId === filter.deviceId) &&
  inRange(alert.timestamp, rangeOf(filter.date, Date.now()));

/** The alert that another page asked for may lie far down the list: it is read by itself. */
function useAskedAlert(orgId: string, show: (alert: Alert) => void): void {
  useNavigationState<{ alertId?: string | null; deviceId?: string | null }>(({ alertId, deviceId }) => {
    if (!alertId || !deviceId) return;
    api()
      .getAlert({ orgId, deviceId, id: alertId })
      .then(show)
      .catch(() => undefined);
  });
}

export function AlertsPage({ orgId }: { orgId: string }) {
  const [filter, setFilter] = useState(noFilter);
  const [shown, setShown] = useState<Alert | null>(null);
  const [exporting, setExporting] = useState(false);
  const alerts = useAlerts(orgId, useDebounced(filter));
  useAskedAlert(orgId, setShown);
  return (
    <>
      <PageHeader
        title="Alerts history"
        actions={
          <Button icon="download" onClick={() => setExporting(true)}>
            Export CSV
          </Button>
        }
      />
      <section className="card card-flush" aria-label="Alerts">
        <AlertFilters orgId={orgId} value={filter} onChange={setFilter} />
        {alerts.loading && <Skeleton lines={8} label="Loading alerts" />}
        {alerts.error !== null && alerts.data === undefined && (
          <ErrorState
            title="Alerts cannot be shown"
            message={messageOf(alerts.error)}
            onRetry={alerts.reload}
          />
        )}
        {alerts.data !== undefined && alerts.items.length === 0 && (
          <NoAlerts filtered={JSON.stringify(filter) !== JSON.stringify(noFilter)} />
        )}
        {alerts.items.length > 0 && <AlertsTable alerts={alerts.items} onAlert={setShown} />}
        {alerts.hasMore && (
          <LoadMore busy={alerts.loadingMore} failed={alerts.moreFailed} onMore={alerts.loadMore} />
        )}
      </section>
      {shown !== null && (
        <AlertPanel
          key={shown.id}
          orgId={orgId}
          alert={shown}
          onClose={() => setShown(null)}
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
          download={(range) => api().exportAlerts(orgId, { ...range, timeZone })}
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
