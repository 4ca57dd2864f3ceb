import type { Alert, AlertsQuery, CsvCell } from '@sentinel-node/contracts';
import type { QueryContext } from '../context.ts';
import { allPages, type Export, EXPORT_PAGE_ITEMS } from '../exports/index.ts';
import { VIEWS, viewsOf, type Scope, type UserView, type Viewer } from '../views/index.ts';
import { type AlertListing, readAlerts } from './list-alerts.ts';

const HEADER = [
  'Id',
  'Timestamp',
  'Status',
  'Type',
  'Device id',
  'Device name',
  'File id',
  'File name',
  'Override user',
  'Override user email',
  'Shared',
  'Shared data',
  'Hash id',
  'Event request',
  'Bsv transaction id',
  'Note',
];

/**
 * Exports alerts. Only ADMINs see the e-mail of the person who handled an alert. @throws ApiError NOT_FOUND,
 * VALIDATION_FAILED
 */
export async function exportAlerts(
  context: AlertListing,
  scope: Omit<Scope, 'fileId'>,
  query: Omit<AlertsQuery, 'toExport' | 'limit' | 'lastId'>,
  viewer: Pick<Viewer, 'role'>,
): Promise<Export<Alert>> {
  const isAdmin = viewer.role === 'ADMIN';
  const pages = await allPages(async (lastId) => {
    const page = { limit: EXPORT_PAGE_ITEMS, ...(lastId === undefined ? {} : { lastId }) };
    const { alerts, lastId: next } = await readAlerts(context, scope, { ...query, ...page });
    const items = isAdmin ? await withEmailsOfNow(context, alerts) : alerts.map(withoutEmail);
    return { items, lastId: next };
  });
  return { name: 'alerts', header: HEADER, cells: (alert) => cells(alert, isAdmin), pages };
}

const withoutEmail = (alert: Alert): Alert => ({ ...alert, overrideUserEmail: null });

/** Replaces the e-mails by the users' current ones; a deleted user keeps the old e-mail. */
async function withEmailsOfNow(
  { store }: Pick<QueryContext, 'store'>,
  alerts: readonly Alert[],
): Promise<Alert[]> {
  const ids = alerts.map(({ overrideUser }) => overrideUser).filter((id) => id !== null);
  const users = await viewsOf<UserView>(store, VIEWS.users, ids);
  return alerts.map((alert) => {
    const user = users.get(alert.overrideUser ?? '');
    return user === undefined || user.deleted ? alert : { ...alert, overrideUserEmail: user.emailAddress };
  });
}

function cells(alert: Alert, isAdmin: boolean): readonly CsvCell[] {
  return [
    alert.id,
    alert.timestamp,
    alert.status,
    alert.type,
    alert.deviceId,
    alert.deviceName || null,
    alert.fileId,
    alert.fileName || null,
    alert.overrideUser,
    isAdmin ? alert.overrideUserEmail : '',
    String(alert.shared),
    alert.sharedData.map(({ emailAddress }) => emailAddress).join(', ') || null,
    alert.hashId,
    alert.eventRequest === null ? null : JSON.stringify(alert.eventRequest),
    alert.bsvTransactionID,
    alert.note,
  ];
}
