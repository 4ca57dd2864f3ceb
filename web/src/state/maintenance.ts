/** Reads maintenance windows and follows their changes. */
import { EventSchema, type AlertCounts, type MaintenanceList } from '@sentinel-node/contracts';
import { api } from './api.ts';
import type { LiveItem } from './live.ts';
import { liveObject } from './live-object.ts';
import { RELOAD, useResource } from './use-resource.ts';

const isOfMaintenance = (item: LiveItem): boolean =>
  item.kind === 'event' && liveObject(EventSchema, item)?.type.endsWith('_MAINTENANCE') === true;

/** Returns RELOAD for an item about maintenance, else the data. */
export const afterMaintenance = <T>(data: T, item: LiveItem): T | typeof RELOAD =>
  isOfMaintenance(item) ? RELOAD : data;

/** Reads the windows. @param toReview only those that wait for review */
export const useWindows = (orgId: string, toReview = false) =>
  useResource<MaintenanceList>({
    key: `maintenance ${orgId} ${toReview}`,
    load: (signal) => api().getMaintenance(orgId, toReview ? { toReview } : {}, signal),
    apply: afterMaintenance,
  });

/** Reads the number of active alerts of each window. */
export const useWindowCounts = (orgId: string) =>
  useResource<AlertCounts>({
    key: `maintenance alerts ${orgId}`,
    load: (signal) => api().getAlertCounts(orgId, { status: 'ACTIVE', planned: 'yes' }, signal),
    apply: (counts, item) => (item.kind === 'alert' ? RELOAD : afterMaintenance(counts, item)),
  });
