/** Proofs that cannot all belong to one log: evidence against the signer, when the log signed them. */
import { batchHeaderHash, decodeBatchHeader } from '../log/batch-header.ts';
import { equalBytes, fromHex } from '../bytes/bytes.ts';
import { LogRanges } from './log-ranges.ts';
import type { Proof, ProofBatch } from './proof.ts';
import { SpentSeals } from './spent-seals.ts';

export const PROOF_CONFLICTS = {
  ENTRY_CONFLICT: 'The proofs give the same number of the same subject, with different link hashes.',
  CHAIN_CONFLICT:
    'The proofs give neighbouring entries of the same subject, and the later does not follow the earlier.',
  PLACE_CONFLICT:
    'The entries of the same subject are in batches in another order than their numbers, or one entry is in two batches.',
  BATCH_CONFLICT: 'The proofs give the batch of the same number, with different headers.',
  LOG_CONFLICT: 'The proofs give different batches before their own: what was signed is not one log.',
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

/** A contradiction, and where it is. */
export interface ConflictFinding {
  readonly code: ProofConflict;
  /** Numbers of the entries, or of the batches for `BATCH_CONFLICT` and `LOG_CONFLICT`, ascending. */
  readonly numbers: readonly number[];
}

/** Returns the contradictions between proofs of one log that are whole by themselves, in about linear time; empty when they agree. */
export function conflictsOf(proofs: readonly Proof[]): ConflictFinding[] {
  const found = new Conflicts();
  const subjects = groupedBy(proofs, ({ subject }) => `${subject.type} ${subject.id}`);
  for (const ofSubject of subjects.values()) compareEntries(ofSubject, found);
  compareBatches(proofs, found);
  return found.list();
}

class Conflicts {
  readonly #numbers = new Map<ProofConflict, Set<number>>();

  add(code: ProofConflict, number: number): void {
    this.#numbers.set(code, (this.#numbers.get(code) ?? new Set()).add(number));
  }

  has(code: ProofConflict): boolean {
    return this.#numbers.has(code);
  }

  list(): ConflictFinding[] {
    return [...this.#numbers].map(([code, numbers]) => ({ code, numbers: [...numbers].sort(ascending) }));
  }
}

/** Compares what proofs say of the entries of one subject. */
function compareEntries(proofs: readonly Proof[], found: Conflicts): void {
  const byNumber = groupedBy(proofs, ({ entry }) => entry.number);
  let lastBatch = 0;
  for (const [number, same] of inOrder(byNumber)) {
    if (areDifferent(same.map(({ entry }) => entry.linkHash))) found.add('ENTRY_CONFLICT', number);
    const before = (byNumber.get(number - 1) ?? []).map(({ entry }) => entry.linkHash);
    if (before.length > 0 && areDifferent([...before, ...same.map(({ entry }) => entry.previous)]))
      found.add('CHAIN_CONFLICT', number);
    const batches = same.flatMap(({ batch }) => (batch === null ? [] : [batchOf(batch)]));
    if (areDifferent(batches) || batches.some((batch) => batch < lastBatch))
      found.add('PLACE_CONFLICT', number);
    lastBatch = Math.max(lastBatch, ...batches);
  }
}

/** Compares what proofs say of batches. Headers of one batch that differ give different hashes for the log in any case. */
function compareBatches(proofs: readonly Proof[], found: Conflicts): void {
  const batches = proofs.flatMap(({ batch }) => batch ?? []);
  const byNumber = groupedBy(batches, batchOf);
  for (const [number, same] of byNumber)
    if (areDifferent(same.map(({ header }) => header))) found.add('BATCH_CONFLICT', number);
  if (found.has('BATCH_CONFLICT')) return;
  const ranges = new LogRanges();
  for (const [number, same] of inOrder(byNumber)) {
    const [before] = byNumber.get(number - 1) ?? [];
    const isUnlinked = before !== undefined && !isNamedBy(before, same[0]!);
    const areSame = differentPaths(same).map((batch) => ranges.add(batch));
    if (isUnlinked || areSame.includes(false)) found.add('LOG_CONFLICT', number);
  }
}

/** Returns one batch for each path through the log: the entries of one batch repeat its path. */
const differentPaths = (same: readonly ProofBatch[]): ProofBatch[] => [
  ...new Map(same.map((batch) => [batch.logPath.join(), batch])).values(),
];

/** Returns true when the header of a batch names that of the batch before. */
const isNamedBy = (before: ProofBatch, { header }: ProofBatch): boolean =>
  equalBytes(decodeBatchHeader(fromHex(header))!.previousHash, batchHeaderHash(fromHex(before.header)));

/** Returns what is to be said of the transactions of proofs; empty when nothing is. */
export function transactionWarningsOf(proofs: readonly Proof[]): PairWarning[] {
  const anchored = proofs.filter(({ batch, transaction }) => batch !== null && transaction !== null);
  if (!areOfOneChain(anchored.filter(({ block }) => block !== null))) return ['TRANSACTIONS_DIFFER'];
  const ofBatches = [...groupedBy(anchored, ({ batch }) => batch!.header).values()];
  return ofBatches.some((same) => areDifferent(same.map(txidOf))) ? ['TRANSACTION_REPLACED'] : [];
}

/**
 * Returns false when the transactions of proofs cannot all be on a ledger and in one chain of seals. Only of transactions in
 * blocks: one that the ledger refused is replaced.
 */
function areOfOneChain(inBlocks: readonly Proof[]): boolean {
  const seals = new SpentSeals();
  for (const [batch, same] of inOrder(groupedBy(inBlocks, ({ batch }) => batchOf(batch!))))
    if (areDifferent(same.map(txidOf)) || !seals.add(batch, same[0]!.transaction)) return false;
  return true;
}

const txidOf = ({ transaction }: Proof): string | undefined => transaction?.txid;
const batchOf = ({ header }: ProofBatch): number => decodeBatchHeader(fromHex(header))!.batch;
const areDifferent = (values: readonly unknown[]): boolean => new Set(values).size > 1;
const ascending = (a: number, b: number): number => a - b;

/** Returns groups in the order of their numbers. */
const inOrder = <T>(groups: ReadonlyMap<number, T>): [number, T][] =>
  [...groups].sort(([a], [b]) => ascending(a, b));

function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
