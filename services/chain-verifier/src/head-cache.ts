import type { AttributeChange } from '@sentinel-node/contracts';
import { LRUCache } from '@sentinel-node/platform';
import type { Head } from './domain/head.ts';

const MIB = 1_048_576;

/** Limits of the cache over all partitions: number of heads, and bytes of memory by `bytesOf`; the first limit reached counts. */
export const HEAD_CACHE_LIMITS = { heads: 200_000, bytes: 192 * MIB } as const;

/** Bytes of a head with its place in the cache, measured with 200,000 heads of files with short paths. */
const HEAD_BYTES = 1_250;
const OPEN_ALERT_BYTES = 400;
const ATTRIBUTES_BYTES = 300;
/** Size of the object of one change besides its texts, counted as characters. */
const CHANGE_CHARACTERS = 60;
/** Bytes of memory of one UTF-16 code unit of a text. */
const BYTES_PER_CHARACTER = 2;

interface Cached {
  readonly head: Head;
  readonly generation: number;
}

export type HeadCacheLimits = { readonly heads: number; readonly bytes: number };

/**
 * Heads of the keys judged last; the least recently judged are evicted. A new generation drops the heads of a partition at
 * once: heads of an old generation count as absent.
 * @pool heads
 */
export class HeadCache {
  readonly #heads: LRUCache<string, Cached>;
  readonly #generations = new Map<number, number>();

  constructor(limits: Partial<HeadCacheLimits> = {}) {
    const { heads, bytes } = { ...HEAD_CACHE_LIMITS, ...limits };
    if (!Number.isInteger(heads) || heads < 1) throw new RangeError('a cache holds at least one head');
    // The library's `max` would reserve the memory of all heads at once: a head counts at least its share of the bytes.
    const least = Math.floor(bytes / heads);
    const sizeCalculation = ({ head }: Cached): number => Math.max(least, bytesOf(head));
    this.#heads = new LRUCache({ maxSize: bytes, sizeCalculation });
  }

  /** Includes dropped heads that are not yet overwritten. */
  get size(): number {
    return this.#heads.size;
  }

  /** Approximate bytes of the heads that `size` counts. */
  get bytes(): number {
    return this.#heads.calculatedSize;
  }

  get(partition: number, key: string): Head | undefined {
    // A read does not count as use: the heads judged longest ago are evicted.
    const cached = this.#heads.peek(key);
    return cached?.generation === this.#generation(partition) ? cached.head : undefined;
  }

  put(partition: number, key: string, head: Head): void {
    this.#heads.set(key, { head, generation: this.#generation(partition) });
  }

  drop(partition: number): void {
    this.#generations.set(partition, this.#generation(partition) + 1);
  }

  #generation(partition: number): number {
    return this.#generations.get(partition) ?? 0;
  }
}

/** Approximate bytes of a head: only its texts, attributes and open alerts vary much. */
function bytesOf({ attributes, open, parked, policy }: Head): number {
  const alerts = Object.values(open);
  const texts =
    (policy?.path.length ?? 0) +
    (policy?.rolledFilenameRegexp.length ?? 0) +
    (parked?.cause.length ?? 0) +
    (attributes?.linkTarget?.length ?? 0) +
    alerts.reduce((sum, { attributeChanges = [] }) => sum + charactersOf(attributeChanges), 0);
  const parts = alerts.length * OPEN_ALERT_BYTES + (attributes === undefined ? 0 : ATTRIBUTES_BYTES);
  return HEAD_BYTES + BYTES_PER_CHARACTER * texts + parts;
}

/** Characters of all changes, with the size of the object of each. */
const charactersOf = (changes: readonly AttributeChange[]): number =>
  changes.reduce(
    (sum, { before, after }) => sum + CHANGE_CHARACTERS + (before?.length ?? 0) + (after?.length ?? 0),
    0,
  );
