/**
 * Limits the mails that an organisation causes and an address gets in a day (UTC), and the mails of notices in an hour.
 * The counts are in the store, shared by all processes.
 */
import { createHash } from 'node:crypto';
import {
  ApiError,
  type Clock,
  collectionOf,
  saveIfCurrent,
  type DocumentStore,
} from '@sentinel-node/platform';

/** Counts by SHA-256 of the address, so that no address is stored. */
export const MAIL_DAYS_COLLECTION = {
  name: collectionOf<Counted>('mail_days'),

  indexes: [{ fields: ['expiresAt'] }],
} as const;

export interface MailAmounts {
  /** The most activation mails that an organisation causes. */
  readonly invitationsPerDay: number;
  /** The most mails to one address, from all organisations. */
  readonly mailsPerAddressPerDay: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The most mails of notices that one organisation causes in an hour. */
export const NOTICE_MAILS_PER_HOUR = 500;
const MS_PER_SECOND = 1_000;
/** Attempts when other calls change the same count; after the last one the call fails with CONFLICT. */
const ATTEMPTS = 8;

interface Counted {
  readonly id: string;
  readonly rev: number;
  readonly mails: number;
  readonly expiresAt: number;
}

export class MailLimits {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  readonly #amounts: MailAmounts;

  constructor(store: DocumentStore, clock: Clock, amounts: MailAmounts) {
    this.#store = store;
    this.#clock = clock;
    this.#amounts = amounts;
  }

  /** Call before sending an activation mail. @throws ApiError RATE_LIMITED until tomorrow; CONFLICT */
  async countInvitation(orgId: string, address: string): Promise<void> {
    const { invitationsPerDay } = this.#amounts;
    const detail = `An organization sends at most ${invitationsPerDay} invitations a day.`;
    if ((await this.#beyond([address])).length > 0)
      throw limited(this.#addressDetail(), this.#clock.now(), DAY_MS);
    await this.#count(`organization:${orgId}`, invitationsPerDay, detail);
    await this.countAddress(address);
  }

  /** Call before sending any mail. @throws ApiError RATE_LIMITED until tomorrow; CONFLICT */
  async countAddress(address: string): Promise<void> {
    await this.#count(addressSubject(address), this.#amounts.mailsPerAddressPerDay, this.#addressDetail());
  }

  /**
   * Call before counting a call of several mails, so that a refusal counts nothing.
   * @param addresses one for each mail
   * @throws ApiError RATE_LIMITED until tomorrow, which names the addresses that get too many mails
   */
  async checkAddresses(addresses: readonly string[], pathOf: (index: number) => string): Promise<void> {
    const beyond = await this.#beyond(addresses);
    if (beyond.length === 0) return;
    const named = beyond.map((index) => addresses[index]).join(', ');
    const detail = `${this.#addressDetail()} Nothing was sent because of ${named}.`;
    const errors = beyond.map((index) => ({ path: pathOf(index), message: 'gets too many mails today' }));
    throw limited(detail, this.#clock.now(), DAY_MS, errors);
  }

  #addressDetail(): string {
    return `An address gets at most ${this.#amounts.mailsPerAddressPerDay} mails a day.`;
  }

  /** Returns the indexes of the addresses whose mailboxes would get too many mails today. */
  async #beyond(addresses: readonly string[]): Promise<number[]> {
    const now = this.#clock.now();
    const ids = addresses.map((address) => countId(addressSubject(address), now, DAY_MS));
    const found = await this.#store.getMany(MAIL_DAYS_COLLECTION.name, [...new Set(ids)]);
    const mails = new Map(found.map((counted) => [counted.id, counted.mails]));
    for (const id of ids) mails.set(id, (mails.get(id) ?? 0) + 1);
    return [...ids.keys()].filter((index) => mails.get(ids[index]!)! > this.#amounts.mailsPerAddressPerDay);
  }

  /** Call before sending a mail of notices. @throws ApiError RATE_LIMITED until the next hour; CONFLICT */
  async countNotification(orgId: string): Promise<void> {
    const detail = `An organization causes at most ${NOTICE_MAILS_PER_HOUR} mails of notices an hour.`;
    await this.#count(`notices:${orgId}`, NOTICE_MAILS_PER_HOUR, detail, HOUR_MS);
  }

  /**
   * Call before sending a mail of notices to an address that may be a stranger's. @throws ApiError RATE_LIMITED until the
   * next hour; CONFLICT
   */
  async countNotificationTo(orgId: string, address: string, mailsPerHour: number): Promise<void> {
    const detail = `An address gets at most ${mailsPerHour} mails of notices an hour.`;
    await this.#count(`notices:${orgId}:${mailboxHash(address)}`, mailsPerHour, detail, HOUR_MS);
  }

  async #count(subject: string, limit: number, detail: string, spanMs = DAY_MS): Promise<void> {
    const now = this.#clock.now();
    const id = countId(subject, now, spanMs);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await this.#store.get(MAIL_DAYS_COLLECTION.name, id);
      const mails = (found?.mails ?? 0) + 1;
      if (mails > limit) throw limited(detail, now, spanMs);
      const next: Counted = { id, rev: (found?.rev ?? 0) + 1, mails, expiresAt: endOf(now, spanMs) };
      if (await saveIfCurrent(this.#store, MAIL_DAYS_COLLECTION.name, next, found?.rev)) return;
    }
    throw new ApiError('CONFLICT');
  }
}

const endOf = (now: number, spanMs: number): number => now - (now % spanMs) + spanMs;
const countId = (subject: string, now: number, spanMs: number): string => `${subject}:${endOf(now, spanMs)}`;
const addressSubject = (address: string): string => `address:${mailboxHash(address)}`;

/** @pool invitations, mails-to-address, notice-mails */
function limited(detail: string, now: number, spanMs: number, errors?: ApiError['errors']): ApiError {
  const seconds = Math.ceil((endOf(now, spanMs) - now) / MS_PER_SECOND);
  return new ApiError('RATE_LIMITED', { detail, errors, retryAfterSeconds: seconds });
}

/** Returns the same hash for `eve+1@…` and `Eve@…`, which most servers deliver to one mailbox. */
export function mailboxHash(address: string): string {
  const [local = '', domain = ''] = address.normalize('NFKC').toLowerCase().split('@');
  return createHash('sha256')
    .update(`${local.replace(/\+.*$/, '')}@${domain}`)
    .digest('hex');
}
