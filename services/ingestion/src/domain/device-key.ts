import { lastingKeys, type DeviceEntity } from '@sentinel-node/contracts';

/** Returns the versions of the API key that the device may use now, the newest first; none for a deleted device. */
export function acceptedKeyVersions(device: DeviceEntity, nowMs: number): number[] {
  if (device.deleted) return [];
  const { keyVersion, previousKey, earlierKeys } = device;
  return [keyVersion, ...lastingKeys(previousKey, earlierKeys, nowMs).map(({ version }) => version)];
}
