import type { DeviceListItem } from '@sentinel-node/contracts';
import { api } from './api.ts';
import { useResource } from './use-resource.ts';

/** By id; undefined: not known, or gone. */
export function useDeviceNames(orgId: string): (deviceId: string) => string | undefined {
  const { data } = useResource<{ devices: DeviceListItem[] }>({
    key: `devices ${orgId}`,
    load: (signal) => api().getDevices(orgId, signal),
  });
  return (id) => data?.devices.find((device) => device.id === id)?.name;
}
