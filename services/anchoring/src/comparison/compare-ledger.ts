/** Compares the ledger's current answer about a transaction with the recorded one. */
import type { AnchorTransaction } from '@sentinel-node/contracts';
import { LedgerUnavailableError, type Ledger } from '@sentinel-node/platform';
import type { TransactionDocument } from '../collections.ts';
import { blockDifference } from '../domain/block-difference.ts';

/**
 * Returns the difference in words; undefined when the transaction is as recorded, or not in a block yet. A transaction
 * that is not deep yet may move to another block. @throws LedgerUnavailableError
 */
export async function ledgerDifference(
  { open, record: { transaction } }: TransactionDocument,
  ledger: Pick<Ledger, 'forgets' | 'header' | 'height' | 'status'>,
): Promise<string | undefined> {
  if (transaction === null || transaction.status !== 'MINED') return undefined;
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
