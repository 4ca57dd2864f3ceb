import { isUuid } from '@sentinel-node/contracts';
import { ApiError, type Clock } from '@sentinel-node/platform';
import type { DeviceKeys } from './device-keys.ts';
import type { DeviceSnapshot } from './domain/device-snapshot.ts';
import type { PolicyCache } from './policy-cache.ts';

export interface DeviceAddress {
  readonly orgId: string;
  readonly deviceId: string;
  /** X-API-Key as sent. */
  readonly apiKey: string;
}

export interface DevicesOptions {
  readonly cache: PolicyCache;
  readonly keys: DeviceKeys;
  readonly clock: Clock;
  /** Whether all news of the registry are known to have come, so that what is kept can be trusted. */
  readonly hearing: () => boolean;
}

/** Devices for those who hold their key. Unknown, deleted, another organisation's, wrong key: one and the same 401. */
export class Devices {
  readonly #cache: PolicyCache;
  readonly #keys: DeviceKeys;
  readonly #clock: Clock;
  readonly #hearing: () => boolean;

  constructor({ cache, keys, clock, hearing }: DevicesOptions) {
    this.#cache = cache;
    this.#keys = keys;
    this.#clock = clock;
    this.#hearing = hearing;
  }

  /** The kept device if that is enough to let the caller in. */
  kept(address: DeviceAddress): DeviceSnapshot | undefined {
    const device = this.#hearing() ? this.#cache.kept(address.deviceId) : undefined;
    return device !== undefined && this.#admits(device, address) ? device : undefined;
  }

  /** As the store has it. @throws ApiError INVALID_API_KEY, OverloadedError */
  async fresh(address: DeviceAddress): Promise<DeviceSnapshot> {
    const device = isUuid(address.deviceId) ? await this.#cache.fresh(address.deviceId) : undefined;
    if (device === undefined || !this.#admits(device, address)) throw new ApiError('INVALID_API_KEY');
    return device;
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
