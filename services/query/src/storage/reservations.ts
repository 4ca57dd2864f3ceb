/**
 * Names, e-mails and wallet identities that belong to one owner: insert-once documents that name him. A reservation
 * stands before the commit that needs it, so a crash can leave one that no stream bears out; it is taken over then.
 */
import { ConflictError, type Clock, collectionOf, type DocumentStore } from '@sentinel-node/platform';
import { insertedFirst } from './inserted-first.ts';

export const RESERVATIONS_COLLECTION = {
  name: collectionOf<Reservation>('reservations'),
  indexes: [],
} as const;

/** Milliseconds that a command may take between its reservation and its commit. */
export const RESERVATION_GRACE_MS = 60_000;
const ATTEMPTS = 4;

export interface Owner {
  readonly orgId: string;
  /** null for the name of an organisation. */
  readonly userId: string | null;
}

interface Reservation extends Owner {
  readonly id: string;
  readonly rev: number;
  /** Milliseconds since the Unix epoch of the last time that it was taken. */
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

  /** Who holds it; what its stream says about him decides whether that means anything. */
  async owner(id: string): Promise<Owner | undefined> {
    return (await this.owners([id])).get(id);
  }

  /** By id, as `owner` has them. */
  async owners(ids: readonly string[]): Promise<Map<string, Owner>> {
    const found = await this.#store.getMany(RESERVATIONS_COLLECTION.name, [...new Set(ids)]);
    const reserved = found.filter(({ released }) => !released);
    return new Map(reserved.map(({ id, orgId, userId }) => [id, { orgId, userId }]));
  }

  /**
   * Makes `owner` the holder, or confirms that he is.
   * @param isHeld whether the streams bear out another holder
   * @returns false when it belongs to somebody else
   */
  async take(id: string, owner: Owner, isHeld: (holder: Owner) => Promise<boolean>): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const taken = await this.#tryTake(id, owner, isHeld);
      if (taken !== undefined) return taken;
    }
    throw new ConflictError(`the reservation ${id.slice(0, id.indexOf(':'))} keeps changing hands`);
  }

  /** Gives up what `owner` holds; what somebody else holds meanwhile is left alone. */
  async release(id: string, owner: Owner): Promise<void> {
    const found = await this.#load(id);
    if (found === undefined || found.released || !isSame(found, owner)) return;
    await this.#replace(found, { ...found, released: true });
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
      if (found.at > this.#clock.now() - RESERVATION_GRACE_MS || (await isHeld(found))) return false;
    }
    return (await this.#replace(found, next)) ? true : undefined;
  }

  async #load(id: string): Promise<Reservation | undefined> {
    return await this.#store.get(RESERVATIONS_COLLECTION.name, id);
  }

  async #insert(reservation: Reservation): Promise<boolean> {
    return insertedFirst(this.#store.insertUnique(RESERVATIONS_COLLECTION.name, reservation));
  }

  async #replace(found: Reservation, next: Omit<Reservation, 'rev'>): Promise<boolean> {
    const replaced = { ...next, rev: found.rev + 1 };
    return insertedFirst(this.#store.update(RESERVATIONS_COLLECTION.name, replaced, found.rev));
  }
}

const isSame = (a: Owner, b: Owner): boolean => a.orgId === b.orgId && a.userId === b.userId;
