/**
 * Stores when each webhook is due, and which process sends to it: one document for each webhook that ever had
 * a notice, or another URL.
 */
import {
  changeAll,
  collectionOf,
  OverloadedError,
  saveIfCurrent,
  type Clock,
  type DocumentStore,
  type Query,
} from '@sentinel-node/platform';
import { WEBHOOK_LIMITS } from './limits.ts';

export interface LastAttempt {
  readonly at: number;
  readonly delivered: boolean;
  readonly status: number | null;
  readonly problem: string | null;
}

/** Notices left out: `since` is the time of the first, `at` of the last. */
export interface LeftOut {
  readonly notices: number;
  readonly since: number;
  readonly at: number;
}

/** `id` is the webhook's. Times are milliseconds since the Unix epoch. */
export interface Schedule {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  /** Absent when nothing waits. */
  readonly nextAt?: number;
  /** A process has the lease until then. */
  readonly leasedUntil: number;
  /** Consecutive attempts without a usable answer. */
  readonly failures: number;
  /** Nothing is sent until then, after such an attempt. */
  readonly pausedUntil: number;
  readonly last: LastAttempt | null;
  /**
   * When these times were set last, by the clock of then: ahead of now when it was set back since, so that they say nothing. Absent
   * in schedules of earlier versions.
   */
  readonly setAt?: number;
  /** Which URL and routing key failures and pause are of (`targetTag`); absent before the first run, and of earlier versions. */
  readonly target?: string;
  /** Notices left out because too many waited; absent when there are none. */
  readonly leftOut?: LeftOut;
}

/** Result of sending to a webhook. */
export type Outcome = Pick<Schedule, 'failures' | 'pausedUntil' | 'last' | 'target' | 'setAt'> & {
  readonly nextAt?: number;
};

export const WEBHOOK_SCHEDULES_COLLECTION = {
  name: collectionOf<Schedule>('webhook_schedules'),
  indexes: [{ fields: ['nextAt'], sparse: true }],
} as const;
const { name: SCHEDULES } = WEBHOOK_SCHEDULES_COLLECTION;

/** Returns whether the clock was set back since the times of the schedule were set. Clocks of processes differ a little. */
export const isAhead = (times: Pick<Schedule, 'setAt' | 'last'>, now: number): boolean =>
  setAtOf(times) > now + WEBHOOK_LIMITS.clocksDifferMs;

const setAtOf = ({ setAt, last }: Pick<Schedule, 'setAt' | 'last'>): number => setAt ?? last?.at ?? 0;

/** Attempts while other processes write the same schedule. */
const ATTEMPTS = 16;

export class Schedules {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  /** When `due` last looked for schedules of a clock that was set back. */
  #lookedAheadAt = Number.NEGATIVE_INFINITY;

  constructor(store: DocumentStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns the same schedules through another handle of the store. */
  through(store: DocumentStore): Schedules {
    return new Schedules(store, this.#clock);
  }

  /**
   * Makes webhooks due after notices of theirs were stored. A schedule that is due already stays: the process that takes it
   * clears the time before it reads notices. So does one that was written since under a lease: its holder cannot finish
   * before it has taken it, and read, again.
   * @param orgId of the webhooks
   * @param options.inPause also when the pause goes on
   * @throws OverloadedError when others kept changing a schedule
   */
  async wake(
    orgId: string,
    webhookIds: readonly string[],
    { inPause = false }: { readonly inPause?: boolean } = {},
  ): Promise<void> {
    const now = this.#clock.now();
    const revs = new Map<string, number>();
    await changeAll(this.#store, SCHEDULES, webhookIds, (id, found) => {
      if (found === undefined) return { id, rev: 0, orgId, nextAt: now, ...NEVER, setAt: now };
      const isRead = isLeased(found, now) && found.rev > (revs.get(id) ?? found.rev);
      revs.set(id, found.rev);
      const at = inPause || isAhead(found, now) ? now : Math.max(now, found.pausedUntil);
      const setAt = latestOf(found, now);
      return isWoken(found, now, at) || isRead ? undefined : { ...found, nextAt: at, setAt };
    });
  }

  /** Counts notices that were left out. @throws OverloadedError when others kept changing the schedule */
  async addLeftOut(webhookId: string, orgId: string, notices: number): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const at = this.#clock.now();
      const found = await this.#store.get(SCHEDULES, webhookId);
      const before = found?.leftOut;
      const goesOn = before !== undefined && at - before.at < WEBHOOK_LIMITS.leftOutMs;
      const leftOut = {
        notices: notices + (goesOn ? before.notices : 0),
        since: goesOn ? before.since : at,
        at,
      };
      const done =
        found === undefined
          ? saveIfCurrent(
              this.#store,
              SCHEDULES,
              { id: webhookId, rev: 1, orgId, ...NEVER, leftOut },
              undefined,
            )
          : this.#write(found, { ...found, leftOut });
      if (await done) return;
    }
    /** @boundedBy no pool: the attempts of one write */
    throw new OverloadedError(`the schedule of the webhook ${webhookId} keeps changing`);
  }

  /** Returns due webhooks without a lease, the longest due first. */
  async due(): Promise<Schedule[]> {
    const now = this.#clock.now();
    const found = [...(await this.#find({ nextAt: { lte: now } })), ...(await this.#ahead(now))];
    return found.filter((schedule) => !isLeased(schedule, now));
  }

  /** Returns the webhooks that a clock which was set back since made due later; looks now and then, and at once after it was set back. */
  async #ahead(now: number): Promise<Schedule[]> {
    if (Math.abs(now - this.#lookedAheadAt) < WEBHOOK_LIMITS.lookAheadEveryMs) return [];
    const setAt = { gt: now + WEBHOOK_LIMITS.clocksDifferMs };
    const found = await this.#find({ nextAt: { gt: now }, setAt });
    this.#lookedAheadAt = now;
    return found;
  }

  #find(where: NonNullable<Query['where']>): Promise<Schedule[]> {
    const sort = { field: 'nextAt', direction: 'asc' } as const;
    return this.#store.find(SCHEDULES, { where, sort, limit: WEBHOOK_LIMITS.found });
  }

  /**
   * Takes the lease of a webhook; undefined when another process has it.
   * @param options.isOwn extends the lease, which the caller holds
   */
  async take(
    webhookId: string,
    { isOwn = false }: { readonly isOwn?: boolean } = {},
  ): Promise<Schedule | undefined> {
    const found = await this.#store.get(SCHEDULES, webhookId);
    const now = this.#clock.now();
    if (found === undefined || (!isOwn && isLeased(found, now))) return undefined;
    const leasedUntil = now + WEBHOOK_LIMITS.leaseMs;
    const setAt = latestOf(found, now);
    // The webhook is due again when the lease ends, in case this process ends.
    const leased = { ...found, rev: found.rev + 1, leasedUntil, nextAt: leasedUntil, setAt };
    return (await saveIfCurrent(this.#store, SCHEDULES, leased, found.rev)) ? leased : undefined;
  }

  /**
   * Stores the result and ends the lease. Returns false when a notice came meanwhile: take the webhook again.
   */
  async finish({ id, rev, orgId, leftOut }: Schedule, outcome: Outcome): Promise<boolean> {
    const kept = leftOut !== undefined && { leftOut };
    const next: Schedule = { id, rev: rev + 1, orgId, leasedUntil: 0, ...kept, ...outcome };
    return saveIfCurrent(this.#store, SCHEDULES, next, rev);
  }

  /** Returns schedules by webhook, for the webhooks that ever had a notice. */
  async getMany(webhookIds: readonly string[]): Promise<Map<string, Schedule>> {
    const found = await this.#store.getMany(SCHEDULES, webhookIds);
    return new Map(found.map((schedule) => [schedule.id, schedule]));
  }

  async forget(webhookId: string): Promise<void> {
    await this.#store.remove(SCHEDULES, [webhookId]);
  }

  #write({ rev }: Schedule, next: Schedule): Promise<boolean> {
    return saveIfCurrent(this.#store, SCHEDULES, { ...next, rev: rev + 1 }, rev);
  }
}

/** Returns whether the webhook is due by `at` in any case. Under a lease its next time is the end of that, until it is woken. */
function isWoken(schedule: Schedule, now: number, at: number): boolean {
  const { nextAt, leasedUntil } = schedule;
  if (nextAt === undefined) return false;
  return isLeased(schedule, now) ? nextAt !== leasedUntil : nextAt <= at;
}

/** A lease that ends later than any does is of a clock that was set back since. */
const isLeased = ({ leasedUntil }: Schedule, now: number): boolean =>
  leasedUntil > now && leasedUntil <= now + WEBHOOK_LIMITS.leaseMs + WEBHOOK_LIMITS.clocksDifferMs;

/** Keeps a time that is ahead until a run has started anew. */
const latestOf = (times: Pick<Schedule, 'setAt' | 'last'>, now: number): number =>
  Math.max(setAtOf(times), now);

const NEVER = { leasedUntil: 0, failures: 0, pausedUntil: 0, last: null } as const;
