import { workerData } from 'node:worker_threads';
import { isFull } from '../sqlite-errors.ts';
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

const options = workerData as StoreThreadOptions;
const sqlite = openFile(options.file, options);
const batchedEntries = new BatchedEntries(sqlite, options.waitingEntries);
const waitingEntries = new WaitingEntries(sqlite);
/** @boundedBy the collections */
let layouts: ReadonlyMap<string, CollectionLayout> = new Map();

function know(found: readonly CollectionLayout[]): StoreReply {
  layouts = new Map(found.map((layout) => [layout.name, layout]));
  batchedEntries.startOver();
  waitingEntries.keep(found.map(({ table }) => table));
  return { layouts: found };
}

function layoutOf(collection: string): CollectionLayout {
  const layout = layouts.get(collection);
  if (layout === undefined) throw new Error(`unknown collection ${collection}`);
  return layout;
}

function write(calls: readonly WriteCall[]): CallResult[] {
  const results = writeAll(calls);
  batchedEntries.enterSome(layouts.values());
  return results;
}

/** Runs all calls in one transaction. A call that loses a race rolls back only its own part. */
function writeAll(calls: readonly WriteCall[]): CallResult[] {
  return sqlite.transaction(() =>
    calls.map((call) => {
      sqlite.statement('SAVEPOINT call').run([]);
      const result = attempt(() => writeCall(sqlite, layoutOf, call));
      if ('error' in result) sqlite.statement('ROLLBACK TO call').run([]);
      sqlite.statement('RELEASE call').run([]);
      return result;
    }),
  );
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

function handle(request: StoreRequest): { value: StoreReply } {
  switch (request.op) {
    case 'open':
      if (request.maxBytes > 0) sqlite.limitBytes(request.maxBytes);
      return { value: know(openSchema(sqlite)) };
    case 'ensure':
      return { value: know(ensureCollections(sqlite, request.collections)) };
    case 'replace':
      replaceCollection(sqlite, request.collection, request.replacement);
      return { value: know(readLayouts(sqlite)) };
    case 'forget':
      forgetCollections(sqlite, request.collections);
      return { value: know(readLayouts(sqlite)) };
    case 'dropOrphans':
      dropOrphans(sqlite, [...layouts.values()]);
      return { value: {} };
    case 'layouts':
      return { value: know(request.layouts) };
    case 'limit':
      sqlite.limitBytes(request.maxBytes);
      return { value: {} };
    case 'write':
      return { value: { results: write(request.calls) } };
    case 'read':
      return { value: { results: request.calls.map((call: ReadCall) => readResult(call)) } };
    case 'checkIndexes':
      return { value: { checked: indexFaults(sqlite, layoutOf(request.collection), request.after) } };
    case 'checkFile':
      return { value: { checked: { faults: fileFaults(sqlite), after: null } } };
    case 'end':
      sqlite.end();
      return { value: {} };
  }
}

function readResult(call: ReadCall): CallResult {
  return attempt(() => readCall(sqlite, layoutOf(call.collection), waitingEntries, call));
}

serve<StoreRequest, StoreReply>(handle, (request) => request.op === 'end', options.file);
