/**
 * What each answer of ARC (bitcoin-sv/arc `doc/errors.md`, `pkg/api/status.go`) or Arcade (bsv-blockchain/arcade
 * `models/transaction.go`, `errors/errors.go`) means; docs/decisions/034 gives the reasons. `final`: another try of the
 * same bytes changes nothing. `passing`: ask again. `alarm`: ask again, and a person has to hear of it.
 */
import type { LedgerStatus } from '../../ports/ledger.ts';

export type Finality = 'final' | 'passing' | 'alarm';

export interface StatusMeaning {
  readonly finality: Finality;
  /** The word of the port; undefined: the service does not know the transaction. */
  readonly status: LedgerStatus | undefined;
}

const passing = (status: LedgerStatus | undefined): StatusMeaning => ({ finality: 'passing', status });
const alarm = (status: LedgerStatus): StatusMeaning => ({ finality: 'alarm', status });

/** Values of `txStatus`. MINED counts only with its proof, as every later word does. */
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
  // Arcade's own words.
  ['PENDING_RETRY', passing('RECEIVED')],
  ['SEEN_MULTIPLE_NODES', passing('SEEN_ON_NETWORK')],
  ['SEEN_ON_MULTIPLE_NODES', passing('SEEN_ON_NETWORK')],
  ['STUMP_PROCESSING', passing('SEEN_ON_NETWORK')],
  ['IMMUTABLE', passing('MINED')],
]);

/** A word of no table is on its way as far as anybody knows. */
export function statusMeaning(txStatus: string): StatusMeaning {
  return STATUS_MEANINGS.get(txStatus) ?? alarm('RECEIVED');
}

/** What a status code of HTTP, or of an ARC error, means; 2xx are answers to read, never errors. */
export const CODE_MEANINGS: ReadonlyMap<number, Finality> = new Map([
  // The request or the address is wrong, not the transaction: a person can put it right.
  [400, 'alarm'],
  [401, 'alarm'],
  [403, 'alarm'],
  [404, 'alarm'],
  [405, 'alarm'],
  [408, 'passing'],
  // ARC answers it for whatever it has not classified, its own time-outs among them.
  [409, 'alarm'],
  [413, 'alarm'],
  [415, 'alarm'],
  [422, 'alarm'],
  [425, 'passing'],
  [429, 'passing'],
  // Verdicts of a validator over the bytes.
  [460, 'final'],
  [461, 'final'],
  [462, 'final'],
  [463, 'final'],
  [464, 'final'],
  [465, 'final'],
  [466, 'final'],
  // ARC: ancestors of a BEEF; Arcade: whatever it has not classified.
  [467, 'alarm'],
  // About BEEF, which is never sent from here.
  [468, 'alarm'],
  [469, 'alarm'],
  [470, 'alarm'],
  [471, 'final'],
  [472, 'final'],
  // Depends on transactions before it, which can be mined meanwhile.
  [473, 'alarm'],
  [474, 'final'],
  [475, 'alarm'],
  // Arcade: not final by its lock time; anchors have none.
  [476, 'alarm'],
]);

const FIRST_SERVER_ERROR = 500;
const LAST_SERVER_ERROR = 599;

/** 5xx are passing; every other code of no table is an alarm, redirects among them. */
export function codeMeaning(code: number): Finality {
  const isServerError = code >= FIRST_SERVER_ERROR && code <= LAST_SERVER_ERROR;
  return CODE_MEANINGS.get(code) ?? (isServerError ? 'passing' : 'alarm');
}

/** Answers of a submission that were taken: ARC 200 and 201, Arcade 202. */
const TAKEN = new Set([200, 201, 202]);
export const isTaken = (code: number): boolean => TAKEN.has(code);

const FIRST_ARC_CODE = 460;
const LAST_ARC_CODE = 499;

/**
 * The code that counts: Arcade sends 400 and names the ARC error in the body, early versions of ARC sent 200 with it.
 * @param named `status` of the body
 */
export function effectiveCode(http: number, named: number | undefined): number {
  const isArc = named !== undefined && named >= FIRST_ARC_CODE && named <= LAST_ARC_CODE;
  return isArc && (http === 400 || isTaken(http)) ? named : http;
}
