/** Documents of transactions after a change. */
import {
  omit,
  type AnchorEvidence,
  type AnchorRecord,
  type AnchorTransaction,
} from '@sentinel-node/contracts';
import type { LedgerAnswer } from '@sentinel-node/platform';
import { type TransactionDocument } from './collections.ts';
import { blockEvidence } from './domain/evidence.ts';
import { isClosed, signed } from './domain/transaction-state.ts';
import type { SignedAnchor } from './transaction/sign-anchor.ts';

/** After an answer of the ledger. */
export function changedDocument(
  document: TransactionDocument,
  transaction: AnchorTransaction,
  answer: LedgerAnswer,
  at: number,
  closingDepth: number,
): TransactionDocument {
  const { evidence, ...before } = document.record;
  const state = { ...before, rev: before.rev + 1, at, transaction };
  // Without evidence in a batch of an earlier version: the backfill adds the whole of it.
  const record: AnchorRecord =
    evidence === undefined
      ? state
      : { ...state, evidence: { ...evidence, block: blockEvidence(transaction, answer) } };
  const changed: TransactionDocument = { ...document, rev: document.rev + 1, at, record, unpublished: 1 };
  const closed = isClosed(transaction, closingDepth);
  return closed ? omit(changed, 'open') : changed;
}

/** With other evidence, which is published again. */
export function withEvidence(
  document: TransactionDocument,
  evidence: AnchorEvidence,
  at: number,
): TransactionDocument {
  const { record } = document;
  const next: AnchorRecord = { ...record, rev: record.rev + 1, at, evidence };
  return { ...document, rev: document.rev + 1, at, record: next, unpublished: 1 };
}

/** What was signed for a batch. */
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

/** With another transaction, or the same, that is sent; those before stay in it. */
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
  const kept = omit(document, 'resume', 'replaced', 'funded');
  return {
    ...kept,
    ...anchor,
    rev: document.rev + 1,
    at,
    record,
    unpublished: 1,
    open: 1,
    ...(others.length > 0 && { replaced: others }),
    ...((document.batch === 0 || anchor.inputs.length > 1 || document.consolidation) && { funded: 1 }),
  };
}
