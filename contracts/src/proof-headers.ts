/** Bare block headers from elsewhere than the proof; a transaction is in one of their blocks. */
import { contradictsKnownBlock } from './header-checkpoints.ts';
import { difficultyRules } from './header-difficulty.ts';
import {
  BLOCK_HEADER_BYTES,
  meetsTarget,
  HeaderRun,
  parseBlockHeader,
  type BlockHeader,
  type HeaderFault,
} from './header-run.ts';
import { targetOf } from './header-target.ts';
import { shownHash } from './proof-transaction.ts';

/** A block that the verifier knows: shipped with it, or given. Before the first block: height −1, hash of zeros. */
export interface HeaderCheckpoint {
  readonly height: number;
  /** As explorers show it, hex. */
  readonly hash: string;
  /** Compact target of the block; can be left out when the headers begin with the block itself. */
  readonly bits?: number;
}

/** Headers that follow a checkpoint, checked. */
export interface HeaderChain {
  readonly tipHeight: number;
  /** Seconds since 1970. */
  readonly tipTime: number;
  /** Hashes that it takes on average to make these headers. */
  readonly work: bigint;
  /** How many of these headers have a target that could not be calculated: too few before them are known. */
  readonly uncalculated: number;
  /** The 80 bytes; undefined outside of the chain. */
  headerAt(height: number): Uint8Array | undefined;
}

export type HeaderProblem =
  HeaderFault | 'BEFORE_FORK' | 'NOT_HEADERS' | 'TOO_MANY_HEADERS' | 'BITS_UNKNOWN' | 'OTHER_CHAIN';

export interface HeaderRefusal {
  readonly problem: HeaderProblem;
  /** Of the first header that is refused; undefined: it is none of them alone. */
  readonly height?: number;
}

/** First block of this chain alone: BTC, BCH and BSV have those before in common. */
export const FIRST_OWN_BLOCK = 556_767;
/** Longer runs are refused: about 76 years of blocks. */
export const MAX_HEADERS = 4_000_000;

/**
 * @param headers consecutive headers without anything between; the first follows the checkpoint, or is its block
 * @param network `main` has to begin after the fork of 2018
 */
export function checkHeaders(
  headers: Uint8Array,
  checkpoint: HeaderCheckpoint,
  network: string,
): HeaderChain | HeaderRefusal {
  const steps = headerSteps(headers, checkpoint, network);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** `checkHeaders`, a header a step, for a page that has other work between; each step gives how many were checked. */
export function* headerSteps(
  headers: Uint8Array,
  checkpoint: HeaderCheckpoint,
  network: string,
): Generator<number, HeaderChain | HeaderRefusal> {
  const count = headers.length / BLOCK_HEADER_BYTES;
  if (!Number.isInteger(count) || count === 0) return { problem: 'NOT_HEADERS' };
  if (count > MAX_HEADERS) return { problem: 'TOO_MANY_HEADERS' };
  if (network === 'main' && checkpoint.height < FIRST_OWN_BLOCK) return { problem: 'BEFORE_FORK' };
  const bytesAt = (index: number): Uint8Array =>
    headers.slice(index * BLOCK_HEADER_BYTES, (index + 1) * BLOCK_HEADER_BYTES);
  const known = parseBlockHeader(bytesAt(0))!;
  const isKnown = shownHash(known.hash) === checkpoint.hash;
  const bits = isKnown ? known.bits : checkpoint.bits;
  if (bits === undefined) return { problem: 'BITS_UNKNOWN' };
  if (contradictsKnownBlock(network, checkpoint.height, checkpoint.hash))
    return { problem: 'OTHER_CHAIN', height: checkpoint.height };
  const fault = isKnown ? knownFault(known, network) : undefined;
  if (fault !== undefined) return { problem: fault, height: checkpoint.height };
  const run = new HeaderRun({ network, hash: checkpoint.hash, bits, before: isKnown ? [known] : [] });
  const first = checkpoint.height + (isKnown ? 0 : 1);
  let { time } = known;
  for (let index = isKnown ? 1 : 0; index < count; index++) {
    const header = parseBlockHeader(bytesAt(index))!;
    const height = first + index;
    const problem =
      run.add(header) ??
      (contradictsKnownBlock(network, height, shownHash(header.hash)) ? 'OTHER_CHAIN' : undefined);
    if (problem !== undefined) return { problem, height };
    ({ time } = header);
    yield index + 1;
  }
  const headerAt = (height: number): Uint8Array | undefined =>
    Number.isInteger(height) && height >= first && height < first + count
      ? bytesAt(height - first)
      : undefined;
  const { uncalculated, work } = run;
  return { tipHeight: first + count - 1, tipTime: time, work, uncalculated, headerAt };
}

/** The known block is taken by its hash; its own target has to be one of the network nevertheless. */
function knownFault(known: BlockHeader, network: string): HeaderFault | undefined {
  if (!meetsTarget(known)) return 'NO_WORK';
  const limit = difficultyRules(network)?.limit;
  return limit !== undefined && targetOf(known.bits)! > limit ? 'TOO_EASY' : undefined;
}
