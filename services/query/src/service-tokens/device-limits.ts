/** Finds the devices that a limited service token may reach, by the current views. */
import { LIMITS, type DeviceLimits } from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import { pagesById } from '../storage/pages-by-id.ts';
import { type DeviceView, VIEWS } from '../views/index.ts';

/** Devices in one read. */
const STEP_DOCUMENTS = 1_000;

/**
 * Returns whether a device is within the limits. A deleted device matches by its id only, because it has lost
 * its labels.
 */
export function isWithin(
  limits: DeviceLimits,
  { id, labels = [], deleted }: Pick<DeviceView, 'id' | 'labels' | 'deleted'>,
): boolean {
  return limits.deviceIds.includes(id) || (!deleted && labels.some((label) => limits.labels.includes(label)));
}

/** Returns whether a device of the organisation is within the limits; false for an unknown device. */
export async function isDeviceWithin(
  store: DocumentStore,
  orgId: string,
  limits: DeviceLimits,
  deviceId: string,
): Promise<boolean> {
  const device = await store.get(VIEWS.devices, deviceId);
  return device?.orgId === orgId && isWithin(limits, device);
}

/**
 * Returns the ids of all devices within the limits. @throws ApiError FORBIDDEN when there are more than a
 * list can be limited to
 */
export async function devicesWithin(
  store: DocumentStore,
  orgId: string,
  limits: DeviceLimits,
): Promise<ReadonlySet<string>> {
  const most = LIMITS.serviceTokenReach;
  const found = new Set(limits.deviceIds);
  if (limits.labels.length === 0) return found;
  for await (const devices of pagesById(store, VIEWS.devices, { orgId, deleted: false }, STEP_DOCUMENTS)) {
    for (const device of devices) if (isWithin(limits, device)) found.add(device.id);
    if (found.size > most)
      throw new ApiError('FORBIDDEN', {
        detail: `The labels of the service token are on more than ${most} devices: call for one device at a time.`,
      });
  }
  return found;
}
