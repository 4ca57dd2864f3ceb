import type { CollectionSpec, IndexSpec } from '../ports/document-store.ts';
import { ID, pathOf } from './names.ts';

export type IndexKey = Readonly<Record<string, 1>>;

export interface IndexLayout {
  readonly name: string;
  readonly key: IndexKey;
  readonly unique: boolean;
  /** Paths that a document in the index must have; empty when all documents are in the index. */
  readonly needs: readonly string[];
}

/** The adapter's description of a declared collection. */
export interface CollectionLayout {
  readonly name: string;
  readonly spec: CollectionSpec;
  readonly indexes: readonly IndexLayout[];
  /** Fields of any index; they hold only scalars. */
  readonly indexed: ReadonlySet<string>;
  /** Fields of sparse indexes; their null is stored separately, so that such an index does not contain it. */
  readonly sparseFields: ReadonlySet<string>;
}

/** @throws TypeError when a declaration would differ in meaning between adapters */
export function layoutOf(spec: CollectionSpec): CollectionLayout {
  const indexes = spec.indexes.map((index) => indexLayout(spec.name, index));
  const keys = indexes.map(({ key }) => JSON.stringify(Object.entries(key)));
  if (new Set(keys).size < keys.length)
    throw new TypeError(`${spec.name}: two indexes are declared over the same fields`);
  const fieldsOf = (wanted: readonly IndexSpec[]) => new Set(wanted.flatMap(({ fields }) => fields));
  return {
    name: spec.name,
    spec,
    indexes,
    indexed: fieldsOf(spec.indexes),
    sparseFields: fieldsOf(spec.indexes.filter(({ sparse }) => sparse)),
  };
}

/**
 * Describes an index. Its last field is the id, so that the index gives the port's order with ties, unless the id
 * would make every entry of a unique index unique.
 */
function indexLayout(collection: string, { fields, unique = false, sparse = false }: IndexSpec): IndexLayout {
  // Without `sparse`, two documents that lack the field are equal in MongoDB, but not in SQLite.
  if (unique && !sparse) throw new TypeError(`${collection}: a unique index is declared as sparse too`);
  const paths = fields.map(pathOf);
  const key = Object.fromEntries(paths.map((path) => [path, 1] as const));
  if (!unique) key[ID] = 1;
  const name = unique ? uniqueIndexName(paths) : [...paths, ...(sparse ? ['sparse'] : [])].join('.');
  return { name, key, unique, needs: sparse ? paths : [] };
}

/** Returns the name of a unique index; each of them is sparse. */
export const uniqueIndexName = (paths: readonly string[]): string => [...paths, 'unique', 'sparse'].join('.');

/**
 * Returns a filter for a sparse index: MongoDB's `sparse` includes documents with any of the fields, the port's only
 * those with all.
 */
export function partialFilter({ needs }: IndexLayout): Record<string, { $exists: true }> | undefined {
  if (needs.length === 0) return undefined;
  return Object.fromEntries(needs.map((path) => [path, { $exists: true }] as const));
}
