import type { Role } from '@sentinel-node/contracts';
import type { CollectionName, DocumentStore, Stored } from '@sentinel-node/platform';

/** The person who reads; a read leaves out what this person's role may not see. */
export interface Viewer {
  readonly userId: string;
  readonly role: Role;
}

/** An entity as a read returns it, with the entity tag of that state. */
export interface Tagged<T> {
  readonly body: T;
  readonly tag: string;
}

export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : iso(ms);

/** Returns the documents by id; unknown ids are left out. */
export async function viewsOf<T extends Stored>(
  store: Pick<DocumentStore, 'getMany'>,
  name: CollectionName<T>,
  ids: Iterable<string>,
): Promise<Map<string, T>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  return new Map((await store.getMany(name, unique)).map((document) => [document.id, document]));
}
