/** Time and address of the last use of each service token. */
import {
  collectionOf,
  KeyedThrottle,
  type Clock,
  type DocumentStore,
  type Log,
} from '@sentinel-node/platform';
import { SERVICE_TOKEN_LIMITS } from './limits.ts';

/** `id` is the token's. */
export type TokenUse = {
  readonly id: string;
  /** Time of the use in milliseconds since the Unix epoch, so that the newest use wins. */
  readonly rev: number;
  readonly address: string;
};

export const SERVICE_TOKEN_USES_COLLECTION = {
  name: collectionOf<TokenUse>('service_token_uses'),
  indexes: [],
} as const;

export class TokenUses {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  readonly #log: Log;
  /** @pool service-token-uses */
  readonly #throttle = new KeyedThrottle(
    SERVICE_TOKEN_LIMITS.useEveryMs,
    SERVICE_TOKEN_LIMITS.tokensRemembered,
  );

  constructor(store: DocumentStore, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Number of tokens remembered. */
  get used(): number {
    return this.#throttle.size;
  }

  /** Returns uses by token, for the tokens that were used. */
  async getMany(ids: readonly string[]): Promise<Map<string, TokenUse>> {
    const found = await this.#store.getMany(SERVICE_TOKEN_USES_COLLECTION.name, ids);
    return new Map(found.map((use) => [use.id, use]));
  }

  /**
   * Stores a use unless another was stored a short time ago. The program's call does not wait for the write.
   */
  record(id: string, address: string): void {
    const now = this.#clock.now();
    if (!this.#throttle.take(id, now)) return;
    this.#store
      .bulkUpsert(SERVICE_TOKEN_USES_COLLECTION.name, [{ id, rev: now, address }])
      .catch((error: unknown) => {
        this.#throttle.release(id);
        this.#log.warn({ err: error }, 'the last use of a service token was not stored');
      });
  }
}
