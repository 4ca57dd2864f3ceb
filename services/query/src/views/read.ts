import type { Role } from '@sentinel-node/contracts';
import type { Document, DocumentStore } from '@sentinel-node/platform';
import type { ViewName } from './collections.ts';

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

/** A view of a collection is what this package wrote there. */
export async function viewOf<T>(store: DocumentStore, name: ViewName, id: string): Promise<T | undefined> {
  return (await store.get(name, id)) as T | undefined;
}

/** By id; missing ones are left out. */
export async function viewsOf<T extends { readonly id: string }>(
  store: DocumentStore,
  name: ViewName,
  ids: Iterable<string>,
): Promise<Map<string, T>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const found = (await store.getMany(name, unique)) as (Document & T)[];
  return new Map(found.map((document) => [document.id, document]));
}
