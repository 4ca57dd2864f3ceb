import type { CollectionSpec, Document, DocumentStore, Query } from '../../ports/document-store.ts';
import type { QueryPlan } from '../../ports/document-store.ts';
import { checkDocument, checkIndexed, isScalar } from '../../ports/document-checks.ts';
import { checkQuery, checkWhere } from '../../ports/query-checks.ts';
import type { DataFolder } from '../data-folder.ts';
import { endProcess, WorkerChannel } from '../worker-channel.ts';
import type { FatalHandler } from '../worker-channel.ts';
import { CallQueue } from './call-queue.ts';
import type { StoreChannel } from './call-queue.ts';
import type { CollectionLayout, DocumentRow, ReadCall, StoreThreadOptions } from './store-protocol.ts';
import type { WriteCall } from './store-protocol.ts';

/** Defaults of `openEmbeddedDocumentStore`. */
export const DOCUMENT_STORE_LIMITS = {
  pendingCalls: 10_000,
  pendingBytes: 64 * 1_048_576,
  /** Page cache of the writing and of each reading connection. */
  writeCacheBytes: 64 * 1_048_576,
  readCacheBytes: 16 * 1_048_576,
} as const;

export interface EmbeddedDocumentStoreOptions {
  readonly folder: DataFolder;
  /** Name of the file inside the folder, so that a rebuild can have its own. Default `documents.db`. */
  readonly file?: string;
  /** Bytes of the file; writes beyond are refused with NotDurableError. Default: what the disk holds. */
  readonly maxBytes?: number;
  readonly limits?: Partial<Record<keyof typeof DOCUMENT_STORE_LIMITS, number>>;
  /** An I/O error or a crash of a thread. Default: one line, and the end of the process. */
  readonly onFatal?: FatalHandler;
}

export interface EmbeddedDocumentStore extends DocumentStore {
  /** Sets `maxBytes` anew; works at once. */
  limitBytes(maxBytes: number): Promise<void>;
  /** Writes and reads that wait or run; for metrics. */
  pendingCalls(): number;
}

const WORKER = new URL('./store-worker.js', import.meta.url);

/** Opens, or makes, the documents of a data folder. */
export async function openEmbeddedDocumentStore(
  options: EmbeddedDocumentStoreOptions,
): Promise<EmbeddedDocumentStore> {
  const limits = { ...DOCUMENT_STORE_LIMITS, ...options.limits };
  const file = options.folder.file(options.file ?? 'documents.db');
  const onFatal = options.onFatal ?? endProcess;
  let opening = true;
  const start = (cacheBytes: number): StoreChannel => {
    const thread: StoreThreadOptions = { file, cacheBytes };
    return new WorkerChannel(WORKER, thread, (error) => (opening ? undefined : onFatal(error)));
  };
  const writer = start(limits.writeCacheBytes);
  try {
    const opened = await writer.call({ op: 'open', maxBytes: options.maxBytes ?? 0 });
    opening = false;
    return new SqliteDocumentStore(opened.layouts!, writer, () => start(limits.readCacheBytes), limits);
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

interface Reader {
  readonly channel: StoreChannel;
  readonly queue: CallQueue<ReadCall>;
}

class SqliteDocumentStore implements EmbeddedDocumentStore {
  readonly #writer: StoreChannel;
  readonly #writes: CallQueue<WriteCall>;
  readonly #startReader: () => StoreChannel;
  readonly #limits: { readonly calls: number; readonly bytes: number };
  readonly #reader: Reader;
  /** A thread of its own, so that looking through texts keeps no other read waiting; started when first needed. */
  #searcher: Reader | undefined;
  #layouts: ReadonlyMap<string, CollectionLayout>;
  #closing: Promise<void> | undefined;

  constructor(
    layouts: readonly CollectionLayout[],
    writer: StoreChannel,
    startReader: () => StoreChannel,
    limits: Record<keyof typeof DOCUMENT_STORE_LIMITS, number>,
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
    // Failures are the channel's: fatal there.
    channel.call({ op: 'layouts', layouts: [...this.#layouts.values()] }).catch(() => undefined);
    return { channel, queue: new CallQueue(channel, (calls) => ({ op: 'read', calls }), this.#limits) };
  }

  async ensure(collections: readonly CollectionSpec[]): Promise<void> {
    this.#assertOpen();
    const { layouts } = await this.#writer.call({ op: 'ensure', collections });
    this.#layouts = byName(layouts!);
    for (const reader of [this.#reader, this.#searcher])
      await reader?.channel.call({ op: 'layouts', layouts: layouts! });
  }

  async get(collection: string, id: string): Promise<Document | undefined> {
    const [document] = await this.getMany(collection, [id]);
    return document;
  }

  getMany(collection: string, ids: readonly string[]): Promise<Document[]> {
    return this.#bodies({ op: 'getMany', collection, ids });
  }

  async find(collection: string, query: Query): Promise<Document[]> {
    checkQuery(this.#layoutOf(collection).indexes, query);
    return this.#bodies({ op: 'find', collection, query });
  }

  async count(collection: string, where?: Query['where']): Promise<number> {
    checkWhere(this.#layoutOf(collection).indexes, where);
    const result = await this.#read({ op: 'count', collection, where });
    return (result as { readonly count: number }).count;
  }

  async bulkUpsert(
    collection: string,
    documents: readonly (Document & { readonly rev: number })[],
  ): Promise<void> {
    if (documents.length > 0) await this.#write('upsert', collection, documents);
  }

  async insertMissing(collection: string, documents: readonly Document[]): Promise<string[]> {
    return documents.length > 0 ? this.#write('insertMissing', collection, documents) : [];
  }

  async insertUnique(collection: string, document: Document): Promise<void> {
    await this.#write('insertUnique', collection, [document]);
  }

  async update(collection: string, document: Document, expectedRev: number): Promise<void> {
    if (!Number.isSafeInteger(expectedRev)) throw new TypeError('expectedRev must be a safe integer');
    const { rows, bytes } = this.#rows(collection, [document]);
    await this.#submit({ op: 'update', collection, rows, expectedRev }, bytes);
  }

  async remove(collection: string, ids: readonly string[]): Promise<void> {
    this.#layoutOf(collection);
    await this.#submit({ op: 'remove', collection, ids }, 0);
  }

  async *scan(collection: string): AsyncIterable<readonly Document[]> {
    let after: string | null = null;
    for (;;) {
      const page: Document[] = await this.#bodies({ op: 'page', collection, after });
      if (page.length === 0) return;
      after = page.at(-1)!.id;
      yield page;
    }
  }

  async explain(collection: string, query: Query): Promise<QueryPlan> {
    checkQuery(this.#layoutOf(collection).indexes, query);
    const result = await this.#read({ op: 'explain', collection, query });
    return (result as { readonly plan: QueryPlan }).plan;
  }

  async limitBytes(maxBytes: number): Promise<void> {
    await this.#writer.call({ op: 'limit', maxBytes });
  }

  pendingCalls(): number {
    return this.#writes.pending + this.#reader.queue.pending + (this.#searcher?.queue.pending ?? 0);
  }

  /** Ends the calls that run or wait, then the threads. */
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

  #rows(collection: string, documents: readonly Document[]): { rows: DocumentRow[]; bytes: number } {
    const { columns } = this.#layoutOf(collection);
    let bytes = 0;
    const rows = documents.map((document) => {
      checkDocument(document);
      const body = JSON.stringify(document);
      bytes += body.length;
      const values = columns.map(({ field }) => checkIndexed(document, field));
      return { id: document.id, rev: document.rev ?? null, body, values };
    });
    return { rows, bytes };
  }

  async #write(
    op: 'upsert' | 'insertMissing' | 'insertUnique',
    collection: string,
    documents: readonly Document[],
  ): Promise<string[]> {
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

  async #bodies(call: ReadCall): Promise<Document[]> {
    const result = await this.#read(call);
    const { strings } = result as { readonly strings: readonly string[] };
    return strings.map((body) => JSON.parse(body) as Document);
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
