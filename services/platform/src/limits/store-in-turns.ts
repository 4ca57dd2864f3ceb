import type { CollectionName, Document, DocumentStore, Stored } from '../ports/document-store.ts';
import type { FairTurns } from './fair-turns.ts';

/**
 * Returns the same store for background work: each of its calls waits for a turn of `group`, so that other calls always find
 * a connection. `writeBatches` takes no turn, because adapters have connections of its own for it; a scan takes one for
 * each page. `close` closes the store itself.
 * @throws OverloadedError from every call whose turn does not come in time
 */
export function storeInTurns(store: DocumentStore, turns: FairTurns, group: string): DocumentStore {
  const inTurn = async <T>(call: () => Promise<T>): Promise<T> => {
    const release = await turns.take(group);
    try {
      return await call();
    } finally {
      release();
    }
  };
  return {
    ensure: (collections) => inTurn(() => store.ensure(collections)),
    get: (collection, id) => inTurn(() => store.get(collection, id)),
    getMany: (collection, ids) => inTurn(() => store.getMany(collection, ids)),
    find: (collection, query) => inTurn(() => store.find(collection, query)),
    count: (collection, where) => inTurn(() => store.count(collection, where)),
    bulkUpsert: (collection, documents) => inTurn(() => store.bulkUpsert(collection, documents)),
    insertMissing: (collection, documents) => inTurn(() => store.insertMissing(collection, documents)),
    writeBatches: (batches) => store.writeBatches(batches),
    insertUnique: (collection, document) => inTurn(() => store.insertUnique(collection, document)),
    update: (collection, document, expectedRev) =>
      inTurn(() => store.update(collection, document, expectedRev)),
    remove: (collection, ids) => inTurn(() => store.remove(collection, ids)),
    collections: () => inTurn(() => store.collections()),
    makeReplacement: (spec) => inTurn(() => store.makeReplacement(spec)),
    replace: (collection, replacement) => inTurn(() => store.replace(collection, replacement)),
    drop: (collections) => inTurn(() => store.drop(collections)),
    async *scan<T extends Stored = Document>(collection: CollectionName<T>) {
      const pages = store.scan<T>(collection)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const page = await inTurn(() => pages.next());
          if (page.done === true) return;
          yield page.value;
        }
      } finally {
        await pages.return?.();
      }
    },
    explain: (collection, query) => inTurn(() => store.explain(collection, query)),
    close: () => store.close(),
  };
}
