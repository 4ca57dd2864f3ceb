import { MAX_CHECKPOINT_LAG } from '@sentinel-node/platform';
import type { Head } from './domain/head.ts';

export interface SaveLimits {
  /** Records of a partition that may be judged before its heads are saved. */
  readonly records: number;
  /** Heads of all partitions together: some 50 MiB of memory when paths are short. */
  readonly heads: number;
  /** Milliseconds from the first unsaved record of a partition to the next batch that saves. */
  readonly ms: number;
}

export const SAVE_LIMITS: SaveLimits = { records: MAX_CHECKPOINT_LAG, heads: 40_000, ms: 2_000 };

/**
 * Heads of a partition that changed since they were last saved. Under load a file is judged many times between two saves,
 * and each save writes its head once.
 * @pool unsaved-heads
 */
export class UnsavedHeads {
  readonly #limits: SaveLimits;
  readonly #now: () => number;
  readonly #heads = new Map<string, Head>();
  #records = 0;
  #next = 0;
  #sinceMs = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(limits: Partial<SaveLimits> = {}, now: () => number = () => performance.now()) {
    this.#limits = { ...SAVE_LIMITS, ...limits };
    this.#now = now;
  }

  get heads(): ReadonlyMap<string, Head> {
    return this.#heads;
  }

  /** Offset after the last record that the heads contain. */
  get next(): number {
    return this.#next;
  }

  /**
   * True when the store has the results of all judged records. Records without any, which somebody else put there, wait for a head:
   * a checkpoint in a store without heads says that they were dropped.
   */
  get isEmpty(): boolean {
    return this.#heads.size === 0 && this.#records < this.#limits.records;
  }

  /** @param records number of judged records @param next offset after the last of them */
  add(heads: ReadonlyMap<string, Head>, records: number, next: number): void {
    if (this.#records === 0) this.#sinceMs = this.#now();
    for (const [key, head] of heads) this.#heads.set(key, head);
    this.#records += records;
    this.#next = next;
  }

  /** Returns whether the heads must be saved before the next batch. @param all heads of all partitions */
  isDue(all: number): boolean {
    if (this.isEmpty) return false;
    const { heads, ms, records } = this.#limits;
    return this.#records >= records || this.#now() - this.#sinceMs >= ms || all >= heads;
  }

  clear(): void {
    this.#heads.clear();
    this.#records = 0;
  }
}
