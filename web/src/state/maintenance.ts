/** Reads maintenance windows and follows their changes. */
import { EventSchema, type AlertCounts, type MaintenanceList } from '@sentinel-node/contracts';
import { api } from './api.ts';
import type { LiveItem } from './live.ts';
import { liveObject } from './live-object.ts';
import { UNANNOUNCED_MS, useReadAgain } from './use-read-again.ts';
import { RELOAD, useResource } from './use-resource.ts';

export const isOfMaintenance = (item: LiveItem): boolean =>
  item.kind === 'event' && liveObject(EventSchema, item)?.type.endsWith('_MAINTENANCE') === true;

/** Returns RELOAD for an item about maintenance, else the data. */
export const afterMaintenance = <T>(data: T, item: LiveItem): T | typeof RELOAD =>
  isOfMaintenance(item) ? RELOAD : data;

/** Reads the windows, whose states change by time too. @param toReview only those that wait for review */
export function useWindows(orgId: string, toReview = false) {
  const windows = useResource<MaintenanceList>({
    key: `maintenance ${orgId} ${toReview}`,
    load: (signal) => api().getMaintenance(orgId, toReview ? { toReview } : {}, signal),
    apply: afterMaintenance,
  });
  useReadAgain(windows.reload, toReview ? undefined : UNANNOUNCED_MS);
  return windows;
}

/** Reads the number of active alerts of each window. */
export const useWindowCounts = (orgId: string) =>
  useResource<AlertCounts>({
    key: `maintenance alerts ${orgId}`,
    load: (signal) => api().getAlertCounts(orgId, { status: 'ACTIVE', planned: 'yes' }, signal),
    apply: (counts, item) => (item.kind === 'alert' ? RELOAD : afterMaintenance(counts, item)),
  });
