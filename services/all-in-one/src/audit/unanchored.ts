/** Entries that are not anchored yet, and whether they have waited for too long. Pure. */
import { ANCHORING_LIMITS, isRefused, isSpendable, type TransactionDocument } from '@sentinel-node/anchoring';
import { LAST_DATE_MS } from '@sentinel-node/contracts';

const SECOND_MS = 1_000;
/** A transaction on the network that is in no block for longer: two blocks an hour apart are usual, three hours are not. */
const BLOCK_MS = 3 * 3_600_000;

/**
 * A time that is further ahead of the clock of the audit is of a clock that was wrong. Clocks that are some minutes apart delay
 * what is told by no more than the shortest wait that is too long.
 */
const AHEAD_MS = ANCHORING_LIMITS.stoppedMs;

/** Counts what waits, and the time since when the first of it waits. */
export class Waiting {
  count = 0;
  /** Milliseconds since 1970; undefined when nothing waits. */
  since: number | undefined;

  add(at: number): void {
    this.count += 1;
    this.since = Math.min(this.since ?? at, at);
  }
}

/** One kind of what is not anchored, for the result. */
export interface Unanchored {
  readonly count: number;
  /** Time since when the first waits; null when none does, or the time is none. */
  readonly since: string | null;
  /** Whether anchoring does not get on, or nobody can say: a person has to look. */
  readonly isOverdue: boolean;
  /** Whether that time has not come yet: the clock that wrote it was ahead, so that the time of the wait is not known. */
  readonly isAhead: boolean;
}

export interface UnanchoredResult {
  /** Entries in no batch. */
  readonly entries: Unanchored;
  /** Batches without a transaction on the network. */
  readonly batches: Unanchored;
  /** Batches whose transaction the ledger refuses or set aside for too long, or of which it knows another that spends the same. */
  readonly refused: Unanchored;
  /** Transactions that are on the network and in no block. */
  readonly transactions: Unanchored;
}

/** Sorts batches by how far their transactions have come. */
export class UnanchoredBatches {
  readonly batches = new Waiting();
  readonly refused = new Waiting();
  readonly transactions = new Waiting();

  /**
   * @param closedAt of the batch, in milliseconds
   * @param document its transaction, if it has one
   * @param isInBlock whether the ledger shows it in a block: a record of a block alone does not count
   */
  add(closedAt: number, document: TransactionDocument | undefined, isInBlock: boolean): void {
    if (isInBlock) return;
    const transaction = document?.record.transaction ?? null;
    if (transaction === null) this.batches.add(closedAt);
    // A person has seen the refusal and had it sent again: then it waits as any other.
    else if (document !== undefined && isRefused(document) && document.resume !== 1)
      this.refused.add(closedAt);
    else if (isSpendable(transaction)) this.transactions.add(closedAt);
    else this.batches.add(closedAt);
  }
}

export interface WaitRules {
  /** Longest interval of the categories, in seconds. */
  readonly intervalSeconds: number;
  /** Returns how long (ms) anchoring has had, from a time on. */
  readonly waited: (since: number) => number;
  /** Milliseconds since 1970 when the last batch was read. */
  readonly now: number;
}

export function unanchoredResult(
  entries: Waiting,
  { batches, refused, transactions }: Pick<UnanchoredBatches, 'batches' | 'refused' | 'transactions'>,
  { intervalSeconds, now, waited }: WaitRules,
): UnanchoredResult {
  const longest = Math.max(ANCHORING_LIMITS.stoppedMs, intervalSeconds * SECOND_MS);
  const within = ({ count, since }: Waiting, longestMs: number): Unanchored => {
    if (since === undefined) return { count, since: null, isOverdue: false, isAhead: false };
    const isAhead = since > now + AHEAD_MS;
    // A time that is none is in a record that somebody changed.
    return { count, since: isoOf(since), isOverdue: isAhead || !(waited(since) <= longestMs), isAhead };
  };
  return {
    entries: within(entries, longest),
    batches: within(batches, longest),
    refused: { ...within(refused, longest), isOverdue: refused.count > 0 },
    transactions: within(transactions, Math.max(longest, BLOCK_MS)),
  };
}

const isoOf = (at: number): string | null =>
  Math.abs(at) <= LAST_DATE_MS ? new Date(at).toISOString() : null;

const kindsOf = (result: UnanchoredResult): readonly Unanchored[] => Object.values(result);

/** Returns whether anchoring does not get on, or nobody can say. */
export const isOverdue = (result: UnanchoredResult): boolean => kindsOf(result).some((one) => one.isOverdue);

/** Returns the end of a sentence that begins with what is good; empty when nothing is overdue. */
export function overdueWords(result: UnanchoredResult): string {
  const overdue = kindsOf(result).filter((one) => one.isOverdue);
  if (overdue.length === 0) return '';
  // A refusal is known, whatever time its batch has.
  return result.refused.count === 0 && overdue.every(({ isAhead }) => isAhead)
    ? ', but whether anchoring gets on is not known'
    : ', but anchoring does not get on';
}

const TOO_LONG = ': too long, anchoring does not get on';
const AHEAD =
  ', which has not come yet: the clock that wrote it was ahead, and how long they wait is not known';

/** Returns a sentence for a person for each kind that there is. */
export function unanchoredWords({ batches, entries, refused, transactions }: UnanchoredResult): string[] {
  const told = (
    { count, since, isOverdue: late, isAhead }: Unanchored,
    one: string,
    more: string,
    end = isAhead ? AHEAD : TOO_LONG,
  ) =>
    count === 0
      ? []
      : [
          `${count} ${count === 1 ? one : more}, the first since ${since ?? 'an unknown time'}${late ? end : ''}`,
        ];
  return [
    ...told(entries, 'entry is in no batch yet', 'entries are in no batch yet'),
    ...told(
      batches,
      'batch has no transaction on the network yet',
      'batches have no transaction on the network yet',
    ),
    ...told(
      refused,
      'batch has a transaction that the ledger refuses',
      'batches have a transaction that the ledger refuses',
      ': find out why (deploy/runbook.md), then sentinel anchors resume',
    ),
    ...told(transactions, 'transaction is in no block yet', 'transactions are in no block yet'),
  ];
}
