/** Mailboxes in the store. */
import {
  changeAll,
  collectionOf,
  OverloadedError,
  saveIfCurrent,
  type DocumentStore,
} from '@sentinel-node/platform';
import {
  emptyMailbox,
  holdsAll,
  withAdditions,
  type Addition,
  type Mailbox,
  type Recipient,
} from './mailbox.ts';

export const MAILBOXES_COLLECTION = {
  name: collectionOf<Mailbox>('notice_mailboxes'),
  indexes: [{ fields: ['nextAt'], sparse: true }],
} as const;

const ATTEMPTS = 20;

/** Mailboxes that are read, and written, together: some 3 MB when all are full. */
const AT_ONCE = 32;

export interface MailboxAdditions {
  readonly recipient: Recipient;
  readonly additions: readonly Addition[];
}

/**
 * Adds notices to mailboxes; durable when it resolves. Notices that were added before are ignored.
 * @param given one entry for each recipient
 * @throws OverloadedError when others keep changing a mailbox
 */
export async function addNotices(store: DocumentStore, given: readonly MailboxAdditions[]): Promise<void> {
  const byId = new Map(given.map((one) => [one.recipient.id, one]));
  const ids = [...byId.keys()];
  for (let at = 0; at < ids.length; at += AT_ONCE)
    await changeAll(store, MAILBOXES_COLLECTION.name, ids.slice(at, at + AT_ONCE), (id, found) => {
      const { recipient, additions } = byId.get(id)!;
      const before = found ?? emptyMailbox(recipient);
      return holdsAll(before, additions) ? undefined : withAdditions(before, additions);
    });
}

/** Adds the notices of a process to mailboxes; batches that come during a write are written together after it. */
export class MailboxWriter {
  readonly #store: DocumentStore;
  /** @boundedBy the batches that the consumer of the log handles at the same time */
  #next = new Map<string, MailboxAdditions>();
  #writing: Promise<void> = Promise.resolve();
  /** The write that takes `#next`. */
  #waiting: Promise<void> | undefined;

  constructor(store: DocumentStore) {
    this.#store = store;
  }

  /** As `addNotices`. */
  add(given: readonly MailboxAdditions[]): Promise<void> {
    if (given.length === 0) return Promise.resolve();
    for (const { recipient, additions } of given) {
      const before = this.#next.get(recipient.id)?.additions ?? [];
      this.#next.set(recipient.id, { recipient, additions: [...before, ...additions] });
    }
    return (this.#waiting ??= this.#writeNext());
  }

  async #writeNext(): Promise<void> {
    await this.#writing;
    const given = [...this.#next.values()];
    this.#next = new Map();
    this.#waiting = undefined;
    const written = addNotices(this.#store, given);
    // The next write waits for the end of this one only: a failure belongs to those who gave these notices.
    this.#writing = written.catch(() => undefined);
    await written;
  }
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
