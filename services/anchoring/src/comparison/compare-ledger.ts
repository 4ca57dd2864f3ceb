/** Compares the ledger's current answer about a transaction with the recorded one. */
import {
  bumpRoot,
  equalBytes,
  fromHex,
  parseBlockHeader,
  parseBump,
  shownHash,
  type AnchorTransaction,
} from '@sentinel-node/contracts';
import { LedgerUnavailableError, type Ledger } from '@sentinel-node/platform';
import type { TransactionDocument } from '../collections.ts';

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
  return pathDifference(transaction, await ledger.header(transaction.blockHeight ?? 0));
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
  return pathDifference(transaction, header);
}

function pathDifference(
  { blockHash, blockHeight, merklePath, txid }: AnchorTransaction,
  known: string | undefined,
): string | undefined {
  const header = known === undefined ? undefined : parseBlockHeader(fromHex(known));
  if (header === undefined || shownHash(header.hash) !== blockHash) return 'the ledger has no such block';
  const bump = merklePath === null ? undefined : parseBump(fromHex(merklePath));
  const found = bump === undefined ? undefined : bumpRoot(bump, fromHex(txid).reverse());
  return bump?.height === blockHeight && found !== undefined && equalBytes(found.root, header.root)
    ? undefined
    : 'its Merkle path does not lead to its block';
}
