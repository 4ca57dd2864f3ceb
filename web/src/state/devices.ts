/** Updates a list of devices, newest first, from the live stream. */
import { DeviceListItemSchema } from '@sentinel-node/contracts';
import type { DeviceListItem } from '../answers.ts';
import type { LiveItem } from './live.ts';
import { liveObject } from './live-object.ts';
import { RELOAD } from './use-resource.ts';

interface Devices {
  devices: DeviceListItem[];
}

export function applyToDevices(list: Devices, item: LiveItem): Devices | typeof RELOAD {
  if (item.kind !== 'device') return list;
  const { devices } = list;
  if (item.data['deleted'] === true) return { devices: devices.filter(({ id }) => id !== item.data['id']) };
  const device = liveObject(DeviceListItemSchema, item);
  if (device === null) return RELOAD;
  const isKnown = devices.some(({ id }) => id === device.id);
  return {
    devices: isKnown ? devices.map((held) => (held.id === device.id ? device : held)) : [device, ...devices],
  };
}
