import { replacementName } from '../../ports/replacement-name.ts';
import type {
  CollectionName,
  CollectionSpec,
  CollectionWrite,
  Document,
  Stored,
} from '../../ports/document-store.ts';
import type { Query, QueryPlan } from '../../ports/document-store.ts';
import { isScalar } from '../../ports/document-checks.ts';
import { partsOf } from '../../ports/parts-of-writes.ts';
import { checkQuery, checkWhere } from '../../ports/query-checks.ts';
import { indexesOf } from './batched-index.ts';
import { CallQueue } from './call-queue.ts';
import type { StoreChannel } from './call-queue.ts';
import type { DocumentStoreLimits, EmbeddedDocumentStore } from './document-store-options.ts';
import { documentsOf } from './documents-of.ts';
import { checkBatched, refuseChange, rowsOf } from './rows.ts';
import type { CollectionLayout, DocumentRows, ReadCall, StoreRequest, WriteCall } from './store-protocol.ts';

interface Reader {
  readonly channel: StoreChannel;
  readonly queue: CallQueue<ReadCall>;
}

/** Connects one writing thread and one or two reading threads over one file. */
export class SqliteDocumentStore implements EmbeddedDocumentStore {
  readonly #writer: StoreChannel;
  readonly #writes: CallQueue<WriteCall>;
  readonly #startReader: () => StoreChannel;
  readonly #limits: { readonly calls: number; readonly bytes: number };
  readonly #reader: Reader;
  /** A separate thread for text searches, so that they delay no other read; started when first needed. */
  #searcher: Reader | undefined;
  #layouts: ReadonlyMap<string, CollectionLayout>;
  /** Set while collections change their tables. Writes wait, because a write is laid out for its table. */
  #changing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    layouts: readonly CollectionLayout[],
    writer: StoreChannel,
    startReader: () => StoreChannel,
    limits: DocumentStoreLimits,
  ) {
    this.#limits = { calls: limits.pendingCalls, bytes: limits.pendingBytes };
    this.#layouts = byName(layouts);
    this.#writer = writer;
    this.#writes = new CallQueue(writer, (calls) => ({ op: 'write', calls }), this.#limits);
    this.#startReader = startReader;
    this.#reader = this.#newReader();
  }

  #newReader(): Reader {
    const channel = this.#startReader();
    // The channel treats a failure as fatal.
    channel.call({ op: 'layouts', layouts: [...this.#layouts.values()] }).catch(() => undefined);
    return { channel, queue: new CallQueue(channel, (calls) => ({ op: 'read', calls }), this.#limits) };
  }

  async ensure(collections: readonly CollectionSpec[]): Promise<void> {
    this.#assertOpen();
    collections.forEach(checkBatched);
    const { layouts } = await this.#writer.call({ op: 'ensure', collections });
    await this.#know(layouts!);
  }

  async #know(layouts: readonly CollectionLayout[]): Promise<void> {
    this.#layouts = byName(layouts);
    for (const reader of [this.#reader, this.#searcher])
      await reader?.channel.call({ op: 'layouts', layouts });
  }

  collections(): Promise<string[]> {
    return Promise.resolve([...this.#layouts.keys()]);
  }

  async makeReplacement(spec: CollectionSpec): Promise<string> {
    const name = replacementName(spec.name);
    await this.ensure([{ ...spec, name }]);
    return name;
  }

  replace(collection: string, replacement: string): Promise<void> {
    return this.#change({ op: 'replace', collection, replacement });
  }

  drop(collections: readonly string[]): Promise<void> {
    return this.#change({ op: 'forget', collections });
  }

  /** Changes collections; the old tables are dropped after every reader has the new layouts. */
  async #change(request: StoreRequest): Promise<void> {
    this.#assertOpen();
    while (this.#changing !== undefined) await this.#changing;
    const work = async () => {
      await this.#writes.drain();
      const { layouts } = await this.#writer.call(request);
      await this.#know(layouts!);
      await this.#writer.call({ op: 'dropOrphans' });
    };
    const changed = work();
    this.#changing = changed
      .catch(() => undefined)
      .then(() => {
        this.#changing = undefined;
      });
    await changed;
  }

  async get<T extends Stored = Document>(collection: CollectionName<T>, id: string): Promise<T | undefined> {
    const [document] = await this.getMany(collection, [id]);
    return document;
  }

  getMany<T extends Stored = Document>(collection: CollectionName<T>, ids: readonly string[]): Promise<T[]> {
    return this.#bodies({ op: 'getMany', collection, ids }, ids);
  }

  async find<T extends Stored = Document>(collection: CollectionName<T>, query: Query): Promise<T[]> {
    checkQuery(indexesOf(this.#layoutOf(collection)), query);
    return this.#bodies({ op: 'find', collection, query });
  }

  async count(collection: string, where?: Query['where']): Promise<number> {
    checkWhere(indexesOf(this.#layoutOf(collection)), where);
    const result = await this.#read({ op: 'count', collection, where });
    return (result as { readonly count: number }).count;
  }

  async bulkUpsert(
    collection: string,
    documents: readonly (Stored & { readonly rev: number })[],
  ): Promise<void> {
    if (documents.length > 0) await this.#write('upsert', collection, documents);
  }

  async insertMissing(collection: string, documents: readonly Stored[]): Promise<string[]> {
    return documents.length > 0 ? this.#write('insertMissing', collection, documents) : [];
  }

  async writeBatches(batches: readonly (readonly CollectionWrite[])[]): Promise<void> {
    const writes = batches.flat();
    if (writes.length > 0) await this.#writeInOrder(writes);
  }

  /** Writes in one transaction, or large writes part after part. */
  async #writeInOrder(writes: readonly CollectionWrite[]): Promise<void> {
    while (this.#changing !== undefined) await this.#changing;
    let bytes = 0;
    const calls = writes.map(({ collection, mode, documents }) => {
      if (mode === 'upsert') refuseChange(this.#layoutOf(collection));
      const laidOut = this.#rows(collection, documents);
      bytes += laidOut.bytes;
      return { op: mode, collection, rows: laidOut.rows };
    });
    const parts = partsOf(writes, bytes, this.#limits.bytes);
    if (parts.length > 1) for (const part of parts) await this.#writeInOrder(part);
    else await this.#submit({ op: 'inOrder', writes: calls }, bytes);
  }

  async insertUnique(collection: string, document: Stored): Promise<void> {
    await this.#write('insertUnique', collection, [document]);
  }

  async update(collection: string, document: Stored, expectedRev: number): Promise<void> {
    if (!Number.isSafeInteger(expectedRev)) throw new TypeError('expectedRev must be a safe integer');
    while (this.#changing !== undefined) await this.#changing;
    refuseChange(this.#layoutOf(collection));
    const { rows, bytes } = this.#rows(collection, [document]);
    await this.#submit({ op: 'update', collection, rows, expectedRev }, bytes);
  }

  async remove(collection: string, ids: readonly string[]): Promise<void> {
    refuseChange(this.#layoutOf(collection));
    await this.#submit({ op: 'remove', collection, ids }, 0);
  }

  async *scan<T extends Stored = Document>(collection: CollectionName<T>): AsyncIterable<readonly T[]> {
    let after: string | null = null;
    for (;;) {
      const page = await this.#read({ op: 'page', collection, after });
      const { ids, strings } = page as Record<'ids' | 'strings', readonly string[]>;
      if (ids.length === 0) return;
      after = ids.at(-1)!;
      yield documentsOf(collection, strings, ids);
    }
  }

  async *indexFaults(): AsyncIterable<string> {
    this.#assertOpen();
    const { channel } = this.#reader;
    yield* (await channel.call({ op: 'checkFile' })).checked!.faults;
    for (const collection of this.#layouts.keys())
      for (let after: number | null = -1; after !== null;) {
        const { checked } = await channel.call({ op: 'checkIndexes', collection, after });
        yield* checked!.faults;
        ({ after } = checked!);
      }
  }

  async explain(collection: string, query: Query): Promise<QueryPlan> {
    checkQuery(indexesOf(this.#layoutOf(collection)), query);
    const result = await this.#read({ op: 'explain', collection, query });
    return (result as { readonly plan: QueryPlan }).plan;
  }

  async limitBytes(maxBytes: number): Promise<void> {
    await this.#writer.call({ op: 'limit', maxBytes });
  }

  pendingCalls(): number {
    return this.#writes.pending + this.#reader.queue.pending + (this.#searcher?.queue.pending ?? 0);
  }

  isFull(): boolean {
    return this.#writes.isFull;
  }

  /** Completes the running and waiting calls, then ends the threads. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const readers = [this.#reader, this.#searcher].filter((reader) => reader !== undefined);
    await Promise.all([this.#writes.drain(), ...readers.map(({ queue }) => queue.drain())]);
    for (const { channel } of readers) await channel.end({ op: 'end' });
    await this.#writer.end({ op: 'end' });
  }

  #rows(collection: string, documents: readonly Stored[]): { rows: DocumentRows; bytes: number } {
    return rowsOf(this.#layoutOf(collection), documents);
  }

  async #write(
    op: 'upsert' | 'insertMissing' | 'insertUnique',
    collection: string,
    documents: readonly Stored[],
  ): Promise<string[]> {
    while (this.#changing !== undefined) await this.#changing;
    if (op !== 'insertMissing') refuseChange(this.#layoutOf(collection));
    const { rows, bytes } = this.#rows(collection, documents);
    const result = await this.#submit({ op, collection, rows }, bytes);
    return [...(result as { readonly strings: readonly string[] }).strings];
  }

  #submit(call: WriteCall, bytes: number): ReturnType<CallQueue<WriteCall>['submit']> {
    this.#assertOpen();
    return this.#writes.submit(call, bytes);
  }

  async #read(call: ReadCall): ReturnType<CallQueue<ReadCall>['submit']> {
    this.#assertOpen();
    this.#layoutOf(call.collection);
    const reader = searches(call) ? (this.#searcher ??= this.#newReader()) : this.#reader;
    return reader.queue.submit(call, 0);
  }

  /** @param ids of the sought documents: when all are found, they come in this order */
  async #bodies<T>(call: ReadCall, ids: readonly string[] = []): Promise<T[]> {
    const result = await this.#read(call);
    const { strings } = result as { readonly strings: readonly string[] };
    return documentsOf(call.collection, strings, strings.length === ids.length ? ids : []);
  }

  #layoutOf(collection: string): CollectionLayout {
    const layout = this.#layouts.get(collection);
    if (layout === undefined) throw new Error(`unknown collection ${collection}`);
    return layout;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new Error('the document store is closed');
  }
}

function byName(layouts: readonly CollectionLayout[]): ReadonlyMap<string, CollectionLayout> {
  return new Map(layouts.map((layout) => [layout.name, layout]));
}

function searches(call: ReadCall): boolean {
  const where = call.op === 'find' ? call.query.where : call.op === 'count' ? call.where : undefined;
  return Object.values(where ?? {}).some((condition) => !isScalar(condition) && 'contains' in condition);
}
