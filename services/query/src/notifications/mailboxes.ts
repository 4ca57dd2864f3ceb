/** Mailboxes in the store. */
import { collectionOf, OverloadedError, saveIfCurrent, type DocumentStore } from '@sentinel-node/platform';
import { emptyMailbox, withAdditions, type Addition, type Mailbox, type Recipient } from './mailbox.ts';

export const MAILBOXES_COLLECTION = {
  name: collectionOf<Mailbox>('notice_mailboxes'),
  indexes: [{ fields: ['nextAt'], sparse: true }],
} as const;

const ATTEMPTS = 20;

/** Adds notices to a mailbox; durable when it resolves. Notices that were added before are ignored. */
export function addNotices(
  store: DocumentStore,
  recipient: Recipient,
  additions: readonly Addition[],
): Promise<void> {
  return changeMailbox(store, recipient, (mailbox) => withAdditions(mailbox, additions));
}

/**
 * Changes a mailbox by compare-and-swap.
 * @throws OverloadedError when others keep changing it
 * @pool waiting-notices
 */
export async function changeMailbox(
  store: DocumentStore,
  recipient: Recipient,
  change: (mailbox: Mailbox) => Mailbox,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await store.get(MAILBOXES_COLLECTION.name, recipient.id);
    const before = found ?? emptyMailbox(recipient);
    if ((await changedMailbox(store, before, change(before))) !== undefined) return;
  }
  throw new OverloadedError('a mailbox keeps being changed');
}

/** Returns the stored mailbox; undefined when another writer was first. */
export async function changedMailbox(
  store: DocumentStore,
  before: Mailbox,
  after: Mailbox,
): Promise<Mailbox | undefined> {
  const { name } = MAILBOXES_COLLECTION;
  const next = { ...after, rev: before.rev + 1 };
  const isSaved = await saveIfCurrent(store, name, next, before.rev === 0 ? undefined : before.rev);
  return isSaved ? next : undefined;
}
