import { isDeepStrictEqual } from 'node:util';
import type { Document, DocumentStore, EventLog } from '@sentinel-node/platform';
import {
  applyOps,
  LOG_START,
  replayViews,
  VIEW_COLLECTIONS,
  viewSourceEnds,
  type LogEnds,
} from '@sentinel-node/query';

/** Views made from the log in a store of their own, up to positions that move on when asked. */
export class ScratchViews {
  readonly store: DocumentStore;
  readonly #eventLog: EventLog;
  #ends: LogEnds = LOG_START;

  constructor(eventLog: EventLog, store: DocumentStore) {
    this.#eventLog = eventLog;
    this.store = store;
  }

  /** Everything before is in the views. */
  get ends(): LogEnds {
    return this.#ends;
  }

  /** From the beginning to where the log ends now. */
  async build(): Promise<void> {
    await this.store.ensure(VIEW_COLLECTIONS);
    await this.extend('', []);
  }

  /**
   * On to where the log ends now. @returns those of `documents` that a record on the way gives exactly so: what a live
   * view held before this call was written from a record that is in the log by now
   */
  async extend(collection: string, documents: readonly Document[]): Promise<ReadonlySet<string>> {
    const sought = new Map(documents.map((document) => [document.id, document]));
    const seen = new Set<string>();
    const to = await viewSourceEnds(this.#eventLog);
    await replayViews(this.#eventLog, this.#ends, to, async (ops) => {
      for (const op of ops) {
        if (sought.size === 0 || op.collection !== collection) continue;
        for (const made of op.documents) {
          const wanted = sought.get(made.id);
          if (wanted !== undefined && isDeepStrictEqual(stored(made), wanted)) seen.add(made.id);
        }
      }
      await applyOps(this.store, ops);
    });
    this.#ends = to;
    return seen;
  }
}

/** As a store gives it back: without fields that are undefined. */
function stored(document: Document): Document {
  return JSON.parse(JSON.stringify(document));
}
