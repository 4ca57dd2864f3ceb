import type { DeviceCounts } from '@sentinel-node/contracts';
import { useMemo } from 'react';
import { isRecord } from '../narrow.ts';
import { api } from '../state/api.ts';
import type { LiveItem } from '../state/live.ts';
import { useMissing } from '../state/use-missing.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';

type Counts = DeviceCounts['devices'][number];

/** The counts of each device with any, by device id. */
export interface CountsOfDevices {
  readonly byId: ReadonlyMap<string, Counts>;
  /** Any device can have more files that are not judged. */
  readonly notJudgedAtLeast: boolean;
}

/**
 * Reads the counts again when an alert changes, since the totals stay the same when one comes as another goes, and when
 * the organisation's totals change: that frame does not name the devices.
 */
function follow(counts: DeviceCounts, { kind, data }: LiveItem): DeviceCounts | typeof RELOAD {
  if (kind === 'alert') return RELOAD;
  if (kind !== 'summary') return counts;
  const performance = isRecord(data['performance']) ? data['performance'] : {};
  const notJudged = isRecord(data['notJudged']) ? data['notJudged'] : {};
  const isSame =
    data['activeAlerts'] === sumOf(counts, 'activeAlerts') &&
    performance['numberOfFilesWithoutContact'] === sumOf(counts, 'filesWithoutContact') &&
    (notJudged['files'] ?? 0) === sumOf(counts, 'filesNotJudged') &&
    (notJudged['atLeast'] ?? false) === (counts.notJudgedAtLeast ?? false);
  return isSame ? counts : RELOAD;
}

export type CountName = Exclude<keyof Counts, 'id'>;

const sumOf = ({ devices }: DeviceCounts, name: CountName): number =>
  devices.reduce((sum, device) => sum + (device[name] ?? 0), 0);

/** Returns null while the counts are unknown or not `wanted`. */
export function useDeviceCounts(orgId: string, wanted: boolean): CountsOfDevices | null {
  const counts = useResource<DeviceCounts>({
    key: wanted ? `device counts ${orgId}` : null,
    load: (signal) => api().getDeviceCounts(orgId, signal),
    apply: follow,
  });
  useMissing(counts, 'The counts of the devices');
  const { data } = counts;
  return useMemo(
    () =>
      data === undefined
        ? null
        : {
            byId: new Map(data.devices.map((one) => [one.id, one])),
            notJudgedAtLeast: data.notJudgedAtLeast ?? false,
          },
    [data],
  );
}
