import type { Role } from '@sentinel-node/contracts';
import type { CollectionName, DocumentStore, Stored } from '@sentinel-node/platform';

/** For whom a read is: what a REGULAR user may not see is left out. */
export interface Viewer {
  readonly userId: string;
  readonly role: Role;
}

/** An entity as a read gives it, and the entity tag of that state. */
export interface Tagged<T> {
  readonly body: T;
  readonly tag: string;
}

export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : iso(ms);

/** By id; missing ones are left out. */
export async function viewsOf<T extends Stored>(
  store: DocumentStore,
  name: CollectionName<T>,
  ids: Iterable<string>,
): Promise<Map<string, T>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  return new Map((await store.getMany(name, unique)).map((document) => [document.id, document]));
}
