import { isUuid } from '@sentinel-node/contracts';
import { ApiError, type Clock, type Refusals } from '@sentinel-node/platform';
import type { DeviceKeys } from './device-keys.ts';
import type { DeviceSnapshot } from './domain/device-snapshot.ts';
import type { PolicyCache } from './policy-cache.ts';

export interface DeviceAddress {
  readonly orgId: string;
  readonly deviceId: string;
  /** X-API-Key as sent. */
  readonly apiKey: string;
  /** Where the call comes from. */
  readonly ip: string;
}

export interface DevicesOptions {
  readonly cache: PolicyCache;
  readonly keys: DeviceKeys;
  readonly clock: Clock;
  /** Whether all news of the registry are known to have come, so that what is kept can be trusted. */
  readonly hearing: () => boolean;
  readonly refusals: Refusals;
}

/** Devices for those who hold their key. Unknown, deleted, another organisation's, wrong key: one and the same 401. */
export class Devices {
  readonly #cache: PolicyCache;
  readonly #keys: DeviceKeys;
  readonly #clock: Clock;
  readonly #hearing: () => boolean;
  readonly #refusals: Refusals;

  constructor({ cache, keys, clock, hearing, refusals }: DevicesOptions) {
    this.#cache = cache;
    this.#keys = keys;
    this.#clock = clock;
    this.#hearing = hearing;
    this.#refusals = refusals;
  }

  /** The kept device if that is enough to let the caller in. */
  kept(address: DeviceAddress): DeviceSnapshot | undefined {
    const device = this.#hearing() ? this.#cache.kept(address.deviceId) : undefined;
    return device !== undefined && this.#admits(device, address) ? device : undefined;
  }

  /** As the store has it. @throws ApiError INVALID_API_KEY, RATE_LIMITED when the address had too many of these; OverloadedError */
  async fresh(address: DeviceAddress): Promise<DeviceSnapshot> {
    const device = this.#isWorthReading(address) ? await this.#cache.fresh(address.deviceId) : undefined;
    if (device === undefined || !this.#admits(device, address))
      throw this.#refusals.answer(address.ip, new ApiError('INVALID_API_KEY'));
    return device;
  }

  /** From an address that guesses, a key that was never made costs no read of the store. */
  #isWorthReading({ orgId, deviceId, apiKey, ip }: DeviceAddress): boolean {
    if (!isUuid(deviceId)) return false;
    return !this.#refusals.areTooMany(ip) || this.#keys.mayHaveMade(orgId, deviceId, apiKey);
  }

  /** For a member of the organisation. @throws ApiError NOT_FOUND, OverloadedError */
  async ofOrganization(orgId: string, deviceId: string): Promise<DeviceSnapshot> {
    const device = isUuid(deviceId) ? await this.#cache.fresh(deviceId) : undefined;
    if (device === undefined || device.entity.deleted || device.entity.orgId !== orgId)
      throw new ApiError('NOT_FOUND');
    return device;
  }

  #admits({ entity }: DeviceSnapshot, { orgId, apiKey }: DeviceAddress): boolean {
    return entity.orgId === orgId && this.#keys.admits(entity, apiKey, this.#clock.now());
  }
}
