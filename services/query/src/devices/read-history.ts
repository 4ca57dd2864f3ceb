/** Reads a file's whole history; the size is bounded for any length of the chain. */
import {
  ALERT_STATUSES,
  type FileBreak,
  type FileHistory,
  type FileState,
  LIMITS,
  type FileVersion,
} from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { type AlertView, iso, isoOrNull, type LinkView, VIEWS, viewsOf } from '../views/index.ts';
import { shownType } from './read-links.ts';

/** Parts of a long chain that are read in parallel. */
const PARTS_AT_ONCE = 50;

/** Returns the history, also of a deleted file. @throws ApiError NOT_FOUND */
export async function readHistory(
  { store }: Pick<QueryContext, 'store'>,
  key: { readonly orgId: string; readonly deviceId: string; readonly fileId: string },
): Promise<FileHistory> {
  const { orgId, deviceId, fileId } = key;
  const [file, device, state] = await Promise.all([
    store.get(VIEWS.files, fileId),
    store.get(VIEWS.devices, deviceId),
    store.get(VIEWS.fileStates, fileId),
  ]);
  const isIt = file?.orgId === orgId && file.deviceId === deviceId && device !== undefined;
  if (!isIt) throw new ApiError('NOT_FOUND');
  const entries = (state?.number ?? -1) + 1;
  const [links, breaks] = await Promise.all([linksOf(store, fileId, entries), breaksOf(store, fileId)]);
  return {
    name: file.name,
    path: file.path,
    deleted: file.deleted || device.deleted,
    device: { id: device.id, name: device.name, enabled: device.enabled },
    entries,
    present: state === undefined ? null : presentOf(state),
    versions: await versionsOf(store, links),
    whole: entries <= LIMITS.historyVersions,
    ...breaks,
  };
}

function presentOf({ length, hash, missing, linkHash, lastLinkId }: FileState): FileHistory['present'] {
  return { length, hash, missing, linkHash, lastLinkId };
}

/** Returns all links of a short chain; of a long chain, the oldest link of each part, and the newest link. */
async function linksOf(store: DocumentStore, fileId: string, entries: number): Promise<LinkView[]> {
  const within = (from: number, to: number, direction: 'asc' | 'desc', limit: number) =>
    store.find(VIEWS.links, {
      where: { fileId, number: { gte: from, lt: to } },
      sort: { field: 'number', direction },
      limit,
    });
  if (entries <= LIMITS.historyVersions) return within(0, entries, 'asc', LIMITS.historyVersions);
  const parts = LIMITS.historyVersions - 1;
  const edge = (part: number): number => Math.floor((part * entries) / parts);
  const found: LinkView[] = [];
  for (let from = 0; from < parts; from += PARTS_AT_ONCE) {
    const step = Array.from({ length: Math.min(PARTS_AT_ONCE, parts - from) }, (_, at) => from + at);
    const links = await Promise.all(step.map((part) => within(edge(part), edge(part + 1), 'asc', 1)));
    found.push(...links.flat());
  }
  const [newest] = await within(0, entries, 'desc', 1);
  return newest === undefined || newest.id === found.at(-1)?.id ? found : [...found, newest];
}

async function versionsOf(store: DocumentStore, links: readonly LinkView[]): Promise<FileVersion[]> {
  const alertIds = links.map(({ alertId }) => alertId).filter((id) => id !== undefined);
  const alerts = await viewsOf<AlertView>(store, VIEWS.alerts, alertIds);
  return links.map((link, at) => {
    const { id, number, kind, timestamp, length, alertId } = link;
    const alert = alertId === undefined ? undefined : alerts.get(alertId);
    const type = shownType(kind, alert, at === links.length - 1);
    return { id, number, type, timestamp: iso(timestamp), length };
  });
}

async function breaksOf(
  store: DocumentStore,
  fileId: string,
): Promise<Pick<FileHistory, 'breaks' | 'olderBreaks'>> {
  const byStatus = ALERT_STATUSES.map((status) =>
    store.find(VIEWS.alerts, {
      where: { fileId, status },
      sort: { field: 'id', direction: 'desc' },
      limit: LIMITS.historyBreaks + 1,
    }),
  );
  const found = (await Promise.all(byStatus)).flat().sort((a, b) => (a.id < b.id ? 1 : -1));
  return {
    breaks: found.slice(0, LIMITS.historyBreaks).map(shownBreak),
    olderBreaks: found.length > LIMITS.historyBreaks,
  };
}

function shownBreak(alert: AlertView): FileBreak {
  const { id, type, status, timestamp, lastTimestamp, occurrences, hashId } = alert;
  return {
    id,
    type,
    status,
    timestamp: iso(timestamp),
    lastTimestamp: iso(lastTimestamp),
    occurrences,
    hashId,
    handledAt: isoOrNull(alert.handledAt),
    overrideUserEmail: alert.overrideUserEmail,
    note: alert.note,
  };
}
