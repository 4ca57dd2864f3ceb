/**
 * Limits the devices of an organisation. Each device has its own stream, so no commit sees the number of devices. A
 * command that adds a device first records it as pending: one document of the organisation lists the pending devices,
 * changed under its expected version. Pending and present devices together count against the limit.
 */
import { deviceStream, LIMITS } from '@sentinel-node/contracts';
import {
  ApiError,
  ConflictError,
  loadStream,
  type Clock,
  collectionOf,
  saveIfCurrent,
  type DocumentStore,
} from '@sentinel-node/platform';
import { RESERVATION_GRACE_MS } from '../storage/reservations.ts';
import { Turns } from '../storage/turns.ts';
import { VIEWS } from '../views/index.ts';

/** The collection keeps the name under which it was first stored. */
export const DEVICE_QUOTA_COLLECTION = {
  name: collectionOf<PendingDevices>('device_seats'),
  indexes: [],
} as const;

/** The most attempts against other processes; calls in this process take turns. */
const ATTEMPTS = 8;

interface PendingDevice {
  /** Id of the device. */
  readonly id: string;
  /** When the place was taken, in milliseconds since the Unix epoch. */
  readonly at: number;
}

interface PendingDevices {
  /** Id of the organisation. */
  readonly id: string;
  readonly rev: number;
  readonly taken: readonly PendingDevice[];
}

export interface DeviceQuotaOptions {
  readonly store: DocumentStore;
  readonly clock: Clock;
  /** The most devices of one organisation. */
  readonly limit?: number;
}

/** @boundedBy the commands that are under way */
export class DeviceQuota {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  readonly #limit: number;
  /** Turns by organisation. */
  readonly #turns = new Turns();

  constructor({ store, clock, limit = LIMITS.devicesPerOrganization }: DeviceQuotaOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#limit = limit;
  }

  /**
   * Call before the device is committed; the commit must follow within `RESERVATION_GRACE_MS`. Called again, it renews that time.
   * @throws ApiError LIMIT_REACHED, also when devices that others are adding would reach the limit
   * @throws ConflictError when other processes win every attempt
   */
  async take(orgId: string, deviceId: string): Promise<void> {
    await this.#turns.take(orgId, () => this.#take(orgId, deviceId));
  }

  async #take(orgId: string, deviceId: string): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await this.#store.get(DEVICE_QUOTA_COLLECTION.name, orgId);
      // Pending devices first, then the count: a device that appears in between is counted twice, never missed.
      const others = (found?.taken ?? []).filter(({ id }) => id !== deviceId);
      const waiting = await this.#unreadable(others);
      const present = await this.#store.count(VIEWS.devices, { orgId, deleted: false });
      if (present + waiting.length >= this.#limit)
        throw new ApiError('LIMIT_REACHED', {
          detail: `An organization has at most ${this.#limit} devices.`,
        });
      const taken = [...waiting, { id: deviceId, at: this.#clock.now() }];
      if (await this.#write({ id: orgId, rev: (found?.rev ?? 0) + 1, taken }, found)) return;
    }
    throw new ConflictError('devices are being added by too many at once');
  }

  /** Returns the pending devices without those that reads show by now, and those whose time to commit has passed. */
  async #unreadable(pending: readonly PendingDevice[]): Promise<PendingDevice[]> {
    if (pending.length === 0) return [];
    const found = await this.#store.getMany(
      VIEWS.devices,
      pending.map(({ id }) => id),
    );
    const readable = new Set(found.map(({ id }) => id));
    const rest = pending.filter(({ id }) => !readable.has(id));
    const real = await Promise.all(rest.map((device) => this.#isReal(device)));
    return rest.filter((_, index) => real[index]);
  }

  async #isReal({ id, at }: PendingDevice): Promise<boolean> {
    if (at > this.#clock.now() - RESERVATION_GRACE_MS) return true;
    return (await loadStream(this.#store, deviceStream(id))) !== undefined;
  }

  #write(pending: PendingDevices, found: PendingDevices | undefined): Promise<boolean> {
    const { name } = DEVICE_QUOTA_COLLECTION;
    return saveIfCurrent(this.#store, name, pending, found?.rev);
  }
}
