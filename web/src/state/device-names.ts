import type { DeviceListItem } from '@sentinel-node/contracts';
import { api } from './api.ts';
import { useResource } from './use-resource.ts';

/** Returns a function from a device's id to its name; undefined when unknown or deleted. */
export function useDeviceNames(orgId: string): (deviceId: string) => string | undefined {
  const { data } = useResource<{ devices: DeviceListItem[] }>({
    key: `devices ${orgId}`,
    load: (signal) => api().getDevices(orgId, signal),
  });
  return (id) => data?.devices.find((device) => device.id === id)?.name;
}
