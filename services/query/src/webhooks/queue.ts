/** Stores notices for webhooks: waiting, dead, or delivered and remembered for a while. */
import {
  LRUCache,
  OverloadedError,
  collectionOf,
  saveIfCurrent,
  type Clock,
  type DocumentStore,
  type Query,
} from '@sentinel-node/platform';
import type { Notice } from '../notifications/index.ts';
import type { WebhookCounts } from './counts.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

interface Kept {
  /** Made from webhook and notice, so that a repeated notice is the same document. */
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly webhookId: string;
}

export interface WaitingNotice extends Kept {
  readonly state: 'WAITING';
  readonly waiting: 1;
  readonly notice: Notice;
  readonly orderKey: string;
  /** Of two notices with one order key, the lower position goes first. */
  readonly position: number;
  /** When the notice was added; milliseconds, as all times here. */
  readonly since: number;
  readonly attempts: number;
  readonly nextAt: number;
}

export interface DeadNotice extends Kept {
  readonly state: 'DEAD';
  readonly notice: Notice;
  readonly attempts: number;
  readonly diedAt: number;
  readonly problem: string;
  readonly expiresAt: number;
}

interface DeliveredNotice extends Kept {
  readonly state: 'DELIVERED';
  readonly expiresAt: number;
}

type KeptNotice = WaitingNotice | DeadNotice | DeliveredNotice;

/** A sparse index holds the notices of one state; a query must name all its fields to use it. */
export const WEBHOOK_NOTICES_COLLECTION = {
  name: collectionOf<KeptNotice>('webhook_notices'),
  indexes: [
    { fields: ['webhookId', 'nextAt'], sparse: true },
    { fields: ['webhookId', 'orderKey', 'position'], sparse: true },
    { fields: ['waiting'], sparse: true },
    { fields: ['orgId', 'position'], sparse: true },
    { fields: ['webhookId', 'diedAt'], sparse: true },
    { fields: ['webhookId', 'id'] },
    { fields: ['expiresAt'], sparse: true },
  ],
} as const;
const { name: NOTICES } = WEBHOOK_NOTICES_COLLECTION;

/** Notices of one organisation by the id of a webhook, in their order. */
export type NoticesByWebhook = ReadonlyMap<string, readonly Notice[]>;

interface Addressed {
  readonly webhookId: string;
  readonly notice: Notice;
}

type Where = NonNullable<Query['where']>;

const ANY = { gte: 0 } as const;
const MICROSECONDS = 1_000;

/** The parts that all queues of a process share. */
class Shared {
  lastPosition = 0;
  /** Waiting notices by organisation; `*` counts all. @pool webhook-counts */
  readonly waiting = new LRUCache<string, { count: number; readonly at: number }>({
    max: WEBHOOK_LIMITS.countedOrganizations,
  });
}

/** @pool webhook-notices, webhook-dead-letters, webhook-counts, webhook-attempts */
export class NoticeQueue {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  readonly #counts: WebhookCounts;
  readonly #shared: Shared;

  constructor(store: DocumentStore, clock: Clock, counts: WebhookCounts, shared = new Shared()) {
    this.#store = store;
    this.#clock = clock;
    this.#counts = counts;
    this.#shared = shared;
  }

  /** Returns the same queue through another handle of the store. */
  through(store: DocumentStore): NoticeQueue {
    return new NoticeQueue(store, this.#clock, this.#counts, this.#shared);
  }

  /** Number of organisations whose count is cached. */
  get counted(): number {
    return this.#shared.waiting.size;
  }

  /**
   * Adds notices; durable when it resolves. A known notice stays as it is. All webhooks get their first notice
   * before one gets its second, so that they share the room.
   * @param notices of the organisation
   * @returns by webhook, how many notices, the last ones, had no room
   */
  async add(orgId: string, notices: NoticesByWebhook): Promise<Map<string, number>> {
    const { addedAtOnce } = WEBHOOK_LIMITS;
    const all = inTurns(notices);
    for (let at = 0; at < all.length; at += addedAtOnce) {
      const some = all.slice(at, at + addedAtOnce);
      const fitting = some.slice(0, await this.#roomFor(orgId, some.length));
      if (fitting.length > 0)
        await this.#store.insertMissing(NOTICES, await this.#waitingFrom(orgId, fitting, 1));
      if (fitting.length < some.length) return countByWebhook(all.slice(at + fitting.length));
    }
    return new Map();
  }

  /** Returns due notices, the longest due first. */
  async due(webhookId: string): Promise<WaitingNotice[]> {
    return this.#waiting({ webhookId, nextAt: { lte: this.#clock.now() } }, 'nextAt', WEBHOOK_LIMITS.page);
  }

  /** Returns the next notice of an order key. */
  async head(webhookId: string, orderKey: string): Promise<WaitingNotice | undefined> {
    return (await this.#waiting({ webhookId, orderKey, position: ANY }, 'position', 1))[0];
  }

  /** Returns when the webhook's next notice is due; undefined when none waits. */
  async nextAt(webhookId: string): Promise<number | undefined> {
    return (await this.#waiting({ webhookId, nextAt: ANY }, 'nextAt', 1))[0]?.nextAt;
  }

  /** Makes a page of the notices due that wait for a later time. @returns whether there may be more */
  async retryPage(webhookId: string): Promise<boolean> {
    const now = this.#clock.now();
    const page = await this.#waiting({ webhookId, nextAt: { gt: now } }, 'nextAt', WEBHOOK_LIMITS.page);
    for (const notice of page) await this.reschedule(notice, now);
    return page.length === WEBHOOK_LIMITS.page;
  }

  async reschedule(notice: WaitingNotice, nextAt: number, attempts = notice.attempts): Promise<void> {
    await this.#replace(notice, { ...notice, rev: notice.rev + 1, nextAt, attempts });
  }

  async delivered(notice: WaitingNotice): Promise<void> {
    const { id, rev, orgId, webhookId } = notice;
    const expiresAt = this.#clock.now() + WEBHOOK_LIMITS.deliveredMs;
    await this.#replace(notice, { id, rev: rev + 1, orgId, webhookId, state: 'DELIVERED', expiresAt });
  }

  /** Makes a waiting notice a dead letter. */
  async giveUp(waiting: WaitingNotice, problem: string, attempts = waiting.attempts): Promise<void> {
    const { id, rev, orgId, webhookId, notice } = waiting;
    const diedAt = this.#clock.now();
    const isDead = await this.#replace(waiting, {
      ...{ id, rev: rev + 1, orgId, webhookId, notice, attempts, diedAt, problem },
      state: 'DEAD',
      expiresAt: diedAt + WEBHOOK_LIMITS.deadLetterMs,
    });
    if (isDead) this.#counts.undelivered('dead_letter', 1);
  }

  /** Makes a page of waiting notices dead letters. @returns whether there may be more */
  async giveUpPage(webhookId: string, problem: string): Promise<boolean> {
    const page = await this.#waiting({ webhookId, nextAt: ANY }, 'nextAt', WEBHOOK_LIMITS.page);
    for (const notice of page) await this.giveUp(notice, problem);
    return page.length === WEBHOOK_LIMITS.page;
  }

  /** Returns the newest dead letters, newest first. */
  async deadLetters(webhookId: string, limit: number): Promise<DeadNotice[]> {
    return this.#dead(webhookId, 'desc', limit);
  }

  /** Removes the oldest dead letters above the limit. */
  async trimDead(webhookId: string): Promise<void> {
    const excess = (await this.countDead(webhookId)) - WEBHOOK_LIMITS.deadLetters;
    if (excess <= 0) return;
    const oldest = await this.#dead(webhookId, 'asc', excess);
    await this.#store.remove(
      NOTICES,
      oldest.map(({ id }) => id),
    );
  }

  /** Lets dead letters wait again, behind all waiting notices. @returns the number of these dead letters */
  async sendAgain(webhookId: string, noticeIds: readonly string[]): Promise<number> {
    let sent = 0;
    for (const letter of await this.#deadOf(webhookId, noticeIds)) if (await this.#revive(letter)) sent += 1;
    return sent;
  }

  /** Returns how many of the notices are dead letters. */
  async countDeadOf(webhookId: string, noticeIds: readonly string[]): Promise<number> {
    return (await this.#deadOf(webhookId, noticeIds)).length;
  }

  countWaiting(webhookId: string): Promise<number> {
    return this.#store.count(NOTICES, { webhookId, nextAt: ANY });
  }

  countDead(webhookId: string): Promise<number> {
    return this.#store.count(NOTICES, { webhookId, diedAt: ANY });
  }

  /** Removes a page of the webhook's notices. @returns whether there may be more */
  async forgetPage(webhookId: string): Promise<boolean> {
    const { page } = WEBHOOK_LIMITS;
    const found = await this.#store.find(NOTICES, { where: { webhookId }, limit: page });
    await this.#store.remove(
      NOTICES,
      found.map(({ id }) => id),
    );
    return found.length === page;
  }

  async #deadOf(webhookId: string, noticeIds: readonly string[]): Promise<DeadNotice[]> {
    const ids = [...new Set(noticeIds)].map((noticeId) => idOf(webhookId, noticeId));
    return (await this.#store.getMany(NOTICES, ids)).filter((kept) => kept.state === 'DEAD');
  }

  async #revive(letter: DeadNotice): Promise<boolean> {
    const { webhookId, notice, rev, orgId } = letter;
    if ((await this.#roomFor(orgId, 1)) === 0)
      throw new OverloadedError('too many notices wait for webhooks');
    const [waiting] = await this.#waitingFrom(orgId, [{ webhookId, notice }], rev + 1);
    return this.#replace(letter, waiting!);
  }

  /** Makes waiting notices, each behind all earlier ones of the organisation. */
  async #waitingFrom(orgId: string, notices: readonly Addressed[], rev: number): Promise<WaitingNotice[]> {
    const last = await this.#lastPositionOf(orgId);
    const now = this.#clock.now();
    return notices.map(({ webhookId, notice }): WaitingNotice => {
      const { orderKey } = notice;
      return {
        ...{ id: idOf(webhookId, notice.id), rev, orgId, webhookId, notice, orderKey },
        state: 'WAITING',
        waiting: 1,
        position: this.#nextPosition(last, now),
        since: now,
        attempts: 0,
        nextAt: now,
      };
    });
  }

  async #waiting(where: Where, field: string, limit: number): Promise<WaitingNotice[]> {
    const found = await this.#store.find(NOTICES, { where, sort: { field, direction: 'asc' }, limit });
    return found.filter((kept) => kept.state === 'WAITING');
  }

  async #dead(webhookId: string, direction: 'asc' | 'desc', limit: number): Promise<DeadNotice[]> {
    const where = { webhookId, diedAt: ANY };
    const found = await this.#store.find(NOTICES, { where, sort: { field: 'diedAt', direction }, limit });
    return found.filter((kept) => kept.state === 'DEAD');
  }

  /** Returns false when another process changed the notice first. */
  #replace({ rev }: Pick<Kept, 'id' | 'rev'>, next: KeptNotice): Promise<boolean> {
    return saveIfCurrent(this.#store, NOTICES, next, rev);
  }

  /** Returns the last position of an organisation's notices; 0 when none waits. */
  async #lastPositionOf(orgId: string): Promise<number> {
    const where = { orgId, position: ANY };
    const sort = { field: 'position', direction: 'desc' } as const;
    const [last] = await this.#store.find(NOTICES, { where, sort, limit: 1 });
    return last?.state === 'WAITING' ? last.position : 0;
  }

  /**
   * Returns a position above the last one, even one that a process with a faster clock gave; it rises with
   * every call.
   */
  #nextPosition(last: number, now: number): number {
    const position = Math.max(this.#shared.lastPosition + 1, last + 1, now * MICROSECONDS);
    this.#shared.lastPosition = position;
    return position;
  }

  /**
   * Shares the room as `FairPool` does: an organisation gets at most as much as is free. @returns how many of
   * `wanted` have room
   */
  async #roomFor(orgId: string, wanted: number): Promise<number> {
    const [all, own] = await Promise.all([
      this.#counted('*', { waiting: 1 }),
      this.#counted(orgId, { orgId, position: ANY }),
    ]);
    // Each notice raises the organisation's own count and lowers the free room.
    const room = Math.floor((WEBHOOK_LIMITS.waiting - all.count - own.count) / 2);
    const taken = Math.max(0, Math.min(wanted, room));
    all.count += taken;
    own.count += taken;
    return taken;
  }

  /** Returns the cached count, with the notices that this process has added since. */
  async #counted(key: string, where: Where): Promise<{ count: number }> {
    const now = this.#clock.now();
    const known = this.#shared.waiting.get(key);
    // The clock may have been set back.
    if (known !== undefined && Math.abs(now - known.at) < WEBHOOK_LIMITS.countEveryMs) return known;
    const count = await this.#store.count(NOTICES, where);
    const counted = { count, at: now };
    this.#shared.waiting.set(key, counted);
    return counted;
  }
}

const idOf = (webhookId: string, noticeId: string): string => `${webhookId}:${noticeId}`;

/** Puts the first notice of every webhook before the second of any. */
function inTurns(notices: NoticesByWebhook): Addressed[] {
  const most = Math.max(0, ...[...notices.values()].map(({ length }) => length));
  return Array.from({ length: most }, (_, n) => n).flatMap((n) =>
    [...notices].flatMap(([webhookId, own]) => (n < own.length ? [{ webhookId, notice: own[n]! }] : [])),
  );
}

function countByWebhook(notices: readonly Addressed[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { webhookId } of notices) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
  return counts;
}
