/** Entries of the chain topic that no cut covers yet. */
import { decodeHexInto, type Bytes32, type Cut } from '@sentinel-node/contracts';
import type { MinimalEntry } from './chain-entries.ts';

const HASH_BYTES = 32;
/** Leaves that there is room for at first; then twice as many, and so on. */
const FIRST_LEAVES = 1_024;

/** Consecutive entries of one subject. */
export interface Run {
  /** Number of the first entry. */
  readonly from: number;
  /** Where the link hash of each entry begins in `Collected.linkHashes`. */
  readonly offsets: readonly number[];
}

export interface Collected {
  /** [from, to) by partition; partitions without records are left out. */
  readonly ranges: Cut['ranges'];
  /** Next offset of every partition that was ever read. */
  readonly next: ReadonlyMap<number, number>;
  /** Runs by subject. */
  readonly runs: ReadonlyMap<string, Run>;
  /** Link hashes, 32 bytes each, in the order in which they came; with room for further ones. */
  readonly linkHashes: Uint8Array;
  readonly leafCount: number;
}

export interface Position {
  readonly partition: number;
  readonly offset: number;
}

/** @pool waiting-leaves */
export class Pending {
  readonly #from: ReadonlyMap<number, number>;
  readonly #next: Map<number, number>;
  readonly #runs = new Map<string, { from: number; offsets: number[] }>();
  #linkHashes = new Uint8Array(FIRST_LEAVES * HASH_BYTES);
  #leafCount = 0;
  #dueAt: number | undefined;

  /** @param from next offset by partition after the last cut; a missing partition begins at 0 */
  constructor(from: ReadonlyMap<number, number>) {
    this.#from = from;
    this.#next = new Map(from);
  }

  get leafCount(): number {
    return this.#leafCount;
  }

  /** Earliest time (ms) at which a cut is due, of those that `add` was given; undefined without leaves. */
  get dueAt(): number | undefined {
    return this.#dueAt;
  }

  nextOffset(partition: number): number {
    return this.#next.get(partition) ?? 0;
  }

  /** Returns the number of the subject's last waiting entry. */
  lastNumber(subject: string): number | undefined {
    const run = this.#runs.get(subject);
    return run === undefined ? undefined : run.from + run.offsets.length - 1;
  }

  /** Adds a record with its new entries. */
  add(
    position: Position,
    subject: string | null,
    entries: readonly MinimalEntry[],
    dueAt: (acceptedAt: number) => number,
  ): void {
    this.#next.set(position.partition, position.offset + 1);
    const [first] = entries;
    if (first === undefined || subject === null) return;
    let run = this.#runs.get(subject);
    if (run === undefined) this.#runs.set(subject, (run = { from: first.number, offsets: [] }));
    for (const { linkHash, acceptedAt } of entries) {
      run.offsets.push(this.#keep(linkHash));
      this.#dueAt = Math.min(this.#dueAt ?? Number.MAX_SAFE_INTEGER, dueAt(acceptedAt));
    }
  }

  collected(): Collected {
    const ranges = [...this.#next]
      .map(([partition, to]) => ({ partition, from: this.#from.get(partition) ?? 0, to }))
      .filter(({ from, to }) => to > from)
      .sort((a, b) => a.partition - b.partition);
    return {
      ranges,
      next: this.#next,
      runs: this.#runs,
      linkHashes: this.#linkHashes,
      leafCount: this.#leafCount,
    };
  }

  /** Copies a link hash, and returns where it is. */
  #keep(linkHash: Bytes32): number {
    const offset = this.#leafCount * HASH_BYTES;
    if (offset === this.#linkHashes.length) {
      const grown = new Uint8Array(2 * offset);
      grown.set(this.#linkHashes);
      this.#linkHashes = grown;
    }
    if (typeof linkHash !== 'string') this.#linkHashes.set(linkHash, offset);
    else decodeHexInto(linkHash, 0, this.#linkHashes, offset, HASH_BYTES);
    this.#leafCount += 1;
    return offset;
  }
}

/**
 * Returns the record's entries after the subject's last number; earlier entries are repeated deliveries.
 * @param last −1 when there is none
 * @returns an error text when a number is missing, because no batch may hide a gap in the chain
 */
export function newEntries(entries: readonly MinimalEntry[], last: number): MinimalEntry[] | string {
  const found: MinimalEntry[] = [];
  for (const entry of entries) {
    const expected = last + found.length + 1;
    if (entry.number > expected) return `entry ${entry.number} comes where ${expected} is expected`;
    if (entry.number === expected) found.push(entry);
  }
  return found;
}
