import { isDeepStrictEqual } from 'node:util';
import type { Document, DocumentStore, EventLog, UnreadableRecordError } from '@sentinel-node/platform';
import {
  applyOps,
  LOG_START,
  replayViews,
  VIEW_COLLECTIONS,
  viewSourceEnds,
  type LogEnds,
  type ViewOp,
} from '@sentinel-node/query';
import { asStored } from './differing-fields.ts';

/** Builds views from the log in a separate store, up to positions that `extend` advances. */
export class ScratchViews {
  readonly store: DocumentStore;
  readonly #eventLog: EventLog;
  readonly #onPassedOver: (error: UnreadableRecordError) => void;
  #ends: LogEnds = LOG_START;

  constructor(
    eventLog: EventLog,
    store: DocumentStore,
    onPassedOver: (error: UnreadableRecordError) => void,
  ) {
    this.#eventLog = eventLog;
    this.#onPassedOver = onPassedOver;
    this.store = store;
  }

  /** All records before these positions are in the views. */
  get ends(): LogEnds {
    return this.#ends;
  }

  /** Reads the log from its beginning to its current end. */
  async build(): Promise<void> {
    await this.store.ensure(VIEW_COLLECTIONS);
    await this.extend('', []);
  }

  /**
   * Continues to the log's current end.
   * @returns ids of those `documents` that a newly read record produces exactly: a live view's document from before this
   * call comes from a record that is in the log by now
   */
  async extend(collection: string, documents: readonly Document[]): Promise<ReadonlySet<string>> {
    const sought = new Map(documents.map((document) => [document.id, document]));
    const seen = new Set<string>();
    const to = await viewSourceEnds(this.#eventLog);
    const handle = async (ops: readonly ViewOp[]): Promise<void> => {
      for (const op of ops) {
        if (sought.size === 0 || op.collection !== collection) continue;
        for (const made of op.documents) {
          const wanted = sought.get(made.id);
          if (wanted !== undefined && isDeepStrictEqual(asStored(made), wanted)) seen.add(made.id);
        }
      }
      await applyOps(this.store, ops);
    };
    await replayViews(this.#eventLog, this.#ends, to, handle, this.#onPassedOver);
    this.#ends = to;
    return seen;
  }
}
