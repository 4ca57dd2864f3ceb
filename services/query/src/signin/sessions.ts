import {
  collectionOf,
  type Clock,
  type DocumentStore,
  type Query,
  type StreamCommit,
} from '@sentinel-node/platform';

/**
 * Sessions; the id is the token's `jti`. Every call looks its session up, so removing the document ends the session
 * everywhere.
 */
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
  /** E-mail from the wallet; the registry's e-mail of a user takes precedence. */
  readonly email: string;
  readonly name: string;
  /** `kid` of the token. */
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

  /** Returns undefined for an unknown, ended or expired session. */
  async get(jti: string): Promise<Session | undefined> {
    return (await this.getMany([jti])).get(jti);
  }

  /** Returns the sessions that `get` would return, by id. */
  async getMany(jtis: readonly string[]): Promise<Map<string, Session>> {
    const found = await this.#store.getMany(SESSIONS_COLLECTION.name, [...new Set(jtis)]);
    const now = this.#clock.now();
    const present = found.filter(({ expiresAt }) => expiresAt > now);
    return new Map(present.map((session) => [session.id, session]));
  }

  /** Calls `listener` when this process ends sessions; other processes notice at their next check. */
  onEnded(listener: () => void): void {
    this.#onEnded = listener;
  }

  async end(jti: string): Promise<void> {
    await this.#store.remove(SESSIONS_COLLECTION.name, [jti]);
    this.#onEnded();
  }

  /** Ends every session of a person, for all processes. */
  endAllOf(walletUserId: string): Promise<void> {
    return this.#endAll({ walletUserId });
  }

  /** Ends, for all processes, every session whose token was signed with a lower key number. */
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
 * Ends the sessions of the people that a commit removed, whatever their times: the process that began a session and the one that made
 * the commit have clocks of their own. Somebody who signed in again before this runs signs in once more.
 */
export async function endSessionsOf(sessions: Sessions, { entity }: StreamCommit): Promise<void> {
  if (entity.kind !== 'ORGANIZATION') return;
  for (const { walletUserId } of entity.removedUsers) {
    if (walletUserId !== null) await sessions.endAllOf(walletUserId);
  }
}
