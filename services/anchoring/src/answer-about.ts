/** Finds out what became of a transaction: by the ledger, by the headers, and by sending it again. */
import type { DocumentStore, Ledger, LedgerAnswer } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type TransactionDocument } from './collections.ts';
import { blockDifference } from './domain/block-difference.ts';
import { isSetAside, SIGNED } from './domain/transaction-state.ts';
import { ANCHORING_LIMITS } from './limits.ts';
import { sendAgain } from './send-again.ts';

const { transactions } = OWN_COLLECTIONS;

interface AnswerDeps {
  readonly ledger: Pick<Ledger, 'header' | 'status' | 'submit'>;
  readonly store: Pick<DocumentStore, 'get'>;
}

/**
 * Returns the ledger's answer about an anchor. One that was lost on the way or never sent is sent, one that the ledger has set aside
 * is sent again. @throws LedgerUnavailableError
 */
export async function answerAbout(document: TransactionDocument, deps: AnswerDeps): Promise<LedgerAnswer> {
  const { ledger } = deps;
  const { status, txid } = document.record.transaction!;
  const known = status === SIGNED ? undefined : await ledger.status(txid);
  if (known?.status === 'MINED') return known;
  const proven = await provenAnswer(document, ledger);
  if (proven !== undefined) return proven;
  if (known === undefined) return ledger.submit(document.extendedTx);
  return isSetAside(known.status) ? sendWithParents(document, known, deps) : known;
}

/**
 * Sends a transaction that the ledger has set aside once more, after the anchors whose outputs it spends, because the ledger
 * may lack one of these; its other inputs are in blocks.
 */
async function sendWithParents(
  document: TransactionDocument,
  known: LedgerAnswer,
  { ledger, store }: AnswerDeps,
): Promise<LedgerAnswer> {
  const parents = await parentsOf(document, store);
  return sendAgain(
    ledger,
    [...parents, document].map(({ extendedTx }) => extendedTx),
    known,
  );
}

/** Returns the batches before that are in no block, the oldest first. */
async function parentsOf(
  { batch }: Pick<TransactionDocument, 'batch'>,
  store: AnswerDeps['store'],
): Promise<readonly TransactionDocument[]> {
  const parents: TransactionDocument[] = [];
  for (let before = batch - 1; before >= 0 && parents.length < ANCHORING_LIMITS.parentsSent; before--) {
    const parent = await store.get(transactions.name, batchId(before));
    // Documents are never removed.
    if (parent === undefined) throw new Error(`the transaction of batch ${before} is gone`);
    if (parent.record.transaction!.status === 'MINED') break;
    parents.unshift(parent);
  }
  return parents;
}

/**
 * Returns that the transaction is in its recorded block while the header at that height shows it: then a ledger that
 * refuses it, does not know it or has it on the way is wrong. Undefined otherwise.
 */
async function provenAnswer(
  { record }: TransactionDocument,
  ledger: Pick<Ledger, 'header'>,
): Promise<LedgerAnswer | undefined> {
  const { blockHash, blockHeight, merklePath, status, txid } = record.transaction!;
  if (status !== 'MINED' || blockHash === null || blockHeight === null || merklePath === null)
    return undefined;
  const known = await ledger.header(blockHeight);
  if (blockDifference(record.transaction!, known) !== undefined) return undefined;
  const { header, coinbase } = record.evidence?.block ?? {};
  const block = header && coinbase ? { block: { header, coinbase } } : {};
  return { txid, status, blockHash, blockHeight, merklePath, ...block };
}
