import type { DeviceListItem } from '../answers.ts';
import { api } from './api.ts';
import { applyToDevices } from './devices.ts';
import { useMissing } from './use-missing.ts';
import { useResource } from './use-resource.ts';

/** Returns a device's name; undefined for a deleted device, null while no name is known. */
export type DeviceNames = (deviceId: string) => string | null | undefined;

export function useDeviceNames(orgId: string): DeviceNames {
  const devices = useResource<{ devices: DeviceListItem[] }>({
    key: `devices ${orgId}`,
    load: (signal) => api().getDevices(orgId, signal),
    apply: applyToDevices,
  });
  useMissing(devices, 'The devices');
  const { data } = devices;
  return (id) => (data === undefined ? null : data.devices.find((device) => device.id === id)?.name);
}
