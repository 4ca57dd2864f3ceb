/** Keeps what is shown of mails that were given up. */
import type { UndeliveredMail } from '@sentinel-node/contracts';
import { collectionOf, type DocumentStore } from '@sentinel-node/platform';
import { madeAt, type QueuedMail } from './queued-mail.ts';

export const GIVEN_UP_MAILS_COLLECTION = {
  name: collectionOf<GivenUpMail>('mails_given_up'),
  indexes: [{ fields: ['orgId', 'id'] }],
} as const;

/** The most kept mails of one organisation that were given up; the oldest are forgotten. */
export const GIVEN_UP_KEPT = 100;
export interface GivenUpMail {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly to: string;
  readonly subject: string;
  /** Milliseconds; when the mail was made. */
  readonly at: number;
  readonly givenUpAt: number;
  readonly why: UndeliveredMail['why'];
}

export async function keepGivenUp(
  store: DocumentStore,
  mail: QueuedMail,
  why: UndeliveredMail['why'],
  givenUpAt: number,
): Promise<void> {
  const { id, orgId, to, subject } = mail;
  // Mails of earlier versions name no organisation.
  if (orgId === undefined) return;
  const kept: GivenUpMail = { id, rev: 1, orgId, to, subject, at: madeAt(mail), givenUpAt, why };
  await store.insertMissing(GIVEN_UP_MAILS_COLLECTION.name, [kept]);
  const oldest = (await givenUpOf(store, orgId)).slice(GIVEN_UP_KEPT);
  const ids = oldest.map((mail) => mail.id);
  if (ids.length > 0) await store.remove(GIVEN_UP_MAILS_COLLECTION.name, ids);
}

/** Returns the newest first; more than `GIVEN_UP_KEPT` while several processes keep one at once. */
export async function givenUpOf(store: DocumentStore, orgId: string): Promise<GivenUpMail[]> {
  const found = await store.find(GIVEN_UP_MAILS_COLLECTION.name, {
    where: { orgId },
    limit: 2 * GIVEN_UP_KEPT,
  });
  return found.sort((a, b) => b.givenUpAt - a.givenUpAt);
}
