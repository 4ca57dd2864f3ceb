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

/** By id of a recipient: why the notices were not added. */
type Failures = ReadonlyMap<string, OverloadedError>;

/**
 * Adds notices to mailboxes; durable when it resolves. Notices that were added before are ignored.
 * @param given one entry for each recipient
 * @returns the mailboxes that others kept changing
 */
export async function addNotices(
  store: DocumentStore,
  given: readonly MailboxAdditions[],
): Promise<Failures> {
  const byId = new Map(given.map((one) => [one.recipient.id, one]));
  const ids = [...byId.keys()];
  const write = (some: readonly string[]): Promise<OverloadedError | undefined> =>
    overload(() =>
      changeAll(store, MAILBOXES_COLLECTION.name, some, (id, found) => {
        const { recipient, additions } = byId.get(id)!;
        const before = found ?? emptyMailbox(recipient);
        return holdsAll(before, additions) ? undefined : withAdditions(before, additions);
      }),
    );
  const failures = new Map<string, OverloadedError>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    if ((await write(some)) === undefined) continue;
    // One at a time, so that one mailbox fails those who write to it only.
    for (const id of some) {
      const error = await write([id]);
      if (error !== undefined) failures.set(id, error);
    }
  }
  return failures;
}

async function overload(work: () => Promise<void>): Promise<OverloadedError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof OverloadedError) return error;
    throw error;
  }
}

/** Adds the notices of a process to mailboxes; batches that come during a write are written together after it. */
export class MailboxWriter {
  readonly #store: DocumentStore;
  /** @boundedBy the batches that the consumer of the log handles at the same time */
  #next = new Map<string, MailboxAdditions>();
  #writing: Promise<void> = Promise.resolve();
  /** The write that takes `#next`. */
  #waiting: Promise<Failures> | undefined;

  constructor(store: DocumentStore) {
    this.#store = store;
  }

  /** As `addNotices`. @throws OverloadedError when others keep changing one of these mailboxes */
  async add(given: readonly MailboxAdditions[]): Promise<void> {
    if (given.length === 0) return;
    for (const { recipient, additions } of given) {
      const before = this.#next.get(recipient.id)?.additions ?? [];
      this.#next.set(recipient.id, { recipient, additions: [...before, ...additions] });
    }
    const failures = await (this.#waiting ??= this.#writeNext());
    for (const { recipient } of given) {
      const error = failures.get(recipient.id);
      if (error !== undefined) throw error;
    }
  }

  async #writeNext(): Promise<Failures> {
    await this.#writing;
    const given = [...this.#next.values()];
    this.#next = new Map();
    this.#waiting = undefined;
    const written = addNotices(this.#store, given);
    // The next write waits for the end of this one only: a failure belongs to those who gave these notices.
    this.#writing = written.then(
      () => undefined,
      () => undefined,
    );
    return written;
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
