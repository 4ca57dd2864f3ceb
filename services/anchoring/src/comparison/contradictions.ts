/** Keeps the contradictions that were found, so that neither a restart nor another process passes over them. */
import { omit } from '@sentinel-node/contracts';
import { saveIfCurrent, type Clock, type DocumentStore } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type ContradictionDocument } from '../collections.ts';
import { ANCHORING_LIMITS } from '../limits.ts';
import type { Contradiction } from './start-comparison.ts';

const { name: CONTRADICTIONS } = OWN_COLLECTIONS.contradictions;

export interface ContradictionsDeps {
  readonly store: DocumentStore;
  readonly clock: Clock;
}

export class Contradictions {
  readonly #deps: ContradictionsDeps;

  constructor(deps: ContradictionsDeps) {
    this.#deps = deps;
  }

  /** Returns those that no comparison has ended, by batch. */
  async open(): Promise<readonly ContradictionDocument[]> {
    const query = { where: { open: 1 }, limit: ANCHORING_LIMITS.openContradictions } as const;
    return await this.#deps.store.find(CONTRADICTIONS, query);
  }

  /**
   * Records a contradiction, each time that it is found. Returns false when another process changed the document at
   * the same time.
   */
  async found({ batch, what }: Contradiction): Promise<boolean> {
    const { store, clock } = this.#deps;
    const id = batchId(batch);
    const before = await store.get(CONTRADICTIONS, id);
    const rev = (before?.rev ?? 0) + 1;
    const document = { id, rev, batch, what, at: clock.now(), open: 1 } as const;
    return saveIfCurrent(store, CONTRADICTIONS, document, before?.rev);
  }

  /** Ends contradictions whose batches fit now, unless another process found them again since they were read. */
  async end(compared: readonly ContradictionDocument[]): Promise<void> {
    const { store, clock } = this.#deps;
    for (const document of compared) {
      const ended = { ...omit(document, 'open'), rev: document.rev + 1, at: clock.now() };
      await saveIfCurrent(store, CONTRADICTIONS, ended, document.rev);
    }
  }
}
