/** Caches the users of organisations, checked against the streams on every call without reading whole organisations. */
import { organizationStream, type OrganizationEntity, type UserEntity } from '@sentinel-node/contracts';
import {
  commitId,
  CountedCache,
  loadStream,
  LRUCache,
  STREAMS_COLLECTION,
  type DocumentStore,
} from '@sentinel-node/platform';
import type { Owner } from '../storage/reservations.ts';

/** The most cached users; above that the least recently used organisation is dropped. */
export const USERS_REMEMBERED = 50_000;

interface CachedMembers {
  readonly version: number;
  readonly users: ReadonlyMap<string, UserEntity>;
}

/** @pool members */
export class Members {
  readonly #store: DocumentStore;
  readonly #cached = new LRUCache<string, CachedMembers>({
    maxSize: USERS_REMEMBERED,
    sizeCalculation: ({ users }) => Math.max(1, users.size),
  });

  /** Where each wallet identity was an active user at its last call. Says where to look, not who is a member. */
  readonly #lastOwners = new CountedCache<string, Owner>(USERS_REMEMBERED);

  constructor(store: DocumentStore) {
    this.#store = store;
  }

  lastOwner(walletUserId: string): Owner | undefined {
    return this.#lastOwners.get(walletUserId);
  }

  rememberOwner(walletUserId: string, owner: Owner): void {
    this.#lastOwners.set(walletUserId, owner);
  }

  /** Returns the current users by id, or undefined for an unknown organisation. */
  async get(orgId: string): Promise<ReadonlyMap<string, UserEntity> | undefined> {
    const cached = this.#cached.get(orgId);
    if (cached !== undefined && (await this.#isCurrent(orgId, cached))) return cached.users;
    const stored = await loadStream<OrganizationEntity>(this.#store, organizationStream(orgId));
    if (stored === undefined) return undefined;
    const users = new Map(stored.entity.users.map((user) => [user.id, user]));
    this.#keep(orgId, { version: stored.version, users });
    return users;
  }

  async #isCurrent(orgId: string, { version }: CachedMembers): Promise<boolean> {
    // Versions have no gap. A read by id costs the store least, and many at once share one command.
    const next = commitId(organizationStream(orgId), version + 1);
    return (await this.#store.get(STREAMS_COLLECTION.name, next)) === undefined;
  }

  #keep(orgId: string, read: CachedMembers): void {
    const before = this.#cached.peek(orgId);
    // A slower call may have read an older version.
    if (before === undefined || before.version <= read.version) this.#cached.set(orgId, read);
  }
}
