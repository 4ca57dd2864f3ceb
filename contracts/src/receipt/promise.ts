/** The promise of a receipt and its deadline. Times are milliseconds since 1970 by the server's clock. */
import type { Proof } from '../proof/proof.ts';

/** A report is judged within this time. */
const LINK_MS = 2 * 3_600_000;
/** Longest interval of a category; a link may wait that long for its batch. */
const LONGEST_INTERVAL_MS = 24 * 3_600_000;
const BATCH_MS = LONGEST_INTERVAL_MS + LINK_MS;
/** Largest difference between the clocks of two ingestion processes. */
export const RECEIPT_SKEW_MS = 60_000;

/** A receipt of a time further ahead than this promises nothing yet: its deadlines might never come. */
const RECEIPT_AHEAD_MS = 600_000;

/** Returns whether a receipt says a time that is to come, further than clocks differ. @param now milliseconds since 1970 */
export const isReceiptAhead = (acceptedAt: number, now: number): boolean =>
  acceptedAt > now + RECEIPT_AHEAD_MS;

export interface Promised {
  readonly fileId: string;
  readonly reportHash: string;
  readonly acceptedAt: number;
}

/** `kept`: the report is in a batch. `early`: ask again at `dueAt`. `broken`: `why` gives the reason. */
export type Judgement =
  | { readonly state: 'kept' }
  | { readonly state: 'early'; readonly dueAt: number }
  | { readonly state: 'broken'; readonly why: string };

/** Returns when the server is first asked for the link. */
export const linkDueAt = ({ acceptedAt }: Promised): number => acceptedAt + LINK_MS;

/**
 * Returns whether an entry is accepted later than its receipt says, by more than clocks differ. An earlier acceptance breaks
 * no promise: of a report that was sent twice there is one entry.
 */
export const isAcceptedLater = (entry: Pick<Proof['entry'], 'acceptedAt'>, acceptedAt: number): boolean =>
  entry.acceptedAt > acceptedAt + RECEIPT_SKEW_MS;

/** Judges a promise. @param proof undefined when the server has no link of the report */
export function judgePromise(promised: Promised, proof: Proof | undefined, serverMs: number): Judgement {
  const { acceptedAt, fileId, reportHash } = promised;
  if (proof === undefined) {
    if (serverMs < linkDueAt(promised)) return { state: 'early', dueAt: linkDueAt(promised) };
    return { state: 'broken', why: 'it is not in the chain of the file' };
  }
  const { entry, state, subject } = proof;
  if (subject.type !== 'FILE' || subject.id !== fileId || entry.reportHash !== reportHash)
    return { state: 'broken', why: 'the server shows another report in its place' };
  if (isAcceptedLater(entry, acceptedAt))
    return { state: 'broken', why: 'the server says a later time of acceptance now' };
  if (state !== 'PENDING') return { state: 'kept' };
  const dueAt = acceptedAt + BATCH_MS;
  return serverMs < dueAt
    ? { state: 'early', dueAt }
    : { state: 'broken', why: 'it was not put into a batch in time' };
}
