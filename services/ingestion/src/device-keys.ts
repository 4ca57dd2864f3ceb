import type { DeviceEntity } from '@sentinel-node/contracts';
import { CountedCache, deviceApiKey, isDeviceApiKey, PURPOSES, purposeKey } from '@sentinel-node/platform';
import { acceptedKeyVersions } from './domain/device-key.ts';

/** Number of key versions to derive for recognising a key of this system; 3 µs each. */
const VERSIONS_TRIED = 32;

/**
 * Derives and compares API keys and caches the `maxKeys` most recently used keys.
 * @pool device-keys
 */
export class DeviceKeys {
  readonly #key: Uint8Array;
  /** Keys by device and version. */
  readonly #derived: CountedCache<string, string>;
  /** Newest versions of devices that had more than `VERSIONS_TRIED`, by device. */
  readonly #late: CountedCache<string, number>;

  constructor(masterSecret: string, maxKeys: number) {
    this.#key = purposeKey(masterSecret, PURPOSES.deviceApiKeys);
    this.#derived = new CountedCache(maxKeys);
    this.#late = new CountedCache(maxKeys);
  }

  /** Returns the key for the configuration. */
  current(device: DeviceEntity): string {
    return this.#derive(device, device.keyVersion);
  }

  admits(device: DeviceEntity, presented: string, nowMs: number): boolean {
    const valid = acceptedKeyVersions(device, nowMs).map((version) => this.#derive(device, version));
    const isAdmitted = isDeviceApiKey(presented, valid);
    if (isAdmitted && device.keyVersion >= VERSIONS_TRIED) this.#late.set(device.id, device.keyVersion);
    return isAdmitted;
  }

  /**
   * Returns whether the key is one of the first 32 of that device, or, when the device was admitted with a later one, of the 32 up to
   * the next; another key is not recognised.
   */
  mayHaveIssued(orgId: string, deviceId: string, presented: string): boolean {
    const late = this.#late.get(deviceId);
    const last = late === undefined ? VERSIONS_TRIED : late + 1;
    const versions = Array.from({ length: VERSIONS_TRIED }, (_, index) => last - index);
    const made = versions.map((version) => deviceApiKey(this.#key, orgId, deviceId, version));
    return isDeviceApiKey(presented, made);
  }

  /**
   * Returns whether the key is one of the device's last 32. Called after the check of the admitted keys, so that a
   * match shows an agent that was shut out.
   */
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
