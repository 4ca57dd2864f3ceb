import type { Repeating, Timers } from '../ambient/timers.ts';
import type { Log } from '../logging/log.ts';
import type { DocumentStore } from '../ports/document-store.ts';
import type { EventLog } from '../ports/event-log.ts';
import { CollectionLostError, confirmKept } from './confirm-stores.ts';

const LOOK_MS = 30_000;

export interface KeptWatchOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly eventLog: Pick<EventLog, 'bounds'>;
  readonly timers: Pick<Timers, 'every'>;
  readonly log: Log;
}

/**
 * Looks again and again whether the collections from which services go on are there, as each start does: somebody can drop one
 * while they run. A process is not ready then, and gets no calls that it would answer from an empty collection.
 */
export class KeptWatch {
  readonly #options: KeptWatchOptions;
  #lost: string | undefined;
  #repeating: Repeating | undefined;

  constructor(options: KeptWatchOptions) {
    this.#options = options;
  }

  start(): void {
    // `#look` never rejects.
    this.#repeating = this.#options.timers.every(LOOK_MS, () => this.#look());
  }

  /** Does not wait for a look under way, which can hang together with its store. */
  stop(): Promise<void> {
    void this.#repeating?.stop();
    return Promise.resolve();
  }

  /** Returns what is missing. */
  notReady(): readonly string[] {
    return this.#lost === undefined ? [] : [`documents of the collection ${this.#lost}`];
  }

  async #look(): Promise<void> {
    const { eventLog, log, store } = this.#options;
    try {
      await confirmKept(store, eventLog);
      if (this.#lost !== undefined) log.info({ collection: this.#lost }, 'the collection is there again');
      this.#lost = undefined;
    } catch (error) {
      // Stores that do not answer are told by themselves, and what was found before stays.
      if (!(error instanceof CollectionLostError)) return;
      if (this.#lost !== error.collection) log.error({ err: error }, error.message);
      this.#lost = error.collection;
    }
  }
}
