/**
 * Required target of a block, by network. Taken from bitcoin-sv 879fc8b4, src/pow.cpp (GetNextCashWorkRequired,
 * ComputeTarget, GetSuitableBlock) and src/chainparams.cpp: the rules since November 2017, which BSV kept.
 */
import { bitsOf } from './header-target.ts';

/** Values of one block from which the difficulty of later blocks is calculated. */
export interface HeaderStep {
  /** Seconds since 1970. */
  readonly time: number;
  readonly bits: number;
  /** Sum of the work up to and including this block, counted from an arbitrary block. */
  readonly work: bigint;
}

export interface DifficultyRules {
  /** Highest allowed target. */
  readonly limit: bigint;
  /** `constant`: every block has its predecessor's target; `average`: calculated from the work of the last 144 blocks. */
  readonly kind: 'constant' | 'average';
  /** When true, a block more than 20 minutes after its predecessor has the highest target. */
  readonly isEasyWhenLate: boolean;
}

/** Number of preceding blocks from which a target is calculated: 144, and three more for the medians of three. */
export const DIFFICULTY_ANCESTORS = 147;
const WINDOW = 144;
const SPACING_SECONDS = 600;
const LATE_SECONDS = 2 * SPACING_SECONDS;
const SHORTEST_SECONDS = 72 * SPACING_SECONDS;
const LONGEST_SECONDS = 288 * SPACING_SECONDS;
const PUBLIC_LIMIT = (1n << 224n) - 1n;
const EASY: DifficultyRules = { limit: (1n << 255n) - 1n, kind: 'constant', isEasyWhenLate: false };

const RULES: Readonly<Record<string, DifficultyRules>> = {
  main: { limit: PUBLIC_LIMIT, kind: 'average', isEasyWhenLate: false },
  test: { limit: PUBLIC_LIMIT, kind: 'average', isEasyWhenLate: true },
  regtest: EASY,
  dev: EASY,
};

/** Returns the rules of a network, or undefined when they are not known. */
export const difficultyRules = (network: string): DifficultyRules | undefined =>
  Object.hasOwn(RULES, network) ? RULES[network] : undefined;

/** Returns true when anybody can make blocks of the network at will: the development ledger, regression tests. */
export const isForgeable = (network: string): boolean => difficultyRules(network)?.kind === 'constant';

/** Returns true when neither the makers of the network's blocks nor the blocks' cost are known. */
export const isUnknownNetwork = (network: string): boolean => difficultyRules(network) === undefined;

/**
 * Returns the compact target of the block after the last step; undefined when too few steps are known.
 * @param steps newest last @param time of the block, seconds since 1970
 * @param knownBits compact target of the known block that the headers follow
 */
export function requiredBits(
  rules: DifficultyRules,
  steps: readonly HeaderStep[],
  time: number,
  knownBits: number,
): number | undefined {
  if (rules.kind === 'constant') return knownBits;
  const before = steps.at(-1);
  if (before === undefined) return undefined;
  if (rules.isEasyWhenLate && time > before.time + LATE_SECONDS) return bitsOf(rules.limit);
  if (steps.length < DIFFICULTY_ANCESTORS) return undefined;
  const target = averageTarget(medianOfThree(steps, WINDOW), medianOfThree(steps, 0));
  return bitsOf(target > rules.limit ? rules.limit : target);
}

/**
 * Returns the target for ten minutes a block at the speed between two blocks. The time between them is limited to half
 * and twice the nominal time of 144 blocks.
 */
function averageTarget(first: HeaderStep, last: HeaderStep): bigint {
  const seconds = Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, last.time - first.time));
  const work = ((last.work - first.work) * BigInt(SPACING_SECONDS)) / BigInt(seconds);
  return ((1n << 256n) - work) / work;
}

/** Returns the block with the median time of three. `EXCHANGES` decides between equal times as in all nodes. */
function medianOfThree(steps: readonly HeaderStep[], back: number): HeaderStep {
  const three = [steps.at(-3 - back)!, steps.at(-2 - back)!, steps.at(-1 - back)!];
  for (const [left, right] of EXCHANGES)
    if (three[left]!.time > three[right]!.time) [three[left], three[right]] = [three[right]!, three[left]!];
  return three[1]!;
}

const EXCHANGES = [
  [0, 2],
  [0, 1],
  [1, 2],
] as const;
