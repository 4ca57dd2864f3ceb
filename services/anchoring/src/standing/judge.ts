/** Judges the state of anchoring, in words that every organisation may read. Pure. */
import type { OperationRecord } from '@sentinel-node/contracts';
import type { TransactionDocument } from '../collections.ts';
import { isRefused } from '../domain/transaction-state.ts';
import { ANCHORING_LIMITS } from '../limits.ts';

/** A finding; it is recorded if it differs from the recorded one. */
export type Finding = Pick<OperationRecord, 'kind' | 'state' | 'why' | 'batch'>;

export const CONTRADICTED = 'recorded data contradict what was anchored';
const REFUSED = 'the ledger refused the newest anchor';
const NO_FUNDS = 'there are no funds for the next anchor';
const LATE = 'no anchor has reached the ledger for an hour';
const FEW_DAYS = `the funds last for less than ${ANCHORING_LIMITS.lowFundsDays} days`;

export const contradictedBy = (kind: 'anchoring' | 'evidence', batch: number): Finding => ({
  ...{ kind, state: 'wrong', why: CONTRADICTED, batch },
});

export interface Progress {
  readonly last: TransactionDocument | undefined;
  /** The oldest batch that is not on the network; undefined when none waits. */
  readonly waiting: { readonly batch: number; readonly closedAt: number } | undefined;
  /** The batch that had no funds. */
  readonly unfunded: number | undefined;
  /** Whether a batch contradicted what was anchored, and no later comparison found that it fits. */
  readonly isContradicted: boolean;
}

/**
 * Returns undefined when there is nothing new, for example while a batch is on its way. Reports recovery only
 * after an anchor that is newer than the stop, and never while a contradiction is open.
 * @param recorded the newest record about anchoring
 */
export function judgeAnchoring(
  { last, waiting, unfunded, isContradicted }: Progress,
  recorded: OperationRecord | undefined,
  now: number,
): Finding | undefined {
  const stopped = (why: string): Finding => ({
    ...{ kind: 'anchoring', state: 'wrong', why, batch: waiting?.batch ?? null },
  });
  if (waiting === undefined) {
    // A stop at a time to come was recorded while the clock was ahead: then no anchor would be newer for as long.
    const isNewer =
      recorded !== undefined && last !== undefined && (last.at > recorded.at || recorded.at > now);
    return isNewer && recorded.state === 'wrong' && !isContradicted
      ? { kind: 'anchoring', state: 'right', why: '', batch: null }
      : undefined;
  }
  if (last !== undefined && isRefused(last)) return stopped(REFUSED);
  if (unfunded === waiting.batch) return stopped(NO_FUNDS);
  return now - waiting.closedAt > ANCHORING_LIMITS.stoppedMs ? stopped(LATE) : undefined;
}

/**
 * Judges funds with two thresholds, low and enough, so that small changes of the rate do not alternate the
 * result.
 * @param days that the funds last; undefined when not known yet
 */
export function judgeFunds(
  days: number | undefined,
  recorded: Pick<OperationRecord, 'state'> | undefined,
): Finding | undefined {
  if (days === undefined) return undefined;
  if (days < ANCHORING_LIMITS.lowFundsDays)
    return { kind: 'funds', state: 'wrong', why: FEW_DAYS, batch: null };
  const isOver = recorded?.state === 'wrong' && days >= ANCHORING_LIMITS.enoughFundsDays;
  return isOver ? { kind: 'funds', state: 'right', why: '', batch: null } : undefined;
}

/**
 * Returns whether a finding adds to the recorded one. A contradiction is repeated only if anchoring resumed
 * in between.
 */
export function isNewFinding(
  finding: Finding,
  recorded: OperationRecord | undefined,
  anchoring: OperationRecord | undefined,
): boolean {
  if (recorded === undefined) return finding.state === 'wrong';
  if (finding.kind !== 'evidence') return finding.state !== recorded.state;
  const wentOn = anchoring?.state === 'right' && anchoring.at >= recorded.at;
  return wentOn || finding.batch !== recorded.batch;
}
