/** Log of delivery attempts, with the receiver's answers. */
import { UUID_RANDOM_BYTES, uuidV7 } from '@sentinel-node/contracts';
import { collectionOf, type DocumentStore, type Random } from '@sentinel-node/platform';
import { WEBHOOK_LIMITS } from './limits.ts';

export interface Attempt {
  /** UUIDv7, so that later attempts sort later. */
  readonly id: string;
  readonly webhookId: string;
  readonly noticeId: string;
  readonly noticeType: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly delivered: boolean;
  readonly status: number | null;
  readonly ms: number;
  /** First 1,024 bytes of the answer's body, as text. */
  readonly answer: string;
  readonly problem: string | null;
  readonly expiresAt: number;
}

export const WEBHOOK_ATTEMPTS_COLLECTION = {
  name: collectionOf<Attempt>('webhook_attempts'),
  indexes: [{ fields: ['webhookId', 'id'] }, { fields: ['expiresAt'] }],
} as const;
const COUNTED_MAX = 0xfff;
const { name: ATTEMPTS } = WEBHOOK_ATTEMPTS_COLLECTION;

/** Time of the newest id of the process, and the number of ids with the same time before it. */
interface LastId {
  at: number;
  before: number;
}

export class AttemptLog {
  readonly #store: DocumentStore;
  readonly #random: Random;
  readonly #last: LastId;

  constructor(store: DocumentStore, random: Random, last: LastId = { at: 0, before: 0 }) {
    this.#store = store;
    this.#random = random;
    this.#last = last;
  }

  /** Returns the same log through another handle of the store. */
  through(store: DocumentStore): AttemptLog {
    return new AttemptLog(store, this.#random, this.#last);
  }

  async add(attempt: Omit<Attempt, 'id' | 'expiresAt'>): Promise<void> {
    const expiresAt = attempt.at + WEBHOOK_LIMITS.attemptMs;
    await this.#store.insertMissing(ATTEMPTS, [{ ...attempt, id: this.#nextId(attempt.at), expiresAt }]);
  }

  /**
   * Returns an id; ids of one millisecond are ordered by a counter in the 12 bits after the version (RFC 9562
   * 6.2).
   */
  #nextId(at: number): string {
    const last = this.#last;
    const before = at === last.at ? Math.min(last.before + 1, COUNTED_MAX) : 0;
    Object.assign(last, { at, before });
    const bytes = Uint8Array.from(this.#random.bytes(UUID_RANDOM_BYTES));
    bytes[0] = before >> 8;
    bytes[1] = before & 0xff;
    return uuidV7(at, bytes);
  }

  /** Returns the newest attempts, newest first. */
  newest(webhookId: string, limit: number = WEBHOOK_LIMITS.attempts): Promise<Attempt[]> {
    return this.#find(webhookId, 'desc', limit);
  }

  /** Removes the oldest attempts above the limit. */
  async trim(webhookId: string): Promise<void> {
    const excess = (await this.#store.count(ATTEMPTS, { webhookId })) - WEBHOOK_LIMITS.attempts;
    if (excess > 0) await this.#remove(await this.#find(webhookId, 'asc', excess));
  }

  /** Removes a page of the webhook's attempts. @returns whether there may be more */
  async forgetPage(webhookId: string): Promise<boolean> {
    const found = await this.#find(webhookId, 'asc', WEBHOOK_LIMITS.page);
    await this.#remove(found);
    return found.length === WEBHOOK_LIMITS.page;
  }

  #find(webhookId: string, direction: 'asc' | 'desc', limit: number): Promise<Attempt[]> {
    return this.#store.find(ATTEMPTS, { where: { webhookId }, sort: { field: 'id', direction }, limit });
  }

  #remove(attempts: readonly Attempt[]): Promise<void> {
    return this.#store.remove(
      ATTEMPTS,
      attempts.map(({ id }) => id),
    );
  }
}
