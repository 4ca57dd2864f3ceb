import type { Db } from 'mongodb';
import type {
  CollectionName,
  CollectionSpec,
  CollectionWrite,
  Document,
  Stored,
} from '../ports/document-store.ts';
import type { Query, QueryPlan } from '../ports/document-store.ts';
import { checkDocument, checkIndexed } from '../ports/document-checks.ts';
import { ConflictError } from '../ports/errors.ts';
import { assertTextIds, NotShardedError } from './mongo-errors.ts';
import { partsOf } from '../ports/parts-of-writes.ts';
import { replacementName } from '../ports/replacement-name.ts';
import { checkQuery, checkWhere } from '../ports/query-checks.ts';
import type { Operation } from './calls.ts';
import { CoalescedGets } from './coalesced-gets.ts';
import { compileSort, compileWhere } from './compile.ts';
import { decodeDocument, encodeDocument } from './encode.ts';
import type { Encoded } from './encode.ts';
import { planOf } from './explain.ts';
import type { MongoDocumentStore, MongoParts } from './mongo-parts.ts';
import { confirmPlain } from './confirm-plain.ts';
import { ensureCollection } from './ensure-collection.ts';
import type { CollectionLayout } from './layout.ts';
import { layoutOf } from './layout.ts';
import { COMMAND_IDS, SCAN_PAGE_DOCUMENTS } from './limits.ts';
import { collectionNames, dropCollection, replaceCollection } from './replace.ts';
import { shardCollection, shardLike } from './shards.ts';
import { insertMissing, remove, upsert } from './writes.ts';
import type { StoredCollection } from './writes.ts';

interface EncodedDocuments {
  readonly collection: string;
  readonly encoded: readonly Encoded[];
  readonly bytes: number;
}

/**
 * Documents of declared collections in MongoDB: every write by a majority and journalled, every read from the primary.
 * @boundedBy the collections
 */
export class OfficialDriverStore implements MongoDocumentStore {
  readonly #parts: MongoParts;
  readonly #layouts = new Map<string, CollectionLayout>();
  readonly #gets = new CoalescedGets();
  #closing: Promise<void> | undefined;

  constructor(parts: MongoParts) {
    this.#parts = parts;
  }

  reachable(): boolean {
    return this.#parts.reachable();
  }

  takesWrites(): boolean {
    return !this.#parts.writes.isLong;
  }

  pendingCalls(): number {
    return this.#parts.calls.pending;
  }

  /** @throws IndexChangedError when an index was declared differently before, CollectionForeignError, ShardKeyError */
  async ensure(collections: readonly CollectionSpec[]): Promise<void> {
    const names = collections.map(({ name }) => name);
    await this.#call('ensure', names[0] ?? '', 0, () => confirmPlain(this.#parts.db, names));
    const patient = this.#parts.openPatient();
    try {
      for (const layout of collections.map(layoutOf)) {
        await this.#call('ensure', layout.name, 0, () => ensureCollection(this.#parts, patient.db, layout));
        this.#layouts.set(layout.name, layout);
      }
    } finally {
      await patient.close();
    }
  }

  async shard(collections: readonly CollectionSpec[]): Promise<string[]> {
    const { db, topology } = this.#parts;
    if (topology !== 'sharded') throw new NotShardedError();
    const done: string[] = [];
    for (const spec of collections)
      if (await this.#call('ensure', spec.name, 0, () => shardCollection(db, spec))) done.push(spec.name);
    return done;
  }

  collections(): Promise<string[]> {
    return this.#call('collections', 'collections', 0, () => collectionNames(this.#parts.db));
  }

  async makeReplacement(spec: CollectionSpec): Promise<string> {
    const name = replacementName(spec.name);
    const { db, topology } = this.#parts;
    // Shards before building indexes, because a shard key could conflict with an existing index.
    if (topology === 'sharded') await this.#call('ensure', name, 0, () => shardLike(db, spec.name, name));
    await this.ensure([{ ...spec, name }]);
    return name;
  }

  async replace(collection: string, replacement: string): Promise<void> {
    const { db } = this.#parts;
    await this.#call('replace', collection, 0, () => replaceCollection(db, collection, replacement));
  }

  async drop(collections: readonly string[]): Promise<void> {
    for (const name of collections)
      await this.#call('drop', name, 0, () => dropCollection(this.#parts.db, name));
  }

  async get<T extends Stored = Document>(collection: CollectionName<T>, id: string): Promise<T | undefined> {
    this.#layoutOf(collection);
    const stored = await this.#call('get', collection, 0, (documents) => this.#gets.get(documents, id));
    return stored === undefined ? undefined : decodeDocument<T>(stored);
  }

  async getMany<T extends Stored = Document>(
    collection: CollectionName<T>,
    ids: readonly string[],
  ): Promise<T[]> {
    if (ids.length === 1) return [await this.get(collection, ids[0]!)].filter((one) => one !== undefined);
    this.#layoutOf(collection);
    const found = new Map<string, T>();
    for (let from = 0; from < ids.length; from += COMMAND_IDS) {
      const part = ids.slice(from, from + COMMAND_IDS);
      const stored = await this.#call('get', collection, 0, (documents) =>
        documents.find({ _id: { $in: part } }, oneAnswer(part.length)).toArray(),
      );
      for (const document of stored) found.set(document._id, decodeDocument(document));
    }
    return ids.map((id) => found.get(id)).filter((document) => document !== undefined);
  }

  async find<T extends Stored = Document>(collection: CollectionName<T>, query: Query): Promise<T[]> {
    const layout = this.#layoutOf(collection);
    checkQuery(layout.spec.indexes, query);
    const stored = await this.#call('find', collection, 0, (documents) =>
      this.#cursor(documents, layout, query).toArray(),
    );
    const found = stored.map((document) => decodeDocument<T>(document));
    assertTextIds(collection, found);
    return found;
  }

  #cursor(documents: StoredCollection, layout: CollectionLayout, query: Query) {
    return documents.find(compileWhere(query.where, layout.indexed), {
      sort: compileSort(query.sort),
      limit: query.limit,
      maxTimeMS: this.#parts.readMs,
      ...oneAnswer(query.limit),
    });
  }

  async count(collection: string, where?: Query['where']): Promise<number> {
    const layout = this.#layoutOf(collection);
    checkWhere(layout.spec.indexes, where);
    return this.#call('count', collection, 0, (documents) =>
      documents.countDocuments(compileWhere(where, layout.indexed), { maxTimeMS: this.#parts.readMs }),
    );
  }

  async bulkUpsert(
    collection: string,
    documents: readonly (Stored & { readonly rev: number })[],
  ): Promise<void> {
    await this.#upsert(this.#parts.db, this.#encode(collection, documents));
  }

  async insertMissing(collection: string, documents: readonly Stored[]): Promise<string[]> {
    return this.#insertMissing(this.#parts.db, this.#encode(collection, documents));
  }

  async writeBatches(batches: readonly (readonly CollectionWrite[])[]): Promise<void> {
    for (const batch of batches) await this.#writeBatch(batch);
  }

  /** Writes to all collections at the same time, or large writes part after part. */
  async #writeBatch(writes: readonly CollectionWrite[]): Promise<void> {
    const { batches, pendingBytes } = this.#parts;
    const encoded = writes.map(({ collection, mode, documents }) => ({
      mode,
      ...this.#encode(collection, documents),
    }));
    const bytes = encoded.reduce((sum, one) => sum + one.bytes, 0);
    const parts = partsOf(writes, bytes, pendingBytes);
    if (parts.length > 1) for (const part of parts) await this.#writeBatch(part);
    else
      await Promise.all(
        encoded.map(async (one) => {
          if (one.mode === 'upsert') await this.#upsert(batches.db, one);
          else await this.#insertMissing(batches.db, one);
        }),
      );
  }

  async #upsert(db: Db, { collection, encoded, bytes }: EncodedDocuments): Promise<void> {
    if (encoded.length > 0)
      await this.#call('upsert', collection, bytes, (into) => upsert(into, encoded), db);
  }

  async #insertMissing(db: Db, { collection, encoded, bytes }: EncodedDocuments): Promise<string[]> {
    if (encoded.length === 0) return [];
    return this.#call('insertMissing', collection, bytes, (into) => insertMissing(into, encoded), db);
  }

  async insertUnique(collection: string, document: Stored): Promise<void> {
    const { encoded, bytes } = this.#encode(collection, [document]);
    await this.#call('insertUnique', collection, bytes, (into) => into.insertOne(encoded[0]!.document));
  }

  async update(collection: string, document: Stored, expectedRev: number): Promise<void> {
    if (!Number.isSafeInteger(expectedRev)) throw new TypeError('expectedRev must be a safe integer');
    const { encoded, bytes } = this.#encode(collection, [document]);
    const filter = { _id: document.id, rev: expectedRev };
    const { matchedCount } = await this.#call('update', collection, bytes, (into) =>
      into.replaceOne(filter, encoded[0]!.document),
    );
    if (matchedCount === 0) throw new ConflictError(`${collection}: the document is not at the expected rev`);
  }

  async remove(collection: string, ids: readonly string[]): Promise<void> {
    this.#layoutOf(collection);
    if (ids.length === 0) return;
    await this.#call('remove', collection, 0, (from) => remove(from, ids));
  }

  async *scan<T extends Stored = Document>(collection: CollectionName<T>): AsyncIterable<readonly T[]> {
    const query = { sort: { field: 'id', direction: 'asc' }, limit: SCAN_PAGE_DOCUMENTS } as const;
    for (let after: string | undefined; ;) {
      const where = after === undefined ? {} : { where: { id: { gt: after } } };
      const page: T[] = await this.find(collection, { ...query, ...where });
      if (page.length === 0) break;
      after = page.at(-1)!.id;
      yield page;
    }
    // A comparison finds ids of its own type alone. Numbers sort before all texts, in the first page; dates and the like after them. `find` names each.
    const last = { sort: { field: 'id', direction: 'desc' }, limit: 1 } as const;
    await this.find(collection, last);
  }

  /** Returns the server's plan for the same command that `find` sends. */
  async explain(collection: string, query: Query): Promise<QueryPlan> {
    const layout = this.#layoutOf(collection);
    checkQuery(layout.spec.indexes, query);
    const explained = await this.#call('explain', collection, 0, (documents) =>
      this.#cursor(documents, layout, query).explain('queryPlanner'),
    );
    return planOf(explained, Object.keys(query.where ?? {}).length > 0);
  }

  /** Closes the store after the running calls. */
  close(): Promise<void> {
    const { calls, client, batches, writes } = this.#parts;
    this.#closing ??= calls.drain().then(async () => {
      await writes.stop();
      await Promise.all([client.close(), batches.close()]);
    });
    return this.#closing;
  }

  #encode(collection: string, documents: readonly Stored[]): EncodedDocuments {
    const { spec, indexed, sparseFields } = this.#layoutOf(collection);
    const encoded = documents.map((document) => {
      checkDocument(document);
      for (const field of indexed) checkIndexed(document, field);
      return encodeDocument(spec.name, document, sparseFields);
    });
    return { collection, encoded, bytes: encoded.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  async #call<T>(
    operation: Operation,
    collection: string,
    bytes: number,
    work: (collection: StoredCollection) => Promise<T>,
    db = this.#parts.db,
  ): Promise<T> {
    if (this.#closing !== undefined) throw new Error('the document store is closed');
    return this.#parts.calls.run(operation, collection, bytes, () => work(db.collection(collection)));
  }

  #layoutOf(collection: string): CollectionLayout {
    const layout = this.#layouts.get(collection);
    if (layout === undefined) throw new Error(`unknown collection ${collection}`);
    return layout;
  }
}

/**
 * Asks for all documents in one answer; the driver requests more if needed, because the server ends every answer at
 * 16 MiB.
 */
function oneAnswer(documents: number): { readonly batchSize: number } {
  return { batchSize: documents + 1 };
}
