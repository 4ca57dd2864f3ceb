/** Checks consecutive headers, each against the headers before it. */
import {
  DIFFICULTY_ANCESTORS,
  difficultyRules,
  requiredBits,
  type DifficultyRules,
  type HeaderStep,
} from './header-difficulty.ts';
import { targetOf, workOf } from './header-target.ts';
import { doubleSha256, shownHash } from './proof-transaction.ts';

export const BLOCK_HEADER_BYTES = 80;

export interface BlockHeader {
  /** As hashed. */
  readonly hash: Uint8Array;
  readonly previous: Uint8Array;
  readonly root: Uint8Array;
  /** Seconds since 1970. */
  readonly time: number;
  readonly bits: number;
}

/** Fault of one header after the headers before it. */
export type HeaderFault =
  'NOT_LINKED' | 'NO_WORK' | 'TOO_EASY' | 'WRONG_DIFFICULTY' | 'TIME_TOO_OLD' | 'TIME_TOO_NEW';

export interface HeaderRunStart {
  /** `main`, `test`, `regtest` and `dev` have known rules. For other networks, links, work and the distance from `bits` are checked. */
  readonly network: string;
  /** Block that the first header follows, as explorers show it, hex. */
  readonly hash: string;
  /** Compact target of that block: the first headers may not lie far above, or have the same where it never changes. */
  readonly bits: number;
  /** Headers that end with that block, oldest first; the last 147 count. Empty: none are known. */
  readonly before?: readonly BlockHeader[];
}

/** How far a target may lie above the known block's while it cannot be calculated. */
const EASIER = 4n;
/** A block is later than the median of so many before it. */
const MEDIAN_BLOCKS = 11;
const AHEAD_SECONDS = 2 * 3_600;

/** undefined unless there are 80 bytes. Neither links nor work are checked. */
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

/** Whether the hash of the header, as a number, is at most its own target. */
export function meetsTarget({ hash, bits }: BlockHeader): boolean {
  const target = targetOf(bits);
  return target !== undefined && BigInt(`0x${shownHash(hash)}`) <= target;
}

/** A run of headers. What cannot be known so early is left out: a target without 147 headers before it, a time without 11. */
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

  /** How many of the headers added have a target that could not be calculated. */
  get uncalculated(): number {
    return this.#uncalculated;
  }

  /** Takes the header if nothing is wrong with it. @param now seconds since 1970; undefined: it may lie in the future */
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

/** Late blocks of the test network can have the highest target: no other bound holds there before one can be calculated. */
function easiestTarget(bits: number, rules: DifficultyRules | undefined): bigint {
  return rules?.isEasyWhenLate === true ? rules.limit : (targetOf(bits) ?? 0n) * EASIER;
}
