/** Two proofs that cannot both belong to one log: evidence against the signer of both, when the log signed both. */
import { batchHeaderHash, decodeBatchHeader } from '../log/batch-header.ts';
import { equalBytes, fromHex } from '../bytes/bytes.ts';
import { LogRanges } from './log-ranges.ts';
import type { Proof, ProofBatch } from './proof.ts';
import { SpentSeals } from './spent-seals.ts';

export const PROOF_CONFLICTS = {
  ENTRY_CONFLICT: 'Both proofs give the same number of the same subject, with different link hashes.',
  CHAIN_CONFLICT:
    'The proofs give neighbouring entries of the same subject, and the later does not follow the earlier.',
  PLACE_CONFLICT:
    'The entries of the same subject are in batches in another order than their numbers, or one entry is in two batches.',
  BATCH_CONFLICT: 'Both proofs give the batch of the same number, with different headers.',
  LOG_CONFLICT: 'The proofs give different batches before their own: what both signed is not one log.',
} as const;
export type ProofConflict = keyof typeof PROOF_CONFLICTS;

/** Conflicts of two proofs that an honest log can give, or that anybody can make. */
export const PAIR_WARNINGS = {
  UNSIGNED_CONTRADICTION:
    'The proofs cannot both be true, and one of them has no batch: the log did not sign it, so that it is evidence against nobody. Ask for it again.',
  TRANSACTIONS_DIFFER:
    'The proofs give transactions in blocks: different ones of the same batch, or ones that spend the same output, or of which the later does not spend the seal of the one before. Anybody can put a copy of an anchor on a ledger: the chain of seals says which one is of the log.',
  TRANSACTION_REPLACED:
    'The proofs give different transactions of the same batch, and not both are in blocks: the ledger may have refused one, which another one replaced. Ask again for a proof that has no block.',
} as const;
export type PairWarning = keyof typeof PAIR_WARNINGS;

/** Returns the contradictions between two proofs of one log that are whole by themselves; empty when they agree. */
export function conflictsOf(a: Proof, b: Proof): ProofConflict[] {
  const [earlier, later] = a.entry.number <= b.entry.number ? [a, b] : [b, a];
  const isSameSubject = a.subject.type === b.subject.type && a.subject.id === b.subject.id;
  const distance = later.entry.number - earlier.entry.number;
  const found: ProofConflict[] = [];
  if (isSameSubject && distance === 0 && a.entry.linkHash !== b.entry.linkHash) found.push('ENTRY_CONFLICT');
  if (isSameSubject && distance === 1 && later.entry.previous !== earlier.entry.linkHash)
    found.push('CHAIN_CONFLICT');
  if (earlier.batch === null || later.batch === null) return found;
  const batches = batchOf(later.batch) - batchOf(earlier.batch);
  if (isSameSubject && (batches < 0 || (distance === 0 && batches > 0))) found.push('PLACE_CONFLICT');
  if (batches === 0 && earlier.batch.header !== later.batch.header) found.push('BATCH_CONFLICT');
  else if (!areOfOneLog(earlier.batch, later.batch)) found.push('LOG_CONFLICT');
  return found;
}

/** Returns what is to be said of the transactions of two proofs; empty when nothing is. */
export function transactionWarningsOf(a: Proof, b: Proof): PairWarning[] {
  if (doTransactionsDiffer(a, b)) return ['TRANSACTIONS_DIFFER'];
  const isReplaced = a.batch?.header === b.batch?.header && isOtherTransaction(a, b) && !areInBlocks(a, b);
  return isReplaced ? ['TRANSACTION_REPLACED'] : [];
}

const batchOf = ({ header }: ProofBatch): number => decodeBatchHeader(fromHex(header))!.batch;

const isOtherTransaction = (a: Proof, b: Proof): boolean =>
  a.transaction !== null && b.transaction !== null && a.transaction.txid !== b.transaction.txid;

const areInBlocks = (a: Proof, b: Proof): boolean => a.block !== null && b.block !== null;

/**
 * Returns true when the transactions of two proofs cannot both be on a ledger and in one chain of seals. Only of transactions
 * in blocks: one that the ledger refused is replaced.
 */
function doTransactionsDiffer(a: Proof, b: Proof): boolean {
  if (!areInBlocks(a, b) || a.batch === null || b.batch === null) return false;
  if (batchOf(a.batch) === batchOf(b.batch)) return isOtherTransaction(a, b);
  const [before, after] = batchOf(a.batch) < batchOf(b.batch) ? [a, b] : [b, a];
  const seals = new SpentSeals();
  seals.add(batchOf(before.batch!), before.transaction);
  return !seals.add(batchOf(after.batch!), after.transaction);
}

/** Returns true when the common parts of the log are equal, and a directly following header names the other. */
function areOfOneLog(a: ProofBatch, b: ProofBatch): boolean {
  const ranges = new LogRanges();
  ranges.add(a);
  return ranges.add(b) && !isUnlinked(a, b) && !isUnlinked(b, a);
}

function isUnlinked(before: ProofBatch, after: ProofBatch): boolean {
  const { batch, previousHash } = decodeBatchHeader(fromHex(after.header))!;
  const hash = batchHeaderHash(fromHex(before.header));
  return batch === batchOf(before) + 1 && !equalBytes(previousHash, hash);
}
