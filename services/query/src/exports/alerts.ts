import type { Alert, AlertsQuery } from '@sentinel-node/contracts';
import { readAlerts, type ReadContext, type Scope, type Viewer } from '../reads/index.ts';
import type { Cell } from './csv.ts';
import { allPages, EXPORT_PAGE_ITEMS, type Export } from './export.ts';

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

/** Who handled an alert is named by e-mail for ADMIN only. @throws ApiError NOT_FOUND, VALIDATION_FAILED */
export async function exportAlerts(
  reads: ReadContext,
  scope: Omit<Scope, 'fileId'>,
  query: Omit<AlertsQuery, 'toExport' | 'limit' | 'lastId'>,
  viewer: Pick<Viewer, 'role'>,
): Promise<Export<Alert>> {
  const isAdmin = viewer.role === 'ADMIN';
  const pages = await allPages(async (lastId) => {
    const page = { limit: EXPORT_PAGE_ITEMS, ...(lastId === undefined ? {} : { lastId }) };
    const { alerts, lastId: next } = await readAlerts(reads, scope, { ...query, ...page });
    const items = isAdmin ? alerts : alerts.map((alert) => ({ ...alert, overrideUserEmail: null }));
    return { items, lastId: next };
  });
  return { name: 'alerts', header: HEADER, cells: (alert) => cells(alert, isAdmin), pages };
}

function cells(alert: Alert, isAdmin: boolean): readonly Cell[] {
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
    alert.shared ? alert.sharedData.map(({ emailAddress }) => emailAddress).join(', ') : null,
    alert.hashId,
    alert.eventRequest === null ? null : JSON.stringify(alert.eventRequest),
    alert.bsvTransactionID,
    alert.note,
  ];
}
