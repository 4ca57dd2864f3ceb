import type { Head } from './domain/head.ts';

/** Heads that the cache keeps, over all partitions; about 1.5 kB each. */
export const DEFAULT_CACHED_HEADS = 200_000;

interface Cached {
  readonly head: Head;
  readonly generation: number;
}

/**
 * Heads of the keys judged last; the least recently judged give way. A partition's heads are dropped at once by a new
 * generation: what is left of the old one counts as absent.
 */
export class HeadCache {
  readonly #maxHeads: number;
  readonly #heads = new Map<string, Cached>();
  readonly #generations = new Map<number, number>();

  constructor(maxHeads: number = DEFAULT_CACHED_HEADS) {
    if (!Number.isInteger(maxHeads) || maxHeads < 1) throw new RangeError('a cache holds at least one head');
    this.#maxHeads = maxHeads;
  }

  /** Dropped heads that were not yet overwritten count too. */
  get size(): number {
    return this.#heads.size;
  }

  get(partition: number, key: string): Head | undefined {
    const cached = this.#heads.get(key);
    return cached?.generation === this.#generation(partition) ? cached.head : undefined;
  }

  put(partition: number, key: string, head: Head): void {
    this.#heads.delete(key);
    this.#heads.set(key, { head, generation: this.#generation(partition) });
    if (this.#heads.size <= this.#maxHeads) return;
    const [oldest] = this.#heads.keys();
    if (oldest !== undefined) this.#heads.delete(oldest);
  }

  drop(partition: number): void {
    this.#generations.set(partition, this.#generation(partition) + 1);
  }

  #generation(partition: number): number {
    return this.#generations.get(partition) ?? 0;
  }
}
