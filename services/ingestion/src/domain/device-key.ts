import type { DeviceEntity } from '@sentinel-node/contracts';

/** Versions of the API key that the device may use now; none when it is deleted. */
export function acceptedKeyVersions(device: DeviceEntity, nowMs: number): number[] {
  if (device.deleted) return [];
  const { keyVersion, previousKey } = device;
  return previousKey !== null && nowMs < previousKey.validUntil
    ? [keyVersion, previousKey.version]
    : [keyVersion];
}
