import { UUID_RANDOM_BYTES, uuidV7 } from '@sentinel-node/contracts';
import {
  collectionOf,
  type Clock,
  type DocumentStore,
  type Mailer,
  type MailMessage,
  type Random,
} from '@sentinel-node/platform';

export const DEVELOPMENT_MAILS_COLLECTION = {
  name: collectionOf<KeptMail>('dev_mails'),
  indexes: [],
} as const;

/** The most kept mails; the oldest are removed first. */
export const DEVELOPMENT_MAILS_MAX = 500;

export interface KeptMail extends MailMessage {
  readonly id: string;
  /** Of the mail: the same each time it is sent. */
  readonly messageId?: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly sentAt: string;
}

/** Keeps mails for the page /dev-mail instead of sending them. */
export class DevelopmentMailer implements Mailer {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  readonly #random: Random;
  constructor(store: DocumentStore, clock: Clock, random: Random) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
  }

  async send(message: MailMessage): Promise<void> {
    const now = this.#clock.now();
    const id = uuidV7(now, this.#random.bytes(UUID_RANDOM_BYTES));
    const messageId = message.id === undefined ? {} : { messageId: message.id };
    const kept: KeptMail = { ...message, ...messageId, id, sentAt: new Date(now).toISOString() };
    await this.#store.insertUnique(DEVELOPMENT_MAILS_COLLECTION.name, kept);
    const excess = (await this.#store.count(DEVELOPMENT_MAILS_COLLECTION.name)) - DEVELOPMENT_MAILS_MAX;
    if (excess > 0) await this.#forgetOldest(excess);
  }

  /** Returns the mails, newest first. */
  async list(): Promise<KeptMail[]> {
    const found = await this.#store.find(DEVELOPMENT_MAILS_COLLECTION.name, {
      sort: { field: 'id', direction: 'desc' },
      limit: DEVELOPMENT_MAILS_MAX,
    });
    return found;
  }

  async #forgetOldest(count: number): Promise<void> {
    const oldest = await this.#store.find(DEVELOPMENT_MAILS_COLLECTION.name, { limit: count });
    await this.#store.remove(
      DEVELOPMENT_MAILS_COLLECTION.name,
      oldest.map(({ id }) => id),
    );
  }
}
