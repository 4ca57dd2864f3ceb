/** Which devices a limited service token reaches, by what the views say now. */
import { LIMITS, type DeviceLimits } from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import { type DeviceView, VIEWS } from '../views/index.ts';

/** Devices that are read at once. */
const STEP_DOCUMENTS = 1_000;

/** A deleted device has no labels any more. What it is named by stays. */
export function isWithin(
  limits: DeviceLimits,
  { id, labels = [], deleted }: Pick<DeviceView, 'id' | 'labels' | 'deleted'>,
): boolean {
  return limits.deviceIds.includes(id) || (!deleted && labels.some((label) => limits.labels.includes(label)));
}

/** Whether the limits hold one device of the organisation. False also for an unknown one. */
export async function reaches(
  store: DocumentStore,
  orgId: string,
  limits: DeviceLimits,
  deviceId: string,
): Promise<boolean> {
  const device = await store.get(VIEWS.devices, deviceId);
  return device?.orgId === orgId && isWithin(limits, device);
}

/** Ids of all devices that the limits hold. @throws ApiError FORBIDDEN for more than a list can be narrowed to */
export async function devicesWithin(
  store: DocumentStore,
  orgId: string,
  limits: DeviceLimits,
): Promise<ReadonlySet<string>> {
  const most = LIMITS.serviceTokenReach;
  const found = new Set(limits.deviceIds);
  for (let after = ''; limits.labels.length > 0;) {
    const devices = await store.find<DeviceView>(VIEWS.devices, {
      where: { orgId, deleted: false, id: { gt: after } },
      limit: STEP_DOCUMENTS,
    });
    for (const device of devices) if (isWithin(limits, device)) found.add(device.id);
    if (found.size > most)
      throw new ApiError(
        'FORBIDDEN',
        `The labels of the service token are on more than ${most} devices: call for one device at a time.`,
      );
    if (devices.length < STEP_DOCUMENTS) break;
    after = devices.at(-1)!.id;
  }
  return found;
}
