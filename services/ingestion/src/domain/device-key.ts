import type { DeviceEntity } from '@sentinel-node/contracts';

/** Returns the versions of the API key that the device may use now; none for a deleted device. */
export function acceptedKeyVersions(device: DeviceEntity, nowMs: number): number[] {
  if (device.deleted) return [];
  const { keyVersion, previousKey } = device;
  return previousKey !== null && nowMs < previousKey.validUntil
    ? [keyVersion, previousKey.version]
    : [keyVersion];
}
