/**
 * Records which devices the tokens made. A token's document counts the uses and holds the last use; before the next use
 * is counted, the last one gets its own document. So each use is counted once and found again, whenever a process is
 * killed.
 */
import { enrolmentStream, type EnrolmentEntity, type EnrolmentState } from '@sentinel-node/contracts';
import {
  ConflictError,
  collectionOf,
  loadStream,
  saveIfCurrent,
  type Clock,
  type DocumentStore,
} from '@sentinel-node/platform';
import { enrolmentState } from '../registry/enrolment.ts';
import { Turns } from '../storage/turns.ts';

/** How long after a use the same key gets the same device again (ms). */
export const REPEAT_MS = 24 * 3_600_000;
/** The most attempts against other processes; calls in this process take turns. */
const ATTEMPTS = 8;

/** `id` is the token's id, a colon, and the SHA-256 of the agent's key. */
export type EnrolmentUse = {
  readonly id: string;
  readonly deviceId: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** After this time the token cannot be used again, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
};

/** `id` is the token's id. */
type EnrolmentCount = {
  readonly id: string;
  readonly rev: number;
  readonly used: number;
  readonly last: EnrolmentUse;
};

export const ENROLMENT_USES_COLLECTION = {
  name: collectionOf<EnrolmentUse>('enrolment_uses'),
  indexes: [{ fields: ['expiresAt'] }],
} as const;
export const ENROLMENT_COUNTS_COLLECTION = {
  name: collectionOf<EnrolmentCount>('enrolment_counts'),
  indexes: [],
} as const;

/** Number of uses of a token, and the time of the last use (milliseconds since the Unix epoch; null without a use). */
export interface Used {
  readonly used: number;
  readonly lastAt: number | null;
}

export async function loadEnrolment(store: DocumentStore, id: string): Promise<EnrolmentEntity | undefined> {
  return (await loadStream<EnrolmentEntity>(store, enrolmentStream(id)))?.entity;
}

export class EnrolmentUses {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  /** Turns by token id. */
  readonly #turns = new Turns();

  constructor(store: DocumentStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns the uses of each token, in the order of `ids`. */
  async getMany(ids: readonly string[]): Promise<Used[]> {
    const found = await this.#store.getMany(ENROLMENT_COUNTS_COLLECTION.name, ids);
    const counts = new Map(found.map((count) => [count.id, count]));
    return ids.map((id) => {
      const count = counts.get(id);
      return { used: count?.used ?? 0, lastAt: count?.last.at ?? null };
    });
  }

  /** @param useId as in `EnrolmentUse` */
  async find(enrolmentId: string, useId: string): Promise<EnrolmentUse | undefined> {
    const count = await this.#store.get(ENROLMENT_COUNTS_COLLECTION.name, enrolmentId);
    return this.#findIn(count, useId);
  }

  /**
   * Counts a use, unless `useId` was counted before. The token is read when the call has its turn: it may have ended by then.
   * @returns the use (of the earlier device when the use was counted before), or the state that forbids a use
   * @throws ConflictError when other processes win every attempt
   */
  take(
    enrolmentId: string,
    useId: string,
    deviceId: string,
  ): Promise<EnrolmentUse | Exclude<EnrolmentState, 'USABLE'>> {
    return this.#turns.take(enrolmentId, () => this.#take(enrolmentId, useId, deviceId));
  }

  async #take(
    enrolmentId: string,
    id: string,
    deviceId: string,
  ): Promise<EnrolmentUse | Exclude<EnrolmentState, 'USABLE'>> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const count = await this.#store.get(ENROLMENT_COUNTS_COLLECTION.name, enrolmentId);
      const enrolment = await loadEnrolment(this.#store, enrolmentId);
      if (enrolment === undefined || enrolment.endedAt !== null) return 'ENDED';
      const found = await this.#findIn(count, id);
      if (found !== undefined) return found;
      const at = this.#clock.now();
      const state = enrolmentState(enrolment, count?.used ?? 0, at);
      if (state !== 'USABLE') return state;
      const use = { id, deviceId, at, expiresAt: enrolment.expiresAt + REPEAT_MS };
      if (await this.#count(enrolmentId, count, use)) return use;
    }
    throw new ConflictError('an enrolment token is being used by too many at once');
  }

  async #findIn(count: EnrolmentCount | undefined, useId: string): Promise<EnrolmentUse | undefined> {
    if (count === undefined) return undefined;
    return count.last.id === useId
      ? count.last
      : await this.#store.get(ENROLMENT_USES_COLLECTION.name, useId);
  }

  async #count(id: string, count: EnrolmentCount | undefined, last: EnrolmentUse): Promise<boolean> {
    const { name } = ENROLMENT_COUNTS_COLLECTION;
    if (count === undefined)
      return saveIfCurrent(this.#store, name, { id, rev: 1, used: 1, last }, undefined);
    await this.#store.insertMissing(ENROLMENT_USES_COLLECTION.name, [count.last]);
    const next = { id, rev: count.rev + 1, used: count.used + 1, last };
    return saveIfCurrent(this.#store, name, next, count.rev);
  }
}
