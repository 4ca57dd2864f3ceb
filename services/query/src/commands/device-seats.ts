/**
 * Devices of an organisation are streams of their own, so no commit sees how many there are. Whoever adds one takes a
 * seat first: those being added stand in one document, changed under its expected version, beside those that can be read.
 */
import { deviceStream, LIMITS } from '@sentinel-node/contracts';
import {
  ApiError,
  ConflictError,
  loadStream,
  type Clock,
  type CollectionSpec,
  type Document,
  type DocumentStore,
} from '@sentinel-node/platform';
import { VIEWS } from '../views/index.ts';
import { RESERVATION_GRACE_MS, won } from './reservations.ts';

export const DEVICE_SEATS_COLLECTION: CollectionSpec = { name: 'device_seats', indexes: [] };

/** Tries against other processes; those of this one take turns. */
const ATTEMPTS = 8;

interface Seat {
  /** Of the device. */
  readonly id: string;
  /** Milliseconds since the Unix epoch at which it was taken. */
  readonly at: number;
}

interface Seats {
  /** Of the organisation. */
  readonly id: string;
  readonly rev: number;
  readonly taken: readonly Seat[];
}

export interface DeviceSeatsOptions {
  readonly store: DocumentStore;
  readonly clock: Clock;
  /** Devices of one organisation. */
  readonly limit?: number;
}

export class DeviceSeats {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  readonly #limit: number;
  /** Organisation → who takes a seat in it at the moment, last of all. At most one entry a request under way. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor({ store, clock, limit = LIMITS.devicesPerOrganization }: DeviceSeatsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#limit = limit;
  }

  /**
   * Before the device is committed, which must follow within `RESERVATION_GRACE_MS`.
   * @throws ApiError LIMIT_REACHED, also when those that others are adding at the moment would fill it
   * @throws ConflictError when other processes keep being first
   */
  async take(orgId: string, deviceId: string): Promise<void> {
    const before = this.#turns.get(orgId) ?? Promise.resolve();
    const mine = before.then(() => this.#take(orgId, deviceId));
    const turn = mine.catch(() => undefined);
    this.#turns.set(orgId, turn);
    try {
      await mine;
    } finally {
      if (this.#turns.get(orgId) === turn) this.#turns.delete(orgId);
    }
  }

  async #take(orgId: string, deviceId: string): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = (await this.#store.get(DEVICE_SEATS_COLLECTION.name, orgId)) as unknown as
        Seats | undefined;
      // First who cannot be read yet, then the count: one that appears in between is counted twice, never not at all.
      const waiting = await this.#unreadable(found?.taken ?? []);
      const present = await this.#store.count(VIEWS.devices, { orgId, deleted: false });
      if (present + waiting.length >= this.#limit)
        throw new ApiError('LIMIT_REACHED', `An organisation has at most ${this.#limit} devices.`);
      const taken = [...waiting, { id: deviceId, at: this.#clock.now() }];
      if (await this.#write({ id: orgId, rev: (found?.rev ?? 0) + 1, taken }, found)) return;
    }
    throw new ConflictError('devices are being added by too many at once');
  }

  /** Without those that can be read by now, and those that were never committed. */
  async #unreadable(seats: readonly Seat[]): Promise<Seat[]> {
    if (seats.length === 0) return [];
    const found = await this.#store.getMany(
      VIEWS.devices,
      seats.map(({ id }) => id),
    );
    const readable = new Set(found.map(({ id }) => id));
    const rest = seats.filter(({ id }) => !readable.has(id));
    const real = await Promise.all(rest.map((seat) => this.#isReal(seat)));
    return rest.filter((_, index) => real[index]);
  }

  async #isReal({ id, at }: Seat): Promise<boolean> {
    if (at > this.#clock.now() - RESERVATION_GRACE_MS) return true;
    return (await loadStream(this.#store, deviceStream(id))) !== undefined;
  }

  #write(seats: Seats, found: Seats | undefined): Promise<boolean> {
    const document = seats as unknown as Document;
    const { name } = DEVICE_SEATS_COLLECTION;
    return won(
      found === undefined
        ? this.#store.insertUnique(name, document)
        : this.#store.update(name, document, found.rev),
    );
  }
}
