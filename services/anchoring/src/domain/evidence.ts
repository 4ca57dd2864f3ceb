/** Evidence for a proof of a batch, besides its cut and the state of its transaction; published with both. */
import type { AnchorEvidence, AnchorTransaction } from '@sentinel-node/contracts';
import type { LedgerAnswer } from '@sentinel-node/platform';
import type { LogState } from './build-cut.ts';

/**
 * Returns the evidence of a batch without a transaction. The header is the last leaf, so its siblings are the peaks of
 * the previous log, the smallest first.
 */
export function evidenceOfCut(before: Pick<LogState, 'peaks'>): AnchorEvidence {
  return { logPath: before.peaks.toReversed(), transaction: null, block: null };
}

/**
 * Returns header and coinbase of the transaction's block; null without a block, or when the ledger does not have them.
 */
export function blockEvidence(
  { status, blockHash }: AnchorTransaction,
  answer: LedgerAnswer | undefined,
): AnchorEvidence['block'] {
  const isSame = status === 'MINED' && answer?.status === 'MINED' && answer.blockHash === blockHash;
  return isSame ? (answer.block ?? null) : null;
}
