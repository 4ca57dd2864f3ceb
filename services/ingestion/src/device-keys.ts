import type { DeviceEntity } from '@sentinel-node/contracts';
import { deviceApiKey, isDeviceApiKey, LRUCache, PURPOSES, purposeKey } from '@sentinel-node/platform';
import { acceptedKeyVersions } from './domain/device-key.ts';

/** Key versions that are derived to tell a key that was once made from one that never was; 3 µs each. */
const VERSIONS_TRIED = 32;

/**
 * Derives and compares API keys; the `maxKeys` that were used last are kept.
 * @pool device-keys
 */
export class DeviceKeys {
  readonly #key: Uint8Array;
  /** By device and version. */
  readonly #derived: LRUCache<string, string>;

  constructor(masterSecret: string, maxKeys: number) {
    this.#key = purposeKey(masterSecret, PURPOSES.deviceApiKeys);
    this.#derived = new LRUCache({ max: maxKeys });
  }

  /** The key that the configuration shows. */
  current(device: DeviceEntity): string {
    return this.#derive(device, device.keyVersion);
  }

  admits(device: DeviceEntity, presented: string, nowMs: number): boolean {
    const valid = acceptedKeyVersions(device, nowMs).map((version) => this.#derive(device, version));
    return isDeviceApiKey(presented, valid);
  }

  /** Whether the key is one of the first of that device; of one that was replaced more often it is not known. */
  mayHaveMade(orgId: string, deviceId: string, presented: string): boolean {
    const versions = Array.from({ length: VERSIONS_TRIED }, (_, index) => index + 1);
    const made = versions.map((version) => deviceApiKey(this.#key, orgId, deviceId, version));
    return isDeviceApiKey(presented, made);
  }

  /** Whether the key is one of the device's last before those that are admitted: an agent holds it that was shut out. */
  hasEnded(device: DeviceEntity, presented: string): boolean {
    const versions = Array.from({ length: VERSIONS_TRIED }, (_, index) => device.keyVersion - index);
    const made = versions
      .filter((version) => version > 0)
      .map((version) => deviceApiKey(this.#key, device.orgId, device.id, version));
    return isDeviceApiKey(presented, made);
  }

  #derive(device: DeviceEntity, version: number): string {
    const name = `${device.id}:${version}`;
    const known = this.#derived.get(name);
    if (known !== undefined) return known;
    const key = deviceApiKey(this.#key, device.orgId, device.id, version);
    this.#derived.set(name, key);
    return key;
  }
}
