import type { CollectionSpec, IndexSpec, Query, QueryPlan, Scalar } from '../../ports/document-store.ts';
import type { ErrorReply } from '../sqlite-errors.ts';
import type { FaultsPage } from './index-faults.ts';

export interface StoreThreadOptions {
  readonly file: string;
  readonly cacheBytes: number;
  readonly checkpointBytes: number;
  /** Entries of a batched index that wait until they are entered. */
  readonly waitingEntries: number;
}

/** A stored copy of a top-level field that indexes use. */
export interface ColumnLayout {
  readonly field: string;
  readonly column: string;
  /** UUIDs as 16 bytes: exact and half as wide, but not ordered with other strings, so for equality only. */
  readonly narrow: boolean;
}

export interface CollectionLayout {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly ColumnLayout[];
  readonly indexes: readonly IndexSpec[];
  /** The index whose entries are entered in batches; see `batched-index.ts`. */
  readonly batched?: IndexSpec;
}

/**
 * Documents in the form in which they are sent to the writer, with one list for each field: copying lists of texts
 * and numbers between threads costs a third of copying objects. `values` has a list for each column of the layout,
 * `keys` for each field of the batched index.
 */
export interface DocumentRows {
  readonly ids: readonly string[];
  readonly revs: readonly (number | null)[];
  readonly bodies: readonly string[];
  readonly values: readonly (readonly Scalar[])[];
  readonly keys?: readonly (readonly Scalar[])[];
}

/** Writes of rows; `writeBatches` consists of `insertMissing` and `upsert`. */
export interface RowsWrite {
  readonly op: 'upsert' | 'insertMissing';
  readonly collection: string;
  readonly rows: DocumentRows;
}

export type WriteCall =
  | RowsWrite
  | { readonly op: 'insertUnique'; readonly collection: string; readonly rows: DocumentRows }
  | {
      readonly op: 'update';
      readonly collection: string;
      readonly rows: DocumentRows;
      readonly expectedRev: number;
    }
  | { readonly op: 'inOrder'; readonly writes: readonly RowsWrite[] }
  | { readonly op: 'remove'; readonly collection: string; readonly ids: readonly string[] };

export type ReadCall =
  | { readonly op: 'getMany'; readonly collection: string; readonly ids: readonly string[] }
  | { readonly op: 'find'; readonly collection: string; readonly query: Query }
  | { readonly op: 'count'; readonly collection: string; readonly where: Query['where'] }
  | { readonly op: 'page'; readonly collection: string; readonly after: string | null }
  | { readonly op: 'explain'; readonly collection: string; readonly query: Query };

/** `strings` are the inserted ids or the found bodies; `ids` are those by which the documents of a page stand in the table. */
export type CallResult =
  | { readonly strings: readonly string[]; readonly ids: readonly string[] }
  | { readonly strings: readonly string[] }
  | { readonly count: number }
  | { readonly plan: QueryPlan }
  | { readonly error: ErrorReply };

export type StoreRequest =
  | { readonly op: 'open'; readonly maxBytes: number }
  | { readonly op: 'ensure'; readonly collections: readonly CollectionSpec[] }
  | { readonly op: 'replace'; readonly collection: string; readonly replacement: string }
  | { readonly op: 'forget'; readonly collections: readonly string[] }
  | { readonly op: 'dropOrphans' }
  | { readonly op: 'layouts'; readonly layouts: readonly CollectionLayout[] }
  | { readonly op: 'limit'; readonly maxBytes: number }
  | { readonly op: 'write'; readonly calls: readonly WriteCall[] }
  | { readonly op: 'read'; readonly calls: readonly ReadCall[] }
  /** Compares a page of a collection, from the key on, with its indexes. */
  | { readonly op: 'checkIndexes'; readonly collection: string; readonly after: number }
  | { readonly op: 'checkFile' }
  | { readonly op: 'end' };

export interface StoreReply {
  readonly layouts?: readonly CollectionLayout[];
  readonly results?: readonly CallResult[];
  readonly checked?: FaultsPage;
}
