import { isUuid, type DeviceEntity } from '@sentinel-node/contracts';
import { ApiError, type Clock, type Refusals } from '@sentinel-node/platform';
import { Refusal } from './domain/refusal.ts';
import { orRefusal, refusalOf } from './refusal-of.ts';
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
  /** Whether every change of the registry is known to have arrived, so that cached devices can be trusted. */
  readonly isFresh: () => boolean;
  readonly refusals: Refusals;
  /** A key was used that is the device's and has ended. */
  readonly onEndedKey: (device: DeviceEntity) => Promise<void>;
}

/** Devices for those who hold their key. Unknown, deleted, another organisation's, wrong key: one and the same 401. */
export class Devices {
  readonly #cache: PolicyCache;
  readonly #keys: DeviceKeys;
  readonly #clock: Clock;
  readonly #isFresh: () => boolean;
  readonly #refusals: Refusals;
  readonly #onEndedKey: DevicesOptions['onEndedKey'];

  constructor({ cache, keys, clock, isFresh, refusals, onEndedKey }: DevicesOptions) {
    this.#cache = cache;
    this.#keys = keys;
    this.#clock = clock;
    this.#isFresh = isFresh;
    this.#refusals = refusals;
    this.#onEndedKey = onEndedKey;
  }

  /** The kept device if that is enough to let the caller in. */
  kept(address: DeviceAddress): DeviceSnapshot | undefined {
    const device = this.#isFresh() ? this.#cache.kept(address.deviceId) : undefined;
    return device !== undefined && this.#admits(device, address) ? device : undefined;
  }

  /** The kept device, or else as the store has it. */
  async find(address: DeviceAddress): Promise<DeviceSnapshot | Refusal> {
    return this.kept(address) ?? (await this.fresh(address));
  }

  /** As the store has it; refused: INVALID_API_KEY, RATE_LIMITED when the address had too many of these, OVERLOADED. */
  async fresh(address: DeviceAddress): Promise<DeviceSnapshot | Refusal> {
    const device = this.#isWorthReading(address)
      ? await orRefusal(() => this.#cache.fresh(address.deviceId, address.orgId))
      : undefined;
    if (device instanceof Refusal) return device;
    if (device !== undefined && this.#admits(device, address)) return device;
    const refusal = refusalOf(this.#refusals.answer(address.ip, new ApiError('INVALID_API_KEY')));
    if (device !== undefined) await this.#tellEndedKey(device, address);
    return refusal;
  }

  async #tellEndedKey({ entity }: DeviceSnapshot, { orgId, apiKey }: DeviceAddress): Promise<void> {
    if (entity.deleted || entity.orgId !== orgId || !this.#keys.hasEnded(entity, apiKey)) return;
    await this.#onEndedKey(entity);
  }

  /** From an address that guesses, a key that was never made costs no read of the store. */
  #isWorthReading({ orgId, deviceId, apiKey, ip }: DeviceAddress): boolean {
    if (!isUuid(deviceId)) return false;
    return !this.#refusals.areTooMany(ip) || this.#keys.mayHaveMade(orgId, deviceId, apiKey);
  }

  /** For a member of the organisation; refused: NOT_FOUND, OVERLOADED. */
  async ofOrganization(orgId: string, deviceId: string): Promise<DeviceSnapshot | Refusal> {
    const device = isUuid(deviceId) ? await orRefusal(() => this.#cache.fresh(deviceId, orgId)) : undefined;
    if (device instanceof Refusal) return device;
    if (device === undefined || device.entity.deleted || device.entity.orgId !== orgId)
      return new Refusal('NOT_FOUND');
    return device;
  }

  #admits({ entity }: DeviceSnapshot, { orgId, apiKey }: DeviceAddress): boolean {
    return entity.orgId === orgId && this.#keys.admits(entity, apiKey, this.#clock.now());
  }
}
