import { entryLeafHash, mapKeyInto, orderOfKeys } from '@sentinel-node/contracts';
import type { YieldTurn, SortedLeaves } from './leaf-tree.ts';
import { PROOF_WORK } from './limits.ts';

const HASH = 32;
/** Room for this many subjects at first; the room doubles when it is full. */
const FIRST_SUBJECTS = 64;

export interface BatchEntry {
  readonly number: number;
  readonly linkHash: string;
}

/**
 * Collects the leaves of one batch from the records, 36 bytes each, and sorts the leaves by subject.
 * @pool proof-trees
 */
export class LeafCollector {
  readonly #logId: Uint8Array;
  readonly #limit: number;
  readonly #subjects = new Map<string, number>();
  /** Map keys, 32 bytes each, with spare room. */
  #keys = new Uint8Array(FIRST_SUBJECTS * HASH);
  readonly #firsts: number[] = [];
  readonly #counts: number[] = [];
  readonly #hashes: Uint8Array;
  readonly #subjectOf: Uint32Array;
  #count = 0;
  #hasMore = false;

  /** @param leafCount number of leaves of the batch; the collector takes no more */
  constructor(logId: Uint8Array, leafCount: number) {
    this.#logId = logId;
    this.#limit = leafCount;
    this.#hashes = new Uint8Array(leafCount * HASH);
    this.#subjectOf = new Uint32Array(leafCount);
  }

  /** True when the number of leaves is the batch's. */
  get isWhole(): boolean {
    return this.#count === this.#limit && !this.#hasMore;
  }

  /**
   * Takes an entry when it is the subject's first or follows the subject's last. Other entries are repeated deliveries.
   */
  take(fileId: string, { number, linkHash }: BatchEntry): void {
    const known = this.#subjects.get(fileId);
    if (known !== undefined && number !== this.#firsts[known]! + this.#counts[known]!) return;
    if (this.#count === this.#limit) {
      this.#hasMore = true;
      return;
    }
    const subject = known ?? this.#begin(fileId, number);
    const leaf = entryLeafHash(keyAt(this.#keys, subject), number, linkHash);
    this.#hashes.set(leaf, this.#count * HASH);
    this.#subjectOf[this.#count] = subject;
    this.#counts[subject]! += 1;
    this.#count += 1;
  }

  /** Sorts the leaves by subject. Within a subject the entries already come in the order of their numbers. */
  async sort(yieldTurn: YieldTurn): Promise<SortedLeaves> {
    const order = orderOfKeys(this.#keys.subarray(0, this.#firsts.length * HASH));
    const starts = new Uint32Array(order.length + 1);
    const numbers = new Float64Array(order.length);
    const keys = new Uint8Array(order.length * HASH);
    const next = new Uint32Array(order.length);
    for (const [rank, subject] of order.entries()) {
      keys.set(keyAt(this.#keys, subject), rank * HASH);
      numbers[rank] = this.#firsts[subject]!;
      next[subject] = starts[rank]!;
      starts[rank + 1] = starts[rank]! + this.#counts[subject]!;
    }
    const hashes = new Uint8Array(this.#count * HASH);
    for (let leaf = 0; leaf < this.#count; leaf++) {
      const at = next[this.#subjectOf[leaf]!]!++;
      hashes.set(this.#hashes.subarray(leaf * HASH, (leaf + 1) * HASH), at * HASH);
      if (leaf % PROOF_WORK.stepsPerTurn === 0) await yieldTurn();
    }
    return { keys, starts, numbers, hashes };
  }

  #begin(fileId: string, number: number): number {
    const subject = this.#firsts.length;
    this.#subjects.set(fileId, subject);
    if ((subject + 1) * HASH > this.#keys.length) this.#keys = twice(this.#keys);
    mapKeyInto(this.#keys, subject * HASH, this.#logId, 'FILE', fileId);
    this.#firsts.push(number);
    this.#counts.push(0);
    return subject;
  }
}

const keyAt = (keys: Uint8Array, subject: number): Uint8Array =>
  keys.subarray(subject * HASH, (subject + 1) * HASH);

function twice(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(2 * bytes.length);
  grown.set(bytes);
  return grown;
}
