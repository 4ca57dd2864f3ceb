/** Checks bare block headers from a source other than the proof. */
import { contradictsKnownBlock } from '../ledger/header-checkpoints.ts';
import { difficultyRules } from '../ledger/header-difficulty.ts';
import {
  BLOCK_HEADER_BYTES,
  meetsTarget,
  HeaderRun,
  parseBlockHeader,
  type BlockHeader,
  type HeaderFault,
} from '../ledger/header-run.ts';
import { targetOf } from '../ledger/header-target.ts';
import { shownHash } from '../ledger/transaction.ts';

/** Block that the verifier knows, built in or given. Height −1 and a hash of zeros mean the place before the first block. */
export interface HeaderCheckpoint {
  readonly height: number;
  /** Hex, in the byte order of explorers. */
  readonly hash: string;
  /** Compact target of the block; can be left out when the headers begin with the block itself. */
  readonly bits?: number;
}

/** Checked headers that follow a checkpoint. */
export interface HeaderChain {
  readonly tipHeight: number;
  /** Seconds since 1970. */
  readonly tipTime: number;
  /** Average number of hashes to make these headers. */
  readonly work: bigint;
  /** Number of these headers whose target could not be calculated, because too few headers before them are known. */
  readonly uncalculated: number;
  /** Returns the 80 bytes; undefined outside the chain. */
  headerAt(height: number): Uint8Array | undefined;
}

export type HeaderProblem =
  | HeaderFault
  | 'BEFORE_FORK'
  | 'NOT_HEADERS'
  | 'TOO_MANY_HEADERS'
  | 'BITS_UNKNOWN'
  | 'OTHER_CHAIN';

export interface HeaderRefusal {
  readonly problem: HeaderProblem;
  /** Height of the first refused header; undefined when the problem is not of a single header. */
  readonly height?: number;
}

/** First block of BSV alone: BTC, BCH and BSV share earlier blocks. */
export const FIRST_OWN_BLOCK = 556_767;
/** Limit of a run: about 76 years of blocks. */
export const MAX_HEADERS = 4_000_000;

/**
 * Checks headers from a checkpoint on.
 * @param headers consecutive headers without separators; the first follows the checkpoint, or is its block
 * @param network on `main`, the headers must begin after the fork of 2018
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

/** Same as `checkHeaders`, one header a step, so that a page can do other work between. Yields the number checked. */
export function* headerSteps(
  headers: Uint8Array,
  checkpoint: HeaderCheckpoint,
  network: string,
): Generator<number, HeaderChain | HeaderRefusal> {
  const count = headers.length / BLOCK_HEADER_BYTES;
  // Before the form: a reader of a larger file stops one byte after the limit.
  if (count > MAX_HEADERS) return { problem: 'TOO_MANY_HEADERS' };
  if (!Number.isInteger(count) || count === 0) return { problem: 'NOT_HEADERS' };
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

/** The known block is trusted by its hash; its target must still be allowed on the network. */
function knownFault(known: BlockHeader, network: string): HeaderFault | undefined {
  if (!meetsTarget(known)) return 'NO_WORK';
  const limit = difficultyRules(network)?.limit;
  return limit !== undefined && targetOf(known.bits)! > limit ? 'TOO_EASY' : undefined;
}
