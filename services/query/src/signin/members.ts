/** Users of organisations as the streams have them now, without reading a whole organisation for every call. */
import { organizationStream, type OrganizationEntity, type UserEntity } from '@sentinel-node/contracts';
import { loadStream, STREAMS_COLLECTION, type DocumentStore } from '@sentinel-node/platform';

/** Users that are remembered; the organisations not asked for longest are forgotten first. */
export const USERS_REMEMBERED = 50_000;

interface CachedMembers {
  readonly version: number;
  readonly users: ReadonlyMap<string, UserEntity>;
}

/** @pool members */
export class Members {
  readonly #store: DocumentStore;
  /** Least recently asked for first. */
  readonly #cached = new Map<string, CachedMembers>();
  #users = 0;

  constructor(store: DocumentStore) {
    this.#store = store;
  }

  /** By user id; undefined: no such organisation. Current: an index says whether a later version was committed. */
  async of(orgId: string): Promise<ReadonlyMap<string, UserEntity> | undefined> {
    const cached = this.#cached.get(orgId);
    if (cached !== undefined && (await this.#isCurrent(orgId, cached))) {
      this.#keep(orgId, cached);
      return cached.users;
    }
    const stored = await loadStream<OrganizationEntity>(this.#store, organizationStream(orgId));
    if (stored === undefined) return undefined;
    const users = new Map(stored.entity.users.map((user) => [user.id, user]));
    this.#keep(orgId, { version: stored.version, users });
    return users;
  }

  async #isCurrent(orgId: string, { version }: CachedMembers): Promise<boolean> {
    const later = { stream: organizationStream(orgId), version: { gt: version } };
    return (await this.#store.count(STREAMS_COLLECTION.name, later)) === 0;
  }

  #keep(orgId: string, cached: CachedMembers): void {
    const before = this.#cached.get(orgId);
    // A slower call may come with an older version.
    const kept = before !== undefined && before.version > cached.version ? before : cached;
    this.#forget(orgId);
    this.#cached.set(orgId, kept);
    this.#users += kept.users.size;
    for (const oldest of this.#cached.keys()) {
      if (this.#users <= USERS_REMEMBERED || oldest === orgId) break;
      this.#forget(oldest);
    }
  }

  #forget(orgId: string): void {
    this.#users -= this.#cached.get(orgId)?.users.size ?? 0;
    this.#cached.delete(orgId);
  }
}
