/** Builds documents of transactions after a change. */
import {
  omit,
  type AnchorEvidence,
  type AnchorRecord,
  type AnchorTransaction,
} from '@sentinel-node/contracts';
import type { LedgerAnswer } from '@sentinel-node/platform';
import { type TransactionDocument } from './collections.ts';
import { blockEvidence } from './domain/evidence.ts';
import { isClosed, signed, type Closing } from './domain/transaction-state.ts';
import { ANCHORING_LIMITS } from './limits.ts';
import type { SignedAnchor } from './transaction/sign-anchor.ts';

/** Returns the document after an answer of the ledger. @param document as `withRefusal` gives it, with the next `rev` */
export function changedDocument(
  document: TransactionDocument,
  transaction: AnchorTransaction,
  answer: LedgerAnswer,
  at: number,
  closing: Closing,
): TransactionDocument {
  const { evidence, ...before } = document.record;
  const state = { ...before, rev: before.rev + 1, at, transaction };
  // A batch of an earlier version has no evidence; the backfill adds all of it.
  const record: AnchorRecord =
    evidence === undefined
      ? state
      : { ...state, evidence: { ...evidence, block: blockEvidence(transaction, answer) } };
  const changed: TransactionDocument = { ...document, at, record, unpublished: 1 };
  return isClosed(transaction, closing) ? omit(changed, 'open') : changed;
}

/**
 * Returns the next revision of the document, with what speaks against its transaction.
 * @param setAside number of answers that set the transaction aside @param words of the ledger about a refused transaction
 */
export function withRefusal(
  document: TransactionDocument,
  { setAside, words }: { readonly setAside: number | undefined; readonly words: string | undefined },
): TransactionDocument {
  return {
    ...omit(document, 'setAside', 'words'),
    rev: document.rev + 1,
    ...(setAside !== undefined && { setAside }),
    ...(words !== undefined && { words: words.slice(0, ANCHORING_LIMITS.wordsCharacters) }),
  };
}

/** Returns the document with other evidence, to be published again. */
export function withEvidence(
  document: TransactionDocument,
  evidence: AnchorEvidence,
  at: number,
): TransactionDocument {
  const { record } = document;
  const next: AnchorRecord = { ...record, rev: record.rev + 1, at, evidence };
  return { ...document, rev: document.rev + 1, at, record: next, unpublished: 1 };
}

/** Returns the signed transaction of a batch. */
export function anchorOf({
  rawTx,
  extendedTx,
  inputs,
  funds,
  fee,
  record,
}: TransactionDocument): SignedAnchor {
  return { txid: record.transaction!.txid, rawTx, extendedTx, inputs, funds, fee };
}

/** Returns the document with the transaction to send, a new or an earlier one; it keeps the other transactions. */
export function resumedDocument(
  document: TransactionDocument,
  { txid, ...anchor }: SignedAnchor,
  at: number,
): TransactionDocument {
  const { evidence, ...state } = document.record;
  const next = { ...state, rev: state.rev + 1, at, transaction: signed(txid) };
  const sent = { network: document.network, raw: anchor.rawTx };
  const record: AnchorRecord =
    evidence === undefined ? next : { ...next, evidence: { ...evidence, transaction: sent, block: null } };
  const others = [anchorOf(document), ...(document.replaced ?? [])].filter((other) => other.txid !== txid);
  const isFunded = [anchor, ...others].some(({ inputs }) => inputs.length > 1);
  const kept = omit(document, 'resume', 'replaced', 'funded', 'setAside', 'words');
  return {
    ...kept,
    ...anchor,
    rev: document.rev + 1,
    at,
    record,
    unpublished: 1,
    open: 1,
    ...(others.length > 0 && { replaced: others }),
    ...((document.batch === 0 || isFunded || document.consolidation) && { funded: 1 }),
  };
}
