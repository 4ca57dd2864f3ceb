/**
 * Names, e-mails and wallet identities that belong to one owner: insert-once documents with the owner's ids. A
 * reservation is written before its commit, so a crash can leave one without a stream; another owner may take that
 * over.
 */
import { COLLECTIONS } from '@sentinel-node/contracts';
import {
  ConflictError,
  type Clock,
  collectionOf,
  heardBy,
  readClockAhead,
  saveIfCurrent,
  type DocumentStore,
} from '@sentinel-node/platform';

export const RESERVATIONS_COLLECTION = {
  name: collectionOf<Reservation>(COLLECTIONS.reservations),
  indexes: [],
} as const;

/** The most time between a reservation and its commit, in milliseconds. */
export const RESERVATION_GRACE_MS = 60_000;
const ATTEMPTS = 4;

/**
 * Returns whether the commit of what was taken at `at` (ms) may still come. A clock that was ahead gave times that would hold until
 * they come: they count as of when that was found (decision 085).
 */
export async function isInGrace(
  store: Pick<DocumentStore, 'get'>,
  at: number,
  now: number,
): Promise<boolean> {
  const taken = at > now ? heardBy(at, await readClockAhead(store)) : at;
  return taken > now - RESERVATION_GRACE_MS;
}

export interface Owner {
  readonly orgId: string;
  /** null for the name of an organisation. */
  readonly userId: string | null;
}

export interface Reservation extends Owner {
  readonly id: string;
  readonly rev: number;
  /** Time of the last take, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly released: boolean;
}

export const reservationOf = {
  organizationName: (nameKey: string): string => `name:${nameKey}`,
  email: (key: string): string => `email:${key}`,
  wallet: (walletUserId: string): string => `wallet:${walletUserId}`,
};

export class Reservations {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  constructor(store: DocumentStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns the reservation's owner. The owner's stream decides whether the reservation counts. */
  async owner(id: string): Promise<Owner | undefined> {
    return (await this.owners([id])).get(id);
  }

  /** Returns the owners by reservation id. */
  async owners(ids: readonly string[]): Promise<Map<string, Owner>> {
    const found = await this.#store.getMany(RESERVATIONS_COLLECTION.name, [...new Set(ids)]);
    const reserved = found.filter(({ released }) => !released);
    return new Map(reserved.map(({ id, orgId, userId }) => [id, { orgId, userId }]));
  }

  /**
   * Makes `owner` the owner of the reservation, or confirms that.
   * @param isHeld returns whether the streams confirm another owner
   * @returns false when the reservation belongs to another owner
   */
  async take(id: string, owner: Owner, isHeld: (holder: Owner) => Promise<boolean>): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const taken = await this.#tryTake(id, owner, isHeld);
      if (taken !== undefined) return taken;
    }
    throw new ConflictError(`the reservation ${id.slice(0, id.indexOf(':'))} keeps changing hands`);
  }

  /** Releases the reservation of `owner`; another owner's reservation is left alone. */
  async release(id: string, owner: Owner): Promise<void> {
    const release = await this.releaser(id, owner);
    await release();
  }

  /**
   * Call before the commit by which the owner gives the name up. The returned function releases the reservation as `release` does,
   * unless the owner took it again since.
   */
  async releaser(id: string, owner: Owner): Promise<() => Promise<void>> {
    const found = await this.#load(id);
    return async () => {
      if (found === undefined || found.released || !isSame(found, owner)) return;
      await this.#replace(found, { ...found, released: true });
    };
  }

  async #tryTake(
    id: string,
    owner: Owner,
    isHeld: (holder: Owner) => Promise<boolean>,
  ): Promise<boolean | undefined> {
    const next = { id, ...owner, at: this.#clock.now(), released: false };
    const found = await this.#load(id);
    if (found === undefined) return (await this.#insert({ ...next, rev: 1 })) ? true : undefined;
    if (!found.released && !isSame(found, owner)) {
      if ((await isInGrace(this.#store, found.at, this.#clock.now())) || (await isHeld(found))) return false;
    }
    return (await this.#replace(found, next)) ? true : undefined;
  }

  async #load(id: string): Promise<Reservation | undefined> {
    return await this.#store.get(RESERVATIONS_COLLECTION.name, id);
  }

  async #insert(reservation: Reservation): Promise<boolean> {
    return saveIfCurrent(this.#store, RESERVATIONS_COLLECTION.name, reservation, undefined);
  }

  async #replace(found: Reservation, next: Omit<Reservation, 'rev'>): Promise<boolean> {
    const replaced = { ...next, rev: found.rev + 1 };
    return saveIfCurrent(this.#store, RESERVATIONS_COLLECTION.name, replaced, found.rev);
  }
}

const isSame = (a: Owner, b: Owner): boolean => a.orgId === b.orgId && a.userId === b.userId;
