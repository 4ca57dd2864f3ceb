import { isUuid, type DeviceEntity } from '@sentinel-node/contracts';
import { ApiError, rateLimited, type Clock, type RateLimiter, type Refusals } from '@sentinel-node/platform';
import { Refusal } from './domain/refusal.ts';
import { resultOrRefusal, refusalOf } from './refusal-of.ts';
import type { DeviceKeys } from './device-keys.ts';
import type { DeviceSnapshot } from './domain/device-snapshot.ts';
import type { DeviceCache } from './device-cache.ts';

export interface DeviceAddress {
  readonly orgId: string;
  readonly deviceId: string;
  /** X-API-Key as sent. */
  readonly apiKey: string;
  /** IP address of the caller. */
  readonly ip: string;
}

export interface DevicesOptions {
  readonly cache: DeviceCache;
  readonly keys: DeviceKeys;
  readonly clock: Clock;
  /** Returns whether every change of the registry is known to have arrived; only then cached devices can be trusted. */
  readonly isFresh: () => boolean;
  readonly refusals: Refusals;
  /** Limits refusals of keys that a device had, by device: who has such a key guesses none. */
  readonly endedRefusals: RateLimiter;
  /** Called when an ended key of the device was used. */
  readonly onEndedKey: (device: DeviceEntity) => Promise<void>;
}

/**
 * Finds devices for callers with their key. An unknown or deleted device, another organisation's, and a wrong key all
 * get the same 401.
 */
export class Devices {
  readonly #cache: DeviceCache;
  readonly #keys: DeviceKeys;
  readonly #clock: Clock;
  readonly #isFresh: () => boolean;
  readonly #refusals: Refusals;
  readonly #endedRefusals: RateLimiter;
  readonly #onEndedKey: DevicesOptions['onEndedKey'];

  constructor({ cache, keys, clock, isFresh, refusals, endedRefusals, onEndedKey }: DevicesOptions) {
    this.#cache = cache;
    this.#keys = keys;
    this.#clock = clock;
    this.#isFresh = isFresh;
    this.#refusals = refusals;
    this.#endedRefusals = endedRefusals;
    this.#onEndedKey = onEndedKey;
  }

  /** Returns the cached device if it admits the caller. */
  cached(address: DeviceAddress): DeviceSnapshot | undefined {
    const device = this.#isFresh() ? this.#cache.cached(address.deviceId) : undefined;
    return device !== undefined && this.#admits(device, address) ? device : undefined;
  }

  /** Returns the cached device, or else the device from the store. */
  async find(address: DeviceAddress): Promise<DeviceSnapshot | Refusal> {
    return this.cached(address) ?? (await this.fresh(address));
  }

  /**
   * Returns the device from the store; refused: INVALID_API_KEY, RATE_LIMITED when the address had too many of those,
   * OVERLOADED.
   */
  async fresh(address: DeviceAddress): Promise<DeviceSnapshot | Refusal> {
    const device = this.#isWorthReading(address)
      ? await resultOrRefusal(() => this.#cache.fresh(address.deviceId, address.orgId))
      : undefined;
    if (device instanceof Refusal) return device;
    if (device !== undefined && this.#admits(device, address)) return device;
    const invalid = new ApiError('INVALID_API_KEY');
    if (device === undefined || !this.#hadKey(device, address))
      return refusalOf(this.#refusals.answer(address.ip, invalid));
    const taken = this.#endedRefusals.take(address.deviceId);
    if (!device.entity.deleted) await this.#onEndedKey(device.entity);
    return refusalOf(taken.allowed ? invalid : rateLimited(this.#endedRefusals.limit, taken));
  }

  #hadKey({ entity }: DeviceSnapshot, { orgId, apiKey }: DeviceAddress): boolean {
    return entity.orgId === orgId && this.#keys.hasEnded(entity, apiKey);
  }

  /**
   * Returns whether to read the store: an address that guesses keys gets a read only for a key that may be of the
   * device.
   */
  #isWorthReading({ orgId, deviceId, apiKey, ip }: DeviceAddress): boolean {
    if (!isUuid(deviceId)) return false;
    return !this.#refusals.areTooMany(ip) || this.#keys.mayHaveIssued(orgId, deviceId, apiKey);
  }

  /** Returns the device for a member of the organisation; refused: NOT_FOUND, OVERLOADED. */
  async ofOrganization(orgId: string, deviceId: string): Promise<DeviceSnapshot | Refusal> {
    const device = isUuid(deviceId)
      ? await resultOrRefusal(() => this.#cache.fresh(deviceId, orgId))
      : undefined;
    if (device instanceof Refusal) return device;
    if (device === undefined || device.entity.deleted || device.entity.orgId !== orgId)
      return new Refusal('NOT_FOUND');
    return device;
  }

  #admits({ entity }: DeviceSnapshot, { orgId, apiKey }: DeviceAddress): boolean {
    return entity.orgId === orgId && this.#keys.admits(entity, apiKey, this.#clock.now());
  }
}
