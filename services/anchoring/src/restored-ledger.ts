import type { DocumentStore, Ledger } from '@sentinel-node/platform';
import { OWN_COLLECTIONS, type TransactionDocument } from './collections.ts';
import { isRefused } from './domain/transaction-state.ts';

const { transactions } = OWN_COLLECTIONS;

/**
 * Brings a restored development ledger up to the restored transactions: the backup has the ledger of an earlier moment. Sends
 * the transactions that the ledger lacks, the oldest first, because each spends an output of the one before; anchoring then asks
 * about those that are in another block than recorded, or in none. Anchoring must not run meanwhile.
 * @param since the ledger shows transactions as recorded if they changed before this time (ms since 1970)
 * @returns how many the ledger lacked
 */
export async function resendToLedger(
  store: DocumentStore,
  ledger: Pick<Ledger, 'network' | 'status' | 'submit'>,
  since: number,
): Promise<number> {
  const recent: TransactionDocument[] = [];
  for await (const page of store.scan(transactions.name))
    recent.push(...page.filter(({ at, network }) => at >= since && network === ledger.network));
  let sent = 0;
  for (const document of recent.filter((one) => !isRefused(one)).sort((a, b) => a.batch - b.batch)) {
    const { blockHash, txid } = document.record.transaction!;
    const known = await ledger.status(txid);
    if (known === undefined) {
      await ledger.submit(document.extendedTx);
      sent += 1;
    }
    if (document.open === 1 || known?.blockHash === blockHash) continue;
    await store.update(transactions.name, { ...document, rev: document.rev + 1, open: 1 }, document.rev);
  }
  return sent;
}
