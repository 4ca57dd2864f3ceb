import { MAX_CHECKPOINT_LAG } from '@sentinel-node/platform';
import type { Head } from './domain/head.ts';

export interface SaveLimits {
  /** Records of a partition that may be judged before its heads are saved. */
  readonly records: number;
  /** Heads of all partitions together: some 50 MiB of memory. */
  readonly heads: number;
  /** Milliseconds from the first unsaved record of a partition to the next batch that saves. */
  readonly ms: number;
}

export const SAVE_LIMITS: SaveLimits = { records: MAX_CHECKPOINT_LAG, heads: 40_000, ms: 2_000 };

interface Unsaved {
  readonly heads: Map<string, Head>;
  /** Offset after the last record that the heads contain. */
  next: number;
  records: number;
  readonly sinceMs: number;
}

/** The heads of a partition that the store does not have yet, and the offset that they reach. */
export type UnsavedOfPartition = Pick<Readonly<Unsaved>, 'heads' | 'next'>;

/**
 * Heads that changed since they were last saved. Under load a file is judged many times between two saves, and each save
 * writes its head once.
 * @pool unsaved-heads
 */
export class UnsavedHeads {
  readonly #limits: SaveLimits;
  readonly #now: () => number;
  readonly #partitions = new Map<number, Unsaved>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(limits: Partial<SaveLimits> = {}, now: () => number = () => performance.now()) {
    this.#limits = { ...SAVE_LIMITS, ...limits };
    this.#now = now;
  }

  get size(): number {
    let size = 0;
    for (const { heads } of this.#partitions.values()) size += heads.size;
    return size;
  }

  get partitions(): readonly number[] {
    return [...this.#partitions.keys()];
  }

  of(partition: number): UnsavedOfPartition | undefined {
    return this.#partitions.get(partition);
  }

  get(partition: number, key: string): Head | undefined {
    return this.#partitions.get(partition)?.heads.get(key);
  }

  /** @param records number of judged records @param next offset after the last of them */
  add(partition: number, heads: ReadonlyMap<string, Head>, records: number, next: number): void {
    let unsaved = this.#partitions.get(partition);
    if (unsaved === undefined) {
      unsaved = { heads: new Map(), next, records: 0, sinceMs: this.#now() };
      this.#partitions.set(partition, unsaved);
    }
    for (const [key, head] of heads) unsaved.heads.set(key, head);
    unsaved.records += records;
    unsaved.next = next;
  }

  /** Returns whether the heads of the partition must be saved before its next batch. */
  isDue(partition: number): boolean {
    const unsaved = this.#partitions.get(partition);
    if (unsaved === undefined) return false;
    const { heads, ms, records } = this.#limits;
    return unsaved.records >= records || this.#now() - unsaved.sinceMs >= ms || this.size >= heads;
  }

  drop(partition: number): void {
    this.#partitions.delete(partition);
  }
}
