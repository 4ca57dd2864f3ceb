/** The last step of a check: the transaction is in a block that the verifier knows from another source. */
import { equalBytes, fromHex } from '../bytes/bytes.ts';
import { bumpRoot, parseBump } from './bump.ts';
import type { ProofFindings } from './findings.ts';
import { meetsTarget, parseBlockHeader, type BlockHeader } from '../ledger/header-run.ts';
import type { HeaderChain } from './headers.ts';
import { isCoinbase, parseTransaction, shownHash } from '../ledger/transaction.ts';
import type { ProofBlock } from './proof.ts';

/** Number of confirmations below which a block may still be replaced. */
export const PROOF_CONFIRMATIONS = 6;
/** How far the time of a block may be off, in milliseconds. */
const BLOCK_TIME_TOLERANCE_MS = 2 * 3_600_000;

/** Block found in the given headers. */
export interface SeenBlock {
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
  readonly confirmations: number;
}

interface BlockToCheck {
  readonly block: ProofBlock;
  /** Hash of the transaction, in the byte order of hashing. */
  readonly hash: Uint8Array;
  readonly acceptedAt: number;
  readonly intervalMs: number;
  readonly headers?: HeaderChain;
}

/** Checks the block. @returns the block, when the given headers contain it and it contains the transaction */
export function checkBlock(of: BlockToCheck, findings: ProofFindings): SeenBlock | undefined {
  const { block, hash, headers } = of;
  findings.claim('CONFIRMATIONS');
  const root = checkedRoot(block, hash, findings);
  const shown = shownHeader(block, findings);
  if (shown !== undefined && root !== undefined && !equalBytes(shown.root, root))
    findings.fail('NOT_IN_BLOCK');
  if (headers === undefined) return void findings.claim('SELF_SUPPLIED');
  const bytes = headers.headerAt(block.height);
  if (bytes === undefined) return void findings.fail('BLOCK_UNKNOWN');
  const header = parseBlockHeader(bytes)!;
  if (shownHash(header.hash) !== block.hash) return void findings.fail('BLOCK_HEADER_DIFFERS');
  if (root === undefined) return undefined;
  if (!equalBytes(header.root, root)) return void findings.fail('NOT_IN_BLOCK');
  findings.hold('BLOCK');
  const confirmations = headers.tipHeight - block.height + 1;
  if (confirmations < PROOF_CONFIRMATIONS) findings.warn('SHALLOW');
  checkTimes(of, header.time * 1_000, findings);
  return { height: block.height, time: header.time, confirmations };
}

/** Returns the root of the block from the Merkle path; undefined when the path is wrong. */
function checkedRoot(block: ProofBlock, hash: Uint8Array, findings: ProofFindings): Uint8Array | undefined {
  const bump = parseBump(fromHex(block.bump));
  if (bump === undefined) return void findings.fail('BUMP_UNREADABLE');
  if (bump.height !== block.height) findings.fail('BUMP_HEIGHT_DIFFERS');
  const found = bumpRoot(bump, hash);
  if (found === undefined) return void findings.fail('NOT_IN_BLOCK');
  if (block.coinbase === null) findings.warn('COINBASE_ABSENT');
  else if (isShown(fromHex(block.coinbase), found.coinbase)) findings.hold('COINBASE');
  else findings.fail('COINBASE_DIFFERS');
  return found.root;
}

function isShown(coinbase: Uint8Array, hash: Uint8Array | undefined): boolean {
  const transaction = parseTransaction(coinbase);
  return (
    transaction !== undefined &&
    hash !== undefined &&
    isCoinbase(transaction) &&
    equalBytes(transaction.hash, hash)
  );
}

/** Returns the header in the proof. It proves nothing, but must be the header of the block that the proof names. */
function shownHeader({ header, hash }: ProofBlock, findings: ProofFindings): BlockHeader | undefined {
  if (header === null) return undefined;
  const parsed = parseBlockHeader(fromHex(header))!;
  if (shownHash(parsed.hash) !== hash || !meetsTarget(parsed)) findings.fail('BLOCK_HEADER_DIFFERS');
  return parsed;
}

function checkTimes(
  { acceptedAt, intervalMs }: BlockToCheck,
  blockTimeMs: number,
  findings: ProofFindings,
): void {
  const waited = blockTimeMs - acceptedAt;
  if (waited < -BLOCK_TIME_TOLERANCE_MS) findings.fail('ACCEPTED_AFTER_BLOCK');
  else findings.hold('TIME');
  if (waited > intervalMs + BLOCK_TIME_TOLERANCE_MS) findings.warn('ANCHORED_LATE');
}
