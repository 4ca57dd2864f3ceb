/** Compares the ledger's current answer about a transaction with the recorded one. */
import type { AnchorTransaction } from '@sentinel-node/contracts';
import { LedgerUnavailableError, type Ledger } from '@sentinel-node/platform';
import type { TransactionDocument } from '../collections.ts';
import { blockDifference, heightDifference } from '../domain/block-difference.ts';

/**
 * Returns the difference in words; undefined when the transaction is as recorded, or not in a block yet. A transaction
 * that is not deep yet may move to another block. @throws LedgerUnavailableError
 */
export async function ledgerDifference(
  { open, record: { transaction } }: TransactionDocument,
  ledger: Pick<Ledger, 'firstHeight' | 'forgets' | 'header' | 'height' | 'status'>,
): Promise<string | undefined> {
  if (transaction === null || transaction.status !== 'MINED') return undefined;
  const misplaced = beforeHeaders(transaction, ledger);
  if (misplaced !== undefined) return misplaced;
  if (ledger.forgets) return open === 1 ? undefined : headerDifference(transaction, ledger);
  const answer = await ledger.status(transaction.txid);
  if (open === 1 && answer?.blockHash !== transaction.blockHash) return undefined;
  if (answer === undefined) return 'the ledger does not know its transaction any more';
  const isSame =
    answer.status === 'MINED' &&
    answer.blockHash === transaction.blockHash &&
    answer.blockHeight === transaction.blockHeight &&
    answer.merklePath === transaction.merklePath;
  if (!isSame) return 'the ledger says something else of its transaction than before';
  return blockDifference(transaction, await ledger.header(transaction.blockHeight ?? 0));
}

/** The calls of an audit to a ledger. */
export type AuditedLedger = Pick<
  Ledger,
  'closingDepth' | 'firstHeight' | 'forgets' | 'header' | 'height' | 'network' | 'status'
>;

export interface ShownTransaction {
  /** In words; undefined when the transaction is as recorded, or not deep enough to say. */
  readonly difference: string | undefined;
  /** Whether a block that the ledger has shows the transaction. */
  readonly isInBlock: boolean;
  /** Whether it is in no block that is deep enough, so that it may still move. */
  readonly isUnsettled: boolean;
}

/**
 * Compares like `ledgerDifference`, for an audit: the blocks say what is deep, not the record, because a record that
 * is open can be left by polls that failed, or be made by somebody who writes the store. @throws LedgerUnavailableError
 */
export async function shownByLedger(
  document: TransactionDocument,
  ledger: AuditedLedger,
): Promise<ShownTransaction> {
  const { transaction } = document.record;
  if (transaction?.status !== 'MINED') return { difference: undefined, isInBlock: false, isUnsettled: false };
  if (document.open !== 1)
    return { difference: await ledgerDifference(document, ledger), isInBlock: true, isUnsettled: false };
  const misplaced = beforeHeaders(transaction, ledger);
  if (misplaced !== undefined) return { difference: misplaced, isInBlock: true, isUnsettled: false };
  const height = transaction.blockHeight ?? Infinity;
  const isDeep = (await ledger.height()) - height + 1 >= ledger.closingDepth;
  const known = height === Infinity ? undefined : await ledger.header(height);
  const difference = blockDifference(transaction, known);
  if (difference === undefined)
    return { difference: await ledgerDifference(document, ledger), isInBlock: true, isUnsettled: !isDeep };
  if (!isDeep) return { difference: undefined, isInBlock: false, isUnsettled: true };
  // A reorganisation while nobody asked the ledger: then it shows the transaction in another block.
  const isMoved = (await ledger.status(transaction.txid))?.status === 'MINED';
  return isMoved
    ? { difference: undefined, isInBlock: true, isUnsettled: true }
    : { difference, isInBlock: false, isUnsettled: false };
}

/**
 * Returns undefined when the headers begin early enough. Of a block before them nothing can be said, neither that it fits nor
 * that it contradicts, unless the transaction's own path is of another one. @throws LedgerUnavailableError
 */
function beforeHeaders(
  transaction: AnchorTransaction,
  { firstHeight }: Pick<Ledger, 'firstHeight'>,
): string | undefined {
  const { blockHeight } = transaction;
  if (blockHeight === null || blockHeight >= firstHeight) return undefined;
  const difference = heightDifference(transaction);
  if (difference !== undefined) return difference;
  throw new LedgerUnavailableError(
    `the block headers begin at block ${firstHeight}, a batch is in block ${blockHeight} and cannot be compared: SENTINEL_HEADERS_CHECKPOINT has to name that block or an earlier one`,
  );
}

/** Compares with the headers alone. @throws LedgerUnavailableError while the headers end before the block */
async function headerDifference(
  transaction: AnchorTransaction,
  ledger: Pick<Ledger, 'header' | 'height'>,
): Promise<string | undefined> {
  const height = transaction.blockHeight ?? 0;
  const [tip, header] = [await ledger.height(), await ledger.header(height)];
  if (header === undefined && height > tip)
    throw new LedgerUnavailableError(`the block headers end at ${tip}, a batch is in block ${height}`);
  return blockDifference(transaction, header);
}
