/** Checks consecutive headers, each against the headers before it. */
import {
  DIFFICULTY_ANCESTORS,
  difficultyRules,
  requiredBits,
  type DifficultyRules,
  type HeaderStep,
} from './header-difficulty.ts';
import { targetOf, workOf } from './header-target.ts';
import { doubleSha256, shownHash } from './transaction.ts';

export const BLOCK_HEADER_BYTES = 80;

export interface BlockHeader {
  /** In the byte order of hashing, not of explorers. */
  readonly hash: Uint8Array;
  readonly previous: Uint8Array;
  readonly root: Uint8Array;
  /** Seconds since 1970. */
  readonly time: number;
  readonly bits: number;
}

/** Fault of a header, given the headers before it. */
export type HeaderFault =
  | 'NOT_LINKED'
  | 'NO_WORK'
  | 'TOO_EASY'
  | 'WRONG_DIFFICULTY'
  | 'TIME_TOO_OLD'
  | 'TIME_TOO_NEW';

export interface HeaderRunStart {
  /** `main`, `test`, `regtest` and `dev` have known rules. For other networks, links, work and the distance from `bits` are checked. */
  readonly network: string;
  /** Hash of the block that the first header follows; hex, in the byte order of explorers. */
  readonly hash: string;
  /** Compact target of that block: limits targets that cannot be calculated; required where it never changes. */
  readonly bits: number;
  /** Headers up to and including that block, oldest first; the last 147 are used. Empty when none are known. */
  readonly before?: readonly BlockHeader[];
}

/** Factor by which a target that cannot be calculated may exceed the known block's target. */
const EASIER = 4n;
/** A block must be later than the median time of this many blocks before it. */
const MEDIAN_BLOCKS = 11;
const AHEAD_SECONDS = 2 * 3_600;

/** Parses a header without checking links or work. Returns undefined unless `bytes` are 80 bytes. */
export function parseBlockHeader(bytes: Uint8Array): BlockHeader | undefined {
  if (bytes.length !== BLOCK_HEADER_BYTES) return undefined;
  // A Buffer's `slice` is a view: reversing a part of it would change the header.
  const own = Uint8Array.from(bytes);
  const view = new DataView(own.buffer);
  return {
    hash: doubleSha256(own),
    previous: own.slice(4, 36),
    root: own.slice(36, 68),
    time: view.getUint32(68, true),
    bits: view.getUint32(72, true),
  };
}

/** Returns true when the hash of the header, as a number, is at most its own target. */
export function meetsTarget({ hash, bits }: BlockHeader): boolean {
  const target = targetOf(bits);
  return target !== undefined && BigInt(`0x${shownHash(hash)}`) <= target;
}

/** Checks a run of headers. Skips checks with too few headers before: a target needs 147, the median time 11. */
export class HeaderRun {
  readonly #rules: DifficultyRules | undefined;
  readonly #bits: number;
  readonly #easiest: bigint;
  readonly #steps: HeaderStep[] = [];
  #previous: string;
  #work = 0n;
  #uncalculated = 0;

  constructor({ network, hash, bits, before = [] }: HeaderRunStart) {
    this.#rules = difficultyRules(network);
    this.#previous = hash;
    this.#bits = bits;
    this.#easiest = easiestTarget(bits, this.#rules);
    for (const header of before.slice(-DIFFICULTY_ANCESTORS)) this.#take(header);
    this.#work = 0n;
  }

  /** Work of the headers added, in hashes. */
  get work(): bigint {
    return this.#work;
  }

  /** Number of added headers whose target could not be calculated. */
  get uncalculated(): number {
    return this.#uncalculated;
  }

  /** Adds the header or returns its fault. @param now seconds since 1970; undefined allows times in the future */
  add(header: BlockHeader, now?: number): HeaderFault | undefined {
    if (shownHash(header.previous) !== this.#previous) return 'NOT_LINKED';
    if (!meetsTarget(header)) return 'NO_WORK';
    const fault = this.#difficultyFault(header) ?? this.#timeFault(header, now);
    if (fault !== undefined) return fault;
    this.#take(header);
    return undefined;
  }

  #difficultyFault({ bits, time }: BlockHeader): HeaderFault | undefined {
    const target = targetOf(bits)!;
    if (this.#rules !== undefined && target > this.#rules.limit) return 'TOO_EASY';
    const required = this.#rules && requiredBits(this.#rules, this.#steps, time, this.#bits);
    if (required !== undefined) return bits === required ? undefined : 'WRONG_DIFFICULTY';
    if (target > this.#easiest) return 'TOO_EASY';
    this.#uncalculated += 1;
    return undefined;
  }

  #timeFault({ time }: BlockHeader, now: number | undefined): HeaderFault | undefined {
    const last = this.#steps.slice(-MEDIAN_BLOCKS).map((step) => step.time);
    const median = last.sort((a, b) => a - b)[(MEDIAN_BLOCKS - 1) / 2];
    if (last.length === MEDIAN_BLOCKS && time <= median!) return 'TIME_TOO_OLD';
    return now !== undefined && time > now + AHEAD_SECONDS ? 'TIME_TOO_NEW' : undefined;
  }

  #take({ hash, time, bits }: BlockHeader): void {
    const work = workOf(targetOf(bits)!);
    this.#work += work;
    this.#previous = shownHash(hash);
    this.#steps.push({ time, bits, work: (this.#steps.at(-1)?.work ?? 0n) + work });
    if (this.#steps.length > DIFFICULTY_ANCESTORS) this.#steps.shift();
  }
}

/** Returns the bound of targets that cannot be calculated. Late blocks of `test` may have the highest target. */
function easiestTarget(bits: number, rules: DifficultyRules | undefined): bigint {
  return rules?.isEasyWhenLate === true ? rules.limit : (targetOf(bits) ?? 0n) * EASIER;
}
