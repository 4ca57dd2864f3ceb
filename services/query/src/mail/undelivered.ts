/** Reads the mails that the mail server did not take, for the administrators of the organisation that caused them. */
import type { NotificationRules, UndeliveredMail } from '@sentinel-node/contracts';
import type { DocumentStore, Query } from '@sentinel-node/platform';
import { iso } from '../views/index.ts';
import { GIVEN_UP_KEPT, givenUpOf, type GivenUpMail } from './given-up.ts';
import { madeAt, MAILS_COLLECTION, type QueuedMail } from './queued-mail.ts';

/** The most mails of one organisation that wait and are named. */
const WAITING_NAMED = 100;

/** A mail that was tried by nobody for longer waits: a healthy server takes it in seconds. */
export const UNTRIED_MS = 300_000;

type Undelivered = Pick<NotificationRules, 'undelivered' | 'undeliveredBesides'>;

/**
 * Returns the mails that were given up, newest first, then those that wait after an attempt that failed, or for long without one,
 * oldest first; and the number of the others.
 * @param now milliseconds since the Unix epoch
 */
export async function readUndelivered(
  store: DocumentStore,
  orgId: string,
  now: number,
): Promise<Undelivered> {
  const [kept, ...waits] = await Promise.all([
    givenUpOf(store, orgId),
    // A mail that quiet hours hold does not wait for the mail server.
    waiting(store, { orgId, attempts: { gt: 0 }, at: { lte: now } }),
    waiting(store, { orgId, attempts: 0, at: { lt: now - UNTRIED_MS } }),
  ]);
  const givenUp = kept.slice(0, GIVEN_UP_KEPT);
  const named = waits
    .flatMap(({ first }) => first)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, WAITING_NAMED);
  const mails = waits.reduce((sum, { mails }) => sum + mails, 0) - named.length;
  // The oldest of more is forgotten, so that nobody knows how many there were.
  const atLeast = givenUp.length === GIVEN_UP_KEPT;
  return {
    undelivered: [...givenUp.map(shownGivenUp), ...named.map(shownWaiting)],
    ...((mails > 0 || atLeast) && { undeliveredBesides: { mails, atLeast } }),
  };
}

interface Waiting {
  /** At most `WAITING_NAMED`, the oldest. */
  readonly first: readonly QueuedMail[];
  /** Number of all. */
  readonly mails: number;
}

async function waiting(store: DocumentStore, where: NonNullable<Query['where']>): Promise<Waiting> {
  const first = await store.find(MAILS_COLLECTION.name, { where, limit: WAITING_NAMED });
  if (first.length < WAITING_NAMED) return { first, mails: first.length };
  // Some may have left since.
  return { first, mails: Math.max(first.length, await store.count(MAILS_COLLECTION.name, where)) };
}

function shownGivenUp({ to, subject, at, givenUpAt, why }: GivenUpMail): UndeliveredMail {
  return { to, subject, made: iso(at), why, givenUp: iso(givenUpAt) };
}

function shownWaiting(mail: QueuedMail): UndeliveredMail {
  const { to, subject, refusals } = mail;
  return { to, subject, made: iso(madeAt(mail)), why: refusals > 0 ? 'REFUSED' : 'NOT_TAKEN', givenUp: null };
}
