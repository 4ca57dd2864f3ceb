/**
 * Turns the wallet's statement into a session: stores the statement once, and GET /login claims it once
 * (decision 3 of the specification).
 */
import { toHex, type WalletCredentials } from '@sentinel-node/contracts';
import {
  collectionOf,
  saveIfCurrent,
  type Clock,
  type DocumentStore,
  type Random,
} from '@sentinel-node/platform';
import { hashOf } from '../storage/secret-tokens.ts';
import { type Session, SESSION_MS, type Sessions } from './sessions.ts';
import { CREDENTIALS_MS } from './wallet-credentials.ts';

/** Sign-ins; the id is SHA-256 (hex) of the wallet's token. The token itself is not stored. */
export const SIGN_INS_COLLECTION = {
  name: collectionOf<SignIn>('sign_ins'),
  indexes: [{ fields: ['expiresAt'] }],
} as const;

/** How long a claimed token returns the same session again, in milliseconds. */
export const REPEAT_MS = 30_000;
/** How long a token is remembered, in milliseconds: longer than its credentials could be accepted again. */
const REMEMBERED_MS = 3 * CREDENTIALS_MS;
const JTI_BYTES = 16;

interface SignIn {
  readonly id: string;
  readonly rev: number;
  readonly walletUserId: string;
  readonly email: string;
  readonly name: string;
  readonly receivedAt: number;
  readonly expiresAt: number;
  readonly claimedAt: number | null;
  readonly jti: string | null;
}

export class SignIns {
  readonly #store: DocumentStore;
  readonly #sessions: Sessions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #keyNumber: number;

  /** @param keyNumber number of the key that signs the sessions' tokens */
  constructor(store: DocumentStore, sessions: Sessions, clock: Clock, random: Random, keyNumber: number) {
    this.#keyNumber = keyNumber;
    this.#store = store;
    this.#sessions = sessions;
    this.#clock = clock;
    this.#random = random;
  }

  /** Returns false when any process saw the token before. */
  async claimToken({ accessToken, userId, email, name }: WalletCredentials): Promise<boolean> {
    const now = this.#clock.now();
    const signIn: SignIn = {
      id: hashOf(accessToken),
      rev: 1,
      walletUserId: userId,
      email,
      name,
      receivedAt: now,
      expiresAt: now + REMEMBERED_MS,
      claimedAt: null,
      jti: null,
    };
    return saveIfCurrent(this.#store, SIGN_INS_COLLECTION.name, signIn, undefined);
  }

  /**
   * Returns the session of a token: a new one, or the same again within 30 s. undefined for an unknown, expired or
   * claimed token.
   */
  async claim(accessToken: string): Promise<Session | undefined> {
    const found = await this.#load(hashOf(accessToken));
    if (found === undefined) return undefined;
    if (found.jti !== null) return this.#claimedBefore(found);
    if (found.receivedAt + CREDENTIALS_MS < this.#clock.now()) return undefined;
    const session = this.#newSession(found);
    // The session comes first: a crash in between leaves a session that nobody can name, not a claim without a session.
    await this.#sessions.begin(session);
    const claimed = { ...found, rev: found.rev + 1, claimedAt: session.createdAt, jti: session.id };
    if (await saveIfCurrent(this.#store, SIGN_INS_COLLECTION.name, claimed, found.rev)) return session;
    await this.#sessions.end(session.id);
    const other = await this.#load(found.id);
    return other === undefined ? undefined : this.#claimedBefore(other);
  }

  async #claimedBefore({ jti, claimedAt }: SignIn): Promise<Session | undefined> {
    if (jti === null || claimedAt === null || claimedAt + REPEAT_MS < this.#clock.now()) return undefined;
    return this.#sessions.get(jti);
  }

  async #load(id: string): Promise<SignIn | undefined> {
    return await this.#store.get(SIGN_INS_COLLECTION.name, id);
  }

  #newSession({ walletUserId, email, name }: SignIn): Session {
    const createdAt = this.#clock.now();
    const id = toHex(this.#random.bytes(JTI_BYTES));
    const keyNumber = this.#keyNumber;
    return { id, walletUserId, email, name, keyNumber, createdAt, expiresAt: createdAt + SESSION_MS };
  }
}
