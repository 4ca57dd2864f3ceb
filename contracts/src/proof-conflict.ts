/** Two proofs that cannot both belong to one log: evidence against the signer of both, when the log signed both. */
import { batchHeaderHash, decodeBatchHeader } from './batch-header.ts';
import { equalBytes, fromHex, toHex } from './bytes.ts';
import { leafHash } from './merkle.ts';
import { CompactRange } from './merkle-consistency.ts';
import { parseTransaction, SEAL_OUTPUT, shownHash } from './proof-transaction.ts';
import type { Proof, ProofBatch } from './proof.ts';

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

/** What two proofs show together that an honest log can give, or that anybody can make. */
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
  const [spent, spending] = [before, after].map(inputsOf);
  const seal = `${before.transaction!.txid}:${SEAL_OUTPUT}`;
  const isUnsealed = batchOf(after.batch!) === batchOf(before.batch!) + 1 && spending![0] !== seal;
  return isUnsealed || spending!.some((outpoint) => spent!.includes(outpoint));
}

/** Returns the outputs that a transaction spends, each as `txid:index`. */
const inputsOf = ({ transaction }: Proof): string[] =>
  parseTransaction(fromHex(transaction!.raw))!.inputs.map(
    ({ previous, outputIndex }) => `${shownHash(previous)}:${outputIndex}`,
  );

/** Returns true when the common parts of the log are equal, and a directly following header names the other. */
function areOfOneLog(a: ProofBatch, b: ProofBatch): boolean {
  const [known, other] = [rangesOf(a), rangesOf(b)];
  const isSame = [...known].every(([range, hash]) => (other.get(range) ?? hash) === hash);
  return isSame && !isUnlinked(a, b) && !isUnlinked(b, a);
}

function isUnlinked(before: ProofBatch, after: ProofBatch): boolean {
  const { batch, previousHash } = decodeBatchHeader(fromHex(after.header))!;
  const hash = batchHeaderHash(fromHex(before.header));
  return batch === batchOf(before) + 1 && !equalBytes(previousHash, hash);
}

/**
 * Returns the roots of the perfect subtrees, by their leaves, of the log that ends with the batch and of the log before
 * the batch. The path of the last leaf consists of the subtrees before it, the smallest first.
 */
function rangesOf({ header, logPath }: ProofBatch): ReadonlyMap<string, string> {
  const bytes = fromHex(header);
  const size = decodeBatchHeader(bytes)!.batch;
  const log = new CompactRange(size, logPath.map(fromHex).reverse());
  const before = placed(log);
  log.append(leafHash(bytes));
  return new Map([...before, [`${size}+1`, toHex(leafHash(bytes))], ...placed(log)]);
}

/** Returns each peak with its first leaf and its size. */
function placed({ peaks, size }: CompactRange): [place: string, hash: string][] {
  let [begin, left] = [0, size];
  return peaks.map((peak) => {
    const count = 2 ** Math.floor(Math.log2(left));
    const place = `${begin}+${count}`;
    begin += count;
    left -= count;
    return [place, toHex(peak)];
  });
}
