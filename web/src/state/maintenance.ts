/** Reads maintenance windows and follows their changes. */
import { EventSchema, LIMITS, type AlertCounts } from '@sentinel-node/contracts';
import type { MaintenanceList } from '../answers.ts';
import { api } from './api.ts';
import type { LiveItem } from './live.ts';
import { liveObject } from './live-object.ts';
import { useMissing } from './use-missing.ts';
import { UNANNOUNCED_MS, useReadAfter, useReadAgain } from './use-read-again.ts';
import { RELOAD, useResource } from './use-resource.ts';

export const isOfMaintenance = (item: LiveItem): boolean =>
  item.kind === 'event' && liveObject(EventSchema, item)?.type.endsWith('_MAINTENANCE') === true;

/** Returns RELOAD for an item about maintenance, else the data. */
export const afterMaintenance = <T>(data: T, item: LiveItem): T | typeof RELOAD =>
  isOfMaintenance(item) ? RELOAD : data;

/**
 * Reads the windows of a page, newest first. A list that the server cuts lacks older ones that wait for their review, which nobody
 * would find: they are read besides.
 */
async function allWindows(orgId: string, signal: AbortSignal): Promise<MaintenanceList> {
  const list = await api().getMaintenance(orgId, {}, signal);
  const waiting = list.windows.filter(({ state }) => state === 'ENDED').length;
  if (list.windows.length < LIMITS.pageItems || waiting >= list.toReview) return list;
  const { windows: others } = await api().getMaintenance(orgId, { toReview: true }, signal);
  const windows = new Map([...others, ...list.windows].map((one) => [one.id, one]));
  return { ...list, windows: [...windows.values()].sort((one, other) => (one.id < other.id ? 1 : -1)) };
}

/** Reads the windows, whose states change by time too. @param toReview only those that wait for review */
export function useWindows(orgId: string, toReview = false) {
  const windows = useResource<MaintenanceList>({
    key: `maintenance ${orgId} ${toReview}`,
    load: (signal) =>
      toReview ? api().getMaintenance(orgId, { toReview }, signal) : allWindows(orgId, signal),
    apply: afterMaintenance,
  });
  useReadAgain(windows.readAgain, toReview ? undefined : UNANNOUNCED_MS);
  useReadAfter(windows.readAgain, windows.data?.nextWindowEnd);
  return windows;
}

/** Reads counts of active alerts. Returns undefined while they are not known: old numbers are not shown as current. */
function useActiveCounts(orgId: string, query: { planned: 'yes' } | { window: string }) {
  const counts = useResource<AlertCounts>({
    key: `maintenance alerts ${orgId} ${JSON.stringify(query)}`,
    load: (signal) => api().getAlertCounts(orgId, { status: 'ACTIVE', ...query }, signal),
    apply: (held, item) => (item.kind === 'alert' ? RELOAD : afterMaintenance(held, item)),
  });
  useMissing(counts, 'The counts of alerts');
  return counts.error === null ? counts.data : undefined;
}

/** Returns the number of active alerts of one window; undefined while it is not known. */
export const useActiveOfWindow = (orgId: string, window: string): number | undefined =>
  useActiveCounts(orgId, { window })?.alerts;

/** Returns the number of active alerts of a window; undefined while it is not known. */
export function useActiveOfWindows(orgId: string): (window: string) => number | undefined {
  const counts = useActiveCounts(orgId, { planned: 'yes' })?.window;
  // The server counts so many windows, those with most alerts: of a further one, nothing is known.
  const ofOthers = counts === undefined || counts.length >= LIMITS.countedValues ? undefined : 0;
  return (window) => counts?.find(({ value }) => value === window)?.alerts ?? ofOthers;
}
