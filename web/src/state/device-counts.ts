import type { DeviceCounts } from '@sentinel-node/contracts';
import { useMemo } from 'react';
import { isRecord } from '../narrow.ts';
import { api } from './api.ts';
import type { LiveItem } from './live.ts';
import { useMissing } from './use-missing.ts';
import { RELOAD, useResource } from './use-resource.ts';

type Counts = DeviceCounts['devices'][number];

/**
 * Reads the counts again when an alert changes, since the totals stay the same when one comes as another goes, and when
 * the organisation's totals change: that frame does not name the devices.
 */
function follow(counts: DeviceCounts, { kind, data }: LiveItem): DeviceCounts | typeof RELOAD {
  if (kind === 'alert') return RELOAD;
  if (kind !== 'summary') return counts;
  const performance = isRecord(data['performance']) ? data['performance'] : {};
  const isSame =
    data['activeAlerts'] === sumOf(counts, 'activeAlerts') &&
    performance['numberOfFilesWithoutContact'] === sumOf(counts, 'filesWithoutContact');
  return isSame ? counts : RELOAD;
}

const sumOf = ({ devices }: DeviceCounts, name: 'activeAlerts' | 'filesWithoutContact'): number =>
  devices.reduce((sum, device) => sum + device[name], 0);

/** Returns the counts of each device with any, by device id; null while unknown or not `wanted`. */
export function useDeviceCounts(orgId: string, wanted: boolean): ReadonlyMap<string, Counts> | null {
  const counts = useResource<DeviceCounts>({
    key: wanted ? `device counts ${orgId}` : null,
    load: (signal) => api().getDeviceCounts(orgId, signal),
    apply: follow,
  });
  useMissing(counts, 'The counts of the devices');
  const { data } = counts;
  return useMemo(
    () => (data === undefined ? null : new Map(data.devices.map((one) => [one.id, one]))),
    [data],
  );
}
