/**
 * Meanings of the answers of ARC (bitcoin-sv/arc `doc/errors.md`, `pkg/api/status.go`) and Arcade
 * (bsv-blockchain/arcade `models/transaction.go`, `errors/errors.go`); docs/decisions/034 gives the reasons. `final`:
 * sending the same bytes again changes nothing. `passing`: try again. `alarm`: try again, and alert a person.
 */
import type { LedgerStatus } from '../../ports/ledger.ts';

export type Finality = 'final' | 'passing' | 'alarm';

export interface StatusMeaning {
  readonly finality: Finality;
  /** Status in the port; undefined when the service does not know the transaction. */
  readonly status: LedgerStatus | undefined;
}

const passing = (status: LedgerStatus | undefined): StatusMeaning => ({ finality: 'passing', status });
const alarm = (status: LedgerStatus): StatusMeaning => ({ finality: 'alarm', status });

/** Values of `txStatus`. MINED, and every later status, counts only with its proof. */
export const STATUS_MEANINGS: ReadonlyMap<string, StatusMeaning> = new Map([
  ['UNKNOWN', passing(undefined)],
  ['QUEUED', passing('QUEUED')],
  ['RECEIVED', passing('RECEIVED')],
  ['STORED', passing('STORED')],
  ['ANNOUNCED_TO_NETWORK', passing('ANNOUNCED_TO_NETWORK')],
  ['REQUESTED_BY_NETWORK', passing('REQUESTED_BY_NETWORK')],
  ['SENT_TO_NETWORK', passing('SENT_TO_NETWORK')],
  ['ACCEPTED_BY_NETWORK', passing('ACCEPTED_BY_NETWORK')],
  ['SEEN_ON_NETWORK', passing('SEEN_ON_NETWORK')],
  ['MINED', passing('MINED')],
  ['SEEN_IN_ORPHAN_MEMPOOL', alarm('SEEN_IN_ORPHAN_MEMPOOL')],
  ['DOUBLE_SPEND_ATTEMPTED', alarm('DOUBLE_SPEND_ATTEMPTED')],
  ['MINED_IN_STALE_BLOCK', alarm('MINED_IN_STALE_BLOCK')],
  ['REJECTED', { finality: 'final', status: 'REJECTED' }],
  // Statuses that only Arcade has.
  ['PENDING_RETRY', passing('RECEIVED')],
  ['SEEN_MULTIPLE_NODES', passing('SEEN_ON_NETWORK')],
  ['SEEN_ON_MULTIPLE_NODES', passing('SEEN_ON_NETWORK')],
  ['STUMP_PROCESSING', passing('SEEN_ON_NETWORK')],
  ['IMMUTABLE', passing('MINED')],
]);

/** Returns the meaning; an unknown status counts as received, with an alarm. */
export function statusMeaning(txStatus: string): StatusMeaning {
  return STATUS_MEANINGS.get(txStatus) ?? alarm('RECEIVED');
}

const AGAINST: ReadonlySet<LedgerStatus> = new Set<LedgerStatus>([
  'REJECTED',
  'DOUBLE_SPEND_ATTEMPTED',
  'SEEN_IN_ORPHAN_MEMPOOL',
  'MINED_IN_STALE_BLOCK',
]);

/** Returns whether anchoring stops with the status, for ever or until it changes: one of several services does not decide that. */
export const isAgainst = (status: LedgerStatus): boolean => AGAINST.has(status);

/** Meanings of status codes of HTTP and of ARC errors; 2xx are read as answers, never as errors. */
export const CODE_MEANINGS: ReadonlyMap<number, Finality> = new Map([
  // The request or the address is wrong, not the transaction. A person can correct this.
  [400, 'alarm'],
  [401, 'alarm'],
  [403, 'alarm'],
  [404, 'alarm'],
  [405, 'alarm'],
  [408, 'passing'],
  // ARC uses this code for every unclassified error, including its own time-outs.
  [409, 'alarm'],
  [413, 'alarm'],
  [415, 'alarm'],
  [422, 'alarm'],
  [425, 'passing'],
  [429, 'passing'],
  // Results of a validator that checked the bytes.
  [460, 'final'],
  [461, 'final'],
  [462, 'final'],
  [463, 'final'],
  [464, 'final'],
  [465, 'final'],
  [466, 'final'],
  // ARC: ancestors of a BEEF; Arcade: every unclassified error.
  [467, 'alarm'],
  // About BEEF, which this system never sends.
  [468, 'alarm'],
  [469, 'alarm'],
  [470, 'alarm'],
  [471, 'final'],
  [472, 'final'],
  // The transaction depends on earlier transactions, which may be mined meanwhile.
  [473, 'alarm'],
  [474, 'final'],
  [475, 'alarm'],
  // Arcade: not final by its lock time; anchors have none.
  [476, 'alarm'],
]);

const FIRST_SERVER_ERROR = 500;
const LAST_SERVER_ERROR = 599;

/** Returns the meaning of a code. 5xx are passing; every other unknown code is an alarm, including redirects. */
export function codeMeaning(code: number): Finality {
  const isServerError = code >= FIRST_SERVER_ERROR && code <= LAST_SERVER_ERROR;
  return CODE_MEANINGS.get(code) ?? (isServerError ? 'passing' : 'alarm');
}

/** Codes of accepted submissions: ARC 200 and 201, Arcade 202. */
const TAKEN = new Set([200, 201, 202]);
export const isTaken = (code: number): boolean => TAKEN.has(code);

const FIRST_ARC_CODE = 460;
const LAST_ARC_CODE = 499;

/**
 * Returns the relevant code: Arcade sends 400 and names the ARC error in the body, early versions of ARC sent 200
 * with it.
 * @param named `status` of the body
 */
export function effectiveCode(http: number, named: number | undefined): number {
  const isArc = named !== undefined && named >= FIRST_ARC_CODE && named <= LAST_ARC_CODE;
  return isArc && (http === 400 || isTaken(http)) ? named : http;
}
