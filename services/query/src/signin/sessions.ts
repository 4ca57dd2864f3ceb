import {
  collectionOf,
  type Clock,
  type DocumentStore,
  type Query,
  type StreamCommit,
} from '@sentinel-node/platform';

/** A session ends everywhere when its document goes: every call looks for it. id = `jti` of the token. */
export const SESSIONS_COLLECTION = {
  name: collectionOf<Session>('sessions'),

  indexes: [
    { fields: ['walletUserId', 'createdAt'] },
    { fields: ['expiresAt'] },
    { fields: ['keyNumber', 'createdAt'] },
  ],
} as const;

/** Life of a session, in milliseconds. */
export const SESSION_MS = 12 * 3_600_000;
const PAGE = 500;

export interface Session {
  /** `jti` of the token. */
  readonly id: string;
  readonly walletUserId: string;
  /** As the wallet says; what the registry says of a user counts before it. */
  readonly email: string;
  readonly name: string;
  /** `kid` of its token. */
  readonly keyNumber: number;
  /** Milliseconds since the Unix epoch, like `expiresAt`. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export class Sessions {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  #onEnded: () => void = () => undefined;
  constructor(store: DocumentStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async begin(session: Session): Promise<void> {
    await this.#store.insertUnique(SESSIONS_COLLECTION.name, { ...session });
  }

  /** undefined: never begun, ended, or expired. */
  async get(jti: string): Promise<Session | undefined> {
    return (await this.getMany([jti])).get(jti);
  }

  /** By id, those that `get` would give. */
  async getMany(jtis: readonly string[]): Promise<Map<string, Session>> {
    const found = await this.#store.getMany(SESSIONS_COLLECTION.name, [...new Set(jtis)]);
    const now = this.#clock.now();
    const present = found.filter(({ expiresAt }) => expiresAt > now);
    return new Map(present.map((session) => [session.id, session]));
  }

  /** `listener` hears that sessions were ended in this process; others find out when they look. */
  onEnded(listener: () => void): void {
    this.#onEnded = listener;
  }

  async end(jti: string): Promise<void> {
    await this.#store.remove(SESSIONS_COLLECTION.name, [jti]);
    this.#onEnded();
  }

  /** Ends every session of a person that began at `until` (ms) or before. */
  endAllOf(walletUserId: string, until: number): Promise<void> {
    return this.#endAll({ walletUserId, createdAt: { lte: until } });
  }

  /** Ends every session whose token is of a key with a lower number, in all processes. */
  endAllBefore(keyNumber: number): Promise<void> {
    return this.#endAll({ keyNumber: { lt: keyNumber } });
  }

  async #endAll(where: NonNullable<Query['where']>): Promise<void> {
    for (;;) {
      const found = await this.#store.find(SESSIONS_COLLECTION.name, { where, limit: PAGE });
      if (found.length > 0) await this.#store.remove(SESSIONS_COLLECTION.name, idsOf(found));
      if (found.length < PAGE) return this.#onEnded();
    }
  }
}

const idsOf = (documents: readonly { readonly id: string }[]): string[] => documents.map(({ id }) => id);

/**
 * Ends the sessions of the people that a commit removed. Sessions that began after the commit belong to somebody who
 * signed in anew.
 */
export async function endSessionsOf(sessions: Sessions, { entity, at }: StreamCommit): Promise<void> {
  if (entity.kind !== 'ORGANIZATION') return;
  for (const { walletUserId } of entity.removedUsers) {
    if (walletUserId !== null) await sessions.endAllOf(walletUserId, at);
  }
}
