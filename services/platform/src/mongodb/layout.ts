import type { CollectionSpec, IndexSpec } from '../ports/document-store.ts';
import { ID, pathOf } from './names.ts';

export type IndexKey = Readonly<Record<string, 1>>;

export interface IndexLayout {
  readonly name: string;
  readonly key: IndexKey;
  readonly unique: boolean;
  /** Paths that a document must have to be in the index; empty: every document is. */
  readonly needs: readonly string[];
}

/** What the adapter knows of a declared collection. */
export interface CollectionLayout {
  readonly name: string;
  readonly spec: CollectionSpec;
  readonly indexes: readonly IndexLayout[];
  /** Fields of any index: they hold scalars only. */
  readonly indexed: ReadonlySet<string>;
  /** Fields of sparse indexes: their null is kept apart, so that such an index does not hold it. */
  readonly sparseFields: ReadonlySet<string>;
}

/** @throws TypeError when a declaration cannot mean the same in every adapter */
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
 * An index ends with the id, so that it gives the port's order with ties and all, except where the id would make every
 * entry unique.
 */
function indexLayout(collection: string, { fields, unique = false, sparse = false }: IndexSpec): IndexLayout {
  // Without `sparse`, MongoDB takes two documents that lack the field for equals, SQLite does not.
  if (unique && !sparse) throw new TypeError(`${collection}: a unique index is declared as sparse too`);
  const paths = fields.map(pathOf);
  const key = Object.fromEntries(paths.map((path) => [path, 1] as const));
  if (!unique) key[ID] = 1;
  const name = [...paths, ...(unique ? ['unique'] : []), ...(sparse ? ['sparse'] : [])].join('.');
  return { name, key, unique, needs: sparse ? paths : [] };
}

/** MongoDB's `sparse` holds a document that has any of the fields; the port's those that have all. */
export function partialFilter({ needs }: IndexLayout): Record<string, { $exists: true }> | undefined {
  if (needs.length === 0) return undefined;
  return Object.fromEntries(needs.map((path) => [path, { $exists: true }] as const));
}
