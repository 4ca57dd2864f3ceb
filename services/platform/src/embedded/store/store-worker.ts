import { isFull } from '../sqlite-errors.ts';
import type { Sqlite } from '../sqlite.ts';
import { errorReply, openFile, serve } from '../worker-protocol.ts';
import { BatchedEntries } from './batched-index.ts';
import { fileFaults, indexFaults } from './index-faults.ts';
import { readCall } from './read-calls.ts';
import { dropOrphans, forgetCollections, replaceCollection } from './replace.ts';
import { ensureCollections, openSchema, readLayouts } from './schema.ts';
import type { CallResult, CollectionLayout, ReadCall, WriteCall } from './store-protocol.ts';
import type { StoreReply, StoreRequest, StoreThreadOptions } from './store-protocol.ts';
import { WaitingEntries } from './waiting-entries.ts';
import { writeCall } from './write-calls.ts';

/** The documents of one file, for one thread. */
class FileOfDocuments {
  readonly #sqlite: Sqlite;
  readonly #batchedEntries: BatchedEntries;
  readonly #waitingEntries: WaitingEntries;
  /** @boundedBy the collections */
  #layouts: ReadonlyMap<string, CollectionLayout> = new Map();

  constructor(options: StoreThreadOptions) {
    this.#sqlite = openFile(options.file, options);
    this.#batchedEntries = new BatchedEntries(this.#sqlite, options.waitingEntries);
    this.#waitingEntries = new WaitingEntries(this.#sqlite);
  }

  handle(request: StoreRequest): { value: StoreReply } {
    switch (request.op) {
      case 'open':
        if (request.maxBytes > 0) this.#sqlite.limitBytes(request.maxBytes);
        return { value: this.#know(openSchema(this.#sqlite)) };
      case 'ensure':
        return { value: this.#know(ensureCollections(this.#sqlite, request.collections)) };
      case 'replace':
        replaceCollection(this.#sqlite, request.collection, request.replacement);
        return { value: this.#know(readLayouts(this.#sqlite)) };
      case 'forget':
        forgetCollections(this.#sqlite, request.collections);
        return { value: this.#know(readLayouts(this.#sqlite)) };
      case 'dropOrphans':
        dropOrphans(this.#sqlite, [...this.#layouts.values()]);
        return { value: {} };
      case 'layouts':
        return { value: this.#know(request.layouts) };
      case 'limit':
        this.#sqlite.limitBytes(request.maxBytes);
        return { value: {} };
      case 'write':
        return { value: { results: this.#write(request.calls) } };
      case 'read':
        return { value: { results: request.calls.map((call) => this.#read(call)) } };
      case 'checkIndexes':
        return {
          value: { checked: indexFaults(this.#sqlite, this.#layoutOf(request.collection), request.after) },
        };
      case 'checkFile':
        return { value: { checked: { faults: fileFaults(this.#sqlite), after: null } } };
      case 'end':
        this.#sqlite.end();
        return { value: {} };
    }
  }

  #know(found: readonly CollectionLayout[]): StoreReply {
    this.#layouts = new Map(found.map((layout) => [layout.name, layout]));
    this.#batchedEntries.startOver();
    this.#waitingEntries.keep(found.map(({ table }) => table));
    return { layouts: found };
  }

  #layoutOf(collection: string): CollectionLayout {
    const layout = this.#layouts.get(collection);
    if (layout === undefined) throw new Error(`unknown collection ${collection}`);
    return layout;
  }

  #write(calls: readonly WriteCall[]): CallResult[] {
    const results = this.#writeAll(calls);
    this.#batchedEntries.enterSome(this.#layouts.values());
    return results;
  }

  /** Runs all calls in one transaction. A call that loses a race rolls back only its own part. */
  #writeAll(calls: readonly WriteCall[]): CallResult[] {
    const sqlite = this.#sqlite;
    return sqlite.transaction(() =>
      calls.map((call) => {
        sqlite.statement('SAVEPOINT call').run([]);
        const result = attempt(() => writeCall(sqlite, (collection) => this.#layoutOf(collection), call));
        if ('error' in result) sqlite.statement('ROLLBACK TO call').run([]);
        sqlite.statement('RELEASE call').run([]);
        return result;
      }),
    );
  }

  #read(call: ReadCall): CallResult {
    return attempt(() => readCall(this.#sqlite, this.#layoutOf(call.collection), this.#waitingEntries, call));
  }
}

/** Returns expected outcomes as answers; throws errors that concern the whole transaction. */
function attempt(work: () => CallResult): CallResult {
  try {
    return work();
  } catch (error) {
    const reply = errorReply(error);
    if (reply.kind === 'fatal' || isFull(error)) throw error;
    return { error: reply };
  }
}

serve((options: StoreThreadOptions) => {
  const documents = new FileOfDocuments(options);
  return (request: StoreRequest) => documents.handle(request);
});
