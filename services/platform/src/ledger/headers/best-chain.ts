import {
  BLOCK_HEADER_BYTES,
  concatBytes,
  contradictsKnownBlock,
  DIFFICULTY_ANCESTORS,
  meetsTarget,
  HeaderRun,
  parseBlockHeader,
  shownHash,
  targetOf,
  workOf,
  type BlockHeader,
  type HeaderProblem,
  type KnownBlock,
} from '@sentinel-node/contracts';
import { HEADER_LIMITS } from './limits.ts';

/** Number of headers by which the memory grows. */
const ROOM_HEADERS = 8_192;

export interface ChainStart {
  /** `main`, `test` or `regtest`. */
  readonly network: string;
  readonly checkpoint: KnownBlock;
}

export type OfferProblem = HeaderProblem | 'LESS_WORK';
/** `from`: height of the first header that was not known before. */
export type Offered =
  | { readonly outcome: 'TAKEN'; readonly from: number }
  /** Nothing new, or a branch with the same work; the branch that came first stays. */
  | { readonly outcome: 'KEPT' }
  | Refused;
export interface Refused {
  readonly outcome: 'REFUSED';
  readonly problem: OfferProblem;
  readonly height: number;
}

/** Headers that follow a header of the chain, each checked when it is added. */
export class Branch {
  /** Height of the first header. */
  readonly first: number;
  readonly #network: string;
  readonly #run: HeaderRun;
  /** Headers of one request round; limited by the room of the chain. @pool block-headers */
  readonly #parts: Uint8Array[] = [];
  #next: number;

  constructor(network: string, first: number, run: HeaderRun) {
    this.#network = network;
    this.first = first;
    this.#run = run;
    this.#next = first;
  }

  /** Work of the branch, in hashes. */
  get work(): bigint {
    return this.#run.work;
  }

  /** Height of the header that would be added next. */
  get next(): number {
    return this.#next;
  }

  headers(): Uint8Array {
    return concatBytes(...this.#parts);
  }

  /** Adds headers. @returns the first refusal; the branch is then unusable. @param now seconds since 1970 */
  add(headers: Uint8Array, now?: number): Refused | undefined {
    for (let index = 0; index * BLOCK_HEADER_BYTES < headers.length; index++) {
      const header = headerOf(headers, index);
      const problem =
        this.#run.add(header, now) ??
        (contradictsKnownBlock(this.#network, this.#next, shownHash(header.hash))
          ? 'OTHER_CHAIN'
          : undefined);
      if (problem !== undefined) return refused(problem, this.#next);
      this.#next += 1;
    }
    this.#parts.push(headers);
    return undefined;
  }
}

/** Keeps the headers with the most work from a known block on, 80 bytes each. Other branches are not kept. */
export class BestChain {
  readonly network: string;
  readonly checkpoint: KnownBlock;
  /** @pool block-headers */
  #bytes = new Uint8Array(0);
  #count = 0;

  constructor({ network, checkpoint }: ChainStart) {
    this.network = network;
    this.checkpoint = checkpoint;
  }

  /** Height of the newest header; the checkpoint's height minus one for an empty chain. */
  get height(): number {
    return this.checkpoint.height + this.#count - 1;
  }

  /** Returns the 80 bytes of the header; undefined when the chain has none at this height. */
  headerAt(height: number): Uint8Array | undefined {
    const index = height - this.checkpoint.height;
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return undefined;
    return this.#bytes.slice(index * BLOCK_HEADER_BYTES, (index + 1) * BLOCK_HEADER_BYTES);
  }

  /** Returns the headers of the heights [from, to], concatenated. */
  range(from: number, to: number): Uint8Array {
    const start = from - this.checkpoint.height;
    return this.#bytes.slice(
      start * BLOCK_HEADER_BYTES,
      (to - this.checkpoint.height + 1) * BLOCK_HEADER_BYTES,
    );
  }

  /** Returns the work of all headers after the checkpoint, in hashes. */
  work(): bigint {
    return this.#workFrom(this.checkpoint.height + 1);
  }

  /**
   * Takes headers with more work than the headers they replace. Changes nothing when a header is refused.
   * @param from height of the first header, at most one above the chain
   * @param now seconds since 1970; undefined to allow times in the future
   */
  offer(from: number, headers: Uint8Array, now?: number): Offered {
    const known = this.#knownOf(from, headers);
    const first = from + known;
    const count = headers.length / BLOCK_HEADER_BYTES - known;
    if (!Number.isInteger(count)) return refused('NOT_HEADERS', first);
    if (count === 0) return { outcome: 'KEPT' };
    if (first - this.checkpoint.height + count > HEADER_LIMITS.headers)
      return refused('TOO_MANY_HEADERS', first);
    const fresh = headers.subarray(known * BLOCK_HEADER_BYTES);
    if (this.#count > 0) return this.#append(first, fresh, now);
    return first === this.checkpoint.height ? this.#begin(fresh, now) : refused('OTHER_CHAIN', first);
  }

  /** Returns how many of the first offered headers the chain already has. */
  #knownOf(from: number, headers: Uint8Array): number {
    let known = 0;
    for (; (known + 1) * BLOCK_HEADER_BYTES <= headers.length; known++) {
      const ours = this.headerAt(from + known);
      const offered = headers.subarray(known * BLOCK_HEADER_BYTES, (known + 1) * BLOCK_HEADER_BYTES);
      if (ours === undefined || Buffer.compare(ours, offered) !== 0) break;
    }
    return known;
  }

  #begin(headers: Uint8Array, now: number | undefined): Offered {
    const { height, hash } = this.checkpoint;
    const first = parseBlockHeader(headers.slice(0, BLOCK_HEADER_BYTES))!;
    if (shownHash(first.hash) !== hash || contradictsKnownBlock(this.network, height, hash))
      return refused('OTHER_CHAIN', height);
    if (!meetsTarget(first)) return refused('NO_WORK', height);
    this.#put(height, headers.subarray(0, BLOCK_HEADER_BYTES));
    const more = headers.subarray(BLOCK_HEADER_BYTES);
    const rest: Offered = more.length === 0 ? { outcome: 'KEPT' } : this.#append(height + 1, more, now);
    if (rest.outcome !== 'REFUSED') return { outcome: 'TAKEN', from: height };
    this.#count = 0;
    return rest;
  }

  #append(first: number, headers: Uint8Array, now: number | undefined): Offered {
    if (first <= this.checkpoint.height) return refused('OTHER_CHAIN', first);
    if (first > this.height + 1) return refused('NOT_LINKED', first);
    const branch = this.branchAfter(first - 1);
    return branch.add(headers, now) ?? this.take(branch);
  }

  /** Starts a branch that replaces the headers above a known height. */
  branchAfter(height: number): Branch {
    return new Branch(this.network, height + 1, this.#runAfter(height));
  }

  /** Takes the whole branch if its work exceeds that of the headers it replaces. */
  take(branch: Branch): Offered {
    const { first } = branch;
    const replaced = this.#workFrom(first);
    if (branch.work < replaced) return refused('LESS_WORK', first);
    if (branch.work === replaced) return { outcome: 'KEPT' };
    this.#put(first, branch.headers());
    return { outcome: 'TAKEN', from: first };
  }

  #runAfter(height: number): HeaderRun {
    const from = Math.max(this.checkpoint.height, height - DIFFICULTY_ANCESTORS + 1);
    const bytes = this.range(from, height);
    const before = Array.from({ length: height - from + 1 }, (_, index) => headerOf(bytes, index));
    const { bits } = parseBlockHeader(this.headerAt(this.checkpoint.height)!)!;
    return new HeaderRun({ network: this.network, hash: shownHash(before.at(-1)!.hash), bits, before });
  }

  #workFrom(height: number): bigint {
    let work = 0n;
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset);
    for (let index = height - this.checkpoint.height; index < this.#count; index++)
      work += workOf(targetOf(view.getUint32(index * BLOCK_HEADER_BYTES + 72, true))!);
    return work;
  }

  #put(from: number, headers: Uint8Array): void {
    const start = (from - this.checkpoint.height) * BLOCK_HEADER_BYTES;
    const end = start + headers.length;
    if (end > this.#bytes.length) {
      const room = Math.ceil(end / BLOCK_HEADER_BYTES / ROOM_HEADERS) * ROOM_HEADERS * BLOCK_HEADER_BYTES;
      const grown = new Uint8Array(room);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(headers, start);
    this.#count = end / BLOCK_HEADER_BYTES;
  }
}

const headerOf = (headers: Uint8Array, index: number): BlockHeader =>
  parseBlockHeader(headers.slice(index * BLOCK_HEADER_BYTES, (index + 1) * BLOCK_HEADER_BYTES))!;

const refused = (problem: OfferProblem, height: number): Refused => ({
  outcome: 'REFUSED',
  problem,
  height,
});
