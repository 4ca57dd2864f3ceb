/**
 * Documents in named collections: views, streams, claims. Adapters: embedded (SQLite), MongoDB.
 * Every adapter passes `documentStoreContract` unchanged. All writes are durable when they resolve.
 */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/** Fields whose value is undefined are not stored. Numbers are safe integers or finite doubles. */
export interface Document {
  readonly id: string;
  /** Guard of `bulkUpsert`; the document's only writer increases it with every change. */
  readonly rev?: number;
  readonly [field: string]: Json | undefined;
}

export interface IndexSpec {
  /** Top-level fields, equality fields first, the sort field last. Ascending; reads may go in either direction. */
  readonly fields: readonly string[];
  readonly unique?: boolean;
  /** Only documents that have all of these fields are in the index. */
  readonly sparse?: boolean;
  /**
   * An adapter may enter documents into the index many at a time; reads still see every document. Such an index has two
   * fields and is neither unique nor sparse. Its collection has no other batched index, and takes documents by
   * `insertMissing` only, each with both fields; the embedded adapter refuses others.
   */
  readonly batched?: boolean;
}

export interface CollectionSpec<T extends Stored = Stored> {
  readonly name: CollectionName<T>;
  readonly indexes: readonly IndexSpec[];
  /** Documents arrive in the order of their ids (by time), so that an adapter can store them in arrival order. */
  readonly immutable?: boolean;
}

declare const SHAPE: unique symbol;

/** The name of a collection, with the type of its documents. A plain string names a collection of any documents. */
export type CollectionName<T> = string & { readonly [SHAPE]?: T };

/** Maps a type to itself if all its members can be stored; a member that cannot be stored becomes `never`. */
export type Storable<T> = T extends Json | undefined
  ? T
  : T extends (...given: never[]) => unknown
    ? never
    : T extends object
      ? { readonly [K in keyof T]: Storable<T[K]> }
      : never;

/** Members of every document. */
export interface Stored {
  readonly id: string;
  readonly rev?: number;
}

/**
 * Names a collection once for all its readers and writers. Reads return this shape because only documents of this
 * shape are written under this name.
 */
export const collectionOf = <T extends Stored>(
  name: [T] extends [Storable<T>] ? string : never,
): CollectionName<T> => name;

export type Scalar = string | number | boolean | null;
export type Condition =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | { readonly gt?: Scalar; readonly gte?: Scalar; readonly lt?: Scalar; readonly lte?: Scalar }
  | { readonly prefix: string }
  /** Case-insensitive; only together with an equality condition on an indexed field, never a full scan. */
  | { readonly contains: string };

export interface Query {
  /** All conditions must hold. Top-level fields only. */
  readonly where?: Readonly<Record<string, Condition>>;
  /** Default: by id. Ties are ordered by id in the same direction. */
  readonly sort?: { readonly field: string; readonly direction: 'asc' | 'desc' };
  /** At most `LIMITS.findDocuments` (10,000). */
  readonly limit: number;
}

export interface QueryPlan {
  /** True when the adapter would read every document of the collection. */
  readonly fullScan: boolean;
  /** The adapter's own description, for a person. */
  readonly detail: string;
}

/** One write of `writeBatches`, as in `bulkUpsert` or `insertMissing`. */
export type CollectionWrite =
  | {
      readonly collection: string;
      readonly mode: 'upsert';
      readonly documents: readonly (Document & { readonly rev: number })[];
    }
  | {
      readonly collection: string;
      readonly mode: 'insertMissing';
      readonly documents: readonly Document[];
    };

/** Returns an upsert of documents whose type is an interface, which has no index signature. */
export function upsertOf<T extends Stored & { readonly rev: number }>(
  collection: CollectionName<T>,
  documents: readonly T[],
): CollectionWrite {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `collectionOf` lets nothing but JSON be a shape
  return { collection, mode: 'upsert', documents: documents as readonly (T & Document)[] };
}

export interface DocumentStore {
  /** Creates missing collections and indexes. Idempotent. */
  ensure(collections: readonly CollectionSpec[]): Promise<void>;

  get<T extends Stored = Document>(collection: CollectionName<T>, id: string): Promise<T | undefined>;
  /** Returns documents in the order of `ids`, without the missing ones. */
  getMany<T extends Stored = Document>(collection: CollectionName<T>, ids: readonly string[]): Promise<T[]>;
  find<T extends Stored = Document>(collection: CollectionName<T>, query: Query): Promise<T[]>;
  count(collection: string, where?: Query['where']): Promise<number>;

  /**
   * Replaces each document whose stored `rev` is lower, inserts missing ones, ignores the rest. Atomic per call in the
   * embedded adapter, per document in MongoDB.
   */
  bulkUpsert<T extends Stored = Document>(
    collection: CollectionName<T>,
    documents: readonly (NoInfer<T> & { readonly rev: number })[],
  ): Promise<void>;
  /** Inserts missing documents; existing ids are left unchanged. Returns the ids inserted by this call. */
  insertMissing<T extends Stored = Document>(
    collection: CollectionName<T>,
    documents: readonly NoInfer<T>[],
  ): Promise<string[]>;
  /**
   * Writes batch after batch: a reader that sees a batch's writes sees those of all earlier batches. One transaction
   * in the embedded adapter; in MongoDB a batch begins when the previous one is durable. Large writes (8 MiB) are divided:
   * a part begins when the previous one is durable.
   */
  writeBatches(batches: readonly (readonly CollectionWrite[])[]): Promise<void>;
  /**
   * @throws ConflictError when the id, or a unique index, is taken; exactly one of two racing calls wins
   * @throws DocumentTooLargeError
   */
  insertUnique<T extends Stored = Document>(
    collection: CollectionName<T>,
    document: NoInfer<T>,
  ): Promise<void>;
  /**
   * Replaces the document if its stored `rev` is `expectedRev`. @throws ConflictError otherwise, or when it is gone
   */
  update<T extends Stored = Document>(
    collection: CollectionName<T>,
    document: NoInfer<T>,
    expectedRev: number,
  ): Promise<void>;
  remove(collection: string, ids: readonly string[]): Promise<void>;

  /** Returns the names of all existing collections, also those of other programs, in no order. */
  collections(): Promise<string[]>;
  /**
   * Creates an empty collection with the indexes (and sharding) of `spec.name`, to be filled and then put in its place.
   * Returns its name, which begins with the collection's name and was never used before.
   */
  makeReplacement(spec: CollectionSpec): Promise<string>;
  /**
   * Puts a replacement in the place of the collection, whose documents are then gone. Atomic: every other call, of any
   * process, sees either the whole old or the whole new collection.
   * @throws ConflictError when the replacement does not exist
   */
  replace(collection: string, replacement: string): Promise<void>;
  /** Removes collections with their documents and indexes; missing ones are ignored. */
  drop(collections: readonly string[]): Promise<void>;

  /** Returns every document, by id, in pages; for audits and rebuilds. */
  scan<T extends Stored = Document>(collection: CollectionName<T>): AsyncIterable<readonly T[]>;
  explain(collection: string, query: Query): Promise<QueryPlan>;

  close(): Promise<void>;
}
