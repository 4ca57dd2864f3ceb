/** Derives the state of a batch's transaction from the ledger's answers. */
import { keysOf, type AnchorTransaction } from '@sentinel-node/contracts';
import type { LedgerAnswer, LedgerStatus } from '@sentinel-node/platform';
import type { TransactionDocument } from '../collections.ts';
import { ANCHORING_LIMITS } from '../limits.ts';

export const SIGNED = 'SIGNED';

/** Statuses on the way to the network, in this order; a later answer of the ledger may name an earlier status. */
const ON_THE_WAY: readonly LedgerStatus[] = [
  'QUEUED',
  'RECEIVED',
  'STORED',
  'ANNOUNCED_TO_NETWORK',
  'REQUESTED_BY_NETWORK',
  'SENT_TO_NETWORK',
  'ACCEPTED_BY_NETWORK',
  'SEEN_ON_NETWORK',
];

export function signed(txid: string): AnchorTransaction {
  return { txid, status: SIGNED, blockHash: null, blockHeight: null, merklePath: null, confirmations: 0 };
}

/**
 * Returns the transaction after an answer; the same object without a change.
 * @param tip height of the newest block
 */
export function observe(before: AnchorTransaction, answer: LedgerAnswer, tip: number): AnchorTransaction {
  const after =
    answer.status === 'MINED'
      ? mined(before, answer, tip)
      : { ...signed(before.txid), status: answer.status };
  const keys = keysOf(after);
  return goesBack(before.status, answer.status) || keys.every((key) => after[key] === before[key])
    ? before
    : after;
}

function mined(before: AnchorTransaction, answer: LedgerAnswer, tip: number): AnchorTransaction {
  const blockHeight = answer.blockHeight ?? null;
  return {
    txid: before.txid,
    status: answer.status,
    blockHash: answer.blockHash ?? null,
    blockHeight,
    merklePath: answer.merklePath ?? null,
    confirmations: blockHeight === null ? 1 : Math.max(1, tip - blockHeight + 1),
  };
}

function goesBack(before: string, after: LedgerStatus): boolean {
  const reached = ON_THE_WAY.findIndex((status) => status === before);
  const answered = ON_THE_WAY.indexOf(after);
  return answered >= 0 && answered < reached;
}

/** Returns whether the next anchor may spend the transaction's output 1. */
export function isSpendable(transaction: Pick<AnchorTransaction, 'status'>): boolean {
  return transaction.status === 'SEEN_ON_NETWORK' || transaction.status === 'MINED';
}

/** Returns whether the transaction is on the network, or was in a block that was replaced, and waits for a block. */
export function isUnmined(transaction: AnchorTransaction): boolean {
  const { status } = transaction;
  return (isSpendable(transaction) && status !== 'MINED') || status === 'MINED_IN_STALE_BLOCK';
}

export function isRejected(transaction: AnchorTransaction): boolean {
  return transaction.status === 'REJECTED';
}

/**
 * Returns whether the ledger refuses the transaction, or has another that spends the same outputs; then a person
 * decides when to continue.
 */
export function needsResume(status: string): boolean {
  return status === 'REJECTED' || status === 'DOUBLE_SPEND_ATTEMPTED';
}

/**
 * Returns whether the ledger has the transaction and does not get on with it: outputs that it spends are missing or, for
 * all that nodes say, spent in a block; or its block was replaced.
 */
export function isSetAside(status: string): boolean {
  return status === 'SEEN_IN_ORPHAN_MEMPOOL' || status === 'MINED_IN_STALE_BLOCK';
}

/** Returns how many answers have set the transaction aside after this one, since it was last on the network. */
export function countSetAside(before: number | undefined, status: LedgerStatus): number | undefined {
  if (isSpendable({ status })) return undefined;
  if (!isSetAside(status)) return before;
  return Math.min((before ?? 0) + 1, ANCHORING_LIMITS.setAsideAnswers);
}

/** Returns whether the transaction was set aside for so long that it counts as refused. */
export function isLeftAside(answers: number | undefined): boolean {
  return (answers ?? 0) >= ANCHORING_LIMITS.setAsideAnswers;
}

/**
 * Returns whether the anchor counts as refused: the ledger refuses it, or has set it aside for too long. Then a person
 * decides when to continue.
 */
export function isRefused({ record, setAside }: Pick<TransactionDocument, 'record' | 'setAside'>): boolean {
  return needsResume(record.transaction?.status ?? SIGNED) || isLeftAside(setAside);
}

export interface Closing {
  /** Confirmations after which a transaction is final. */
  readonly depth: number;
  /** Whether a later batch has a transaction, which spends an output of this one. */
  readonly isFollowed: boolean;
}

/**
 * Returns whether the ledger need not be asked about the transaction any more. A refused one that others follow was on
 * the network and can be mined all the same; only the newest stays refused until a person resumes it.
 */
export function isClosed(transaction: AnchorTransaction, { depth, isFollowed }: Closing): boolean {
  if (isRejected(transaction)) return !isFollowed;
  return transaction.status === 'MINED' && transaction.confirmations >= depth;
}
