/** Reads the mails that the mail server did not take, for the administrators of the organisation that caused them. */
import type { UndeliveredMail } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { iso } from '../views/index.ts';
import { GIVEN_UP_KEPT, givenUpOf } from './given-up.ts';
import { madeAt, MAILS_COLLECTION } from './queued-mail.ts';

/** The most mails of one organisation that wait and are looked at. */
const WAITING_READ = 500;

/** A mail that was tried by nobody for longer waits: a healthy server takes it in seconds. */
export const UNTRIED_MS = 300_000;

/**
 * Returns the mails that were given up, newest first, then those that wait after an attempt that failed, or for long without one.
 * @param now milliseconds since the Unix epoch
 */
export async function readUndelivered(
  store: DocumentStore,
  orgId: string,
  now: number,
): Promise<UndeliveredMail[]> {
  const [givenUp, waiting] = await Promise.all([
    givenUpOf(store, orgId),
    store.find(MAILS_COLLECTION.name, { where: { orgId }, limit: WAITING_READ }),
  ]);
  const failed = waiting
    // A mail that quiet hours hold does not wait for the mail server.
    .filter(({ attempts, at }) => now >= at && (attempts > 0 || now - at > UNTRIED_MS))
    .slice(0, GIVEN_UP_KEPT);
  return [
    ...givenUp.slice(0, GIVEN_UP_KEPT).map(({ to, subject, at, givenUpAt, why }) => {
      return { to, subject, made: iso(at), why, givenUp: iso(givenUpAt) };
    }),
    ...failed.map((mail): UndeliveredMail => {
      const { to, subject, refusals } = mail;
      const made = iso(madeAt(mail));
      return { to, subject, made, why: refusals > 0 ? 'REFUSED' : 'NOT_TAKEN', givenUp: null };
    }),
  ];
}
