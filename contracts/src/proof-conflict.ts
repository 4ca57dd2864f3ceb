/** Two proofs that cannot both belong to one log: evidence against the signer of both. */
import { batchHeaderHash } from './batch-header.ts';
import { equalBytes, fromHex } from './bytes.ts';
import type { Proof } from './proof.ts';

export const PROOF_CONFLICTS = {
  ENTRY_CONFLICT: 'Both proofs give the same number of the same subject, with different link hashes.',
  CHAIN_CONFLICT:
    'The proofs give neighbouring entries of the same subject, and the later does not follow the earlier.',
  BATCH_CONFLICT: 'Both proofs give the batch of the same number, with different headers.',
  TRANSACTION_CONFLICT: 'Both proofs give the transaction of the same batch, and they are different ones.',
} as const;
export type ProofConflict = keyof typeof PROOF_CONFLICTS;

/** Contradictions between two proofs of one log, neither of which fails by itself. Empty: they agree. */
export function conflictsOf(a: Proof, b: Proof): ProofConflict[] {
  const [earlier, later] = a.entry.number <= b.entry.number ? [a, b] : [b, a];
  const isSameSubject = a.subject.type === b.subject.type && a.subject.id === b.subject.id;
  const distance = later.entry.number - earlier.entry.number;
  const found: ProofConflict[] = [];
  if (isSameSubject && distance === 0 && a.entry.linkHash !== b.entry.linkHash) found.push('ENTRY_CONFLICT');
  if (isSameSubject && distance === 1 && later.entry.previous !== earlier.entry.linkHash)
    found.push('CHAIN_CONFLICT');
  if (a.batch === null || b.batch === null || batchOf(a.batch) !== batchOf(b.batch)) return found;
  const [headerA, headerB] = [a.batch, b.batch].map(({ header }) => batchHeaderHash(fromHex(header)));
  if (!equalBytes(headerA!, headerB!)) found.push('BATCH_CONFLICT');
  else if (a.transaction !== null && b.transaction !== null && a.transaction.txid !== b.transaction.txid)
    found.push('TRANSACTION_CONFLICT');
  return found;
}

/** Number of the batch: bytes 50 to 57 of the header, as hex. */
const batchOf = ({ header }: NonNullable<Proof['batch']>): string => header.slice(100, 116);
