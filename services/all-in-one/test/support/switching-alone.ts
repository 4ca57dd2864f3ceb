import { setImmediate as turn } from 'node:timers/promises';
import type { DocumentStore } from '@sentinel-node/platform';

/**
 * Nothing is written while a collection takes the place of another. The stand-in for MongoDB needs it: its rename is not
 * one step, so that a write at that moment leaves two documents of one `_id`, or a server that answers no more.
 */
export function switchingAlone(store: DocumentStore): DocumentStore {
  const writes = new Set<Promise<unknown>>();
  let gate = Promise.resolve();
  const write = async <T>(begin: () => Promise<T>): Promise<T> => {
    for (let passed; passed !== gate;) await (passed = gate);
    const writing = begin();
    writes.add(writing);
    try {
      return await writing;
    } finally {
      writes.delete(writing);
    }
  };
  const { bulkUpsert, insertMissing, replace } = store;
  store.bulkUpsert = (...given) => write(() => bulkUpsert.apply(store, given));
  store.insertMissing = (...given) => write(() => insertMissing.apply(store, given));
  store.replace = async (...given) => {
    let open: () => void = () => undefined;
    gate = new Promise((resolve) => (open = resolve));
    try {
      await turn();
      await Promise.allSettled(writes);
      await replace.apply(store, given);
    } finally {
      open();
    }
  };
  return store;
}
