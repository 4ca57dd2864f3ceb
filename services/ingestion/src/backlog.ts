/** Reports that were accepted and are not in the views yet, and the share of each organisation of them. */
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import type { EventLog, Log } from '@sentinel-node/platform';
import { Refusal } from './domain/refusal.ts';

/** The topics on the way to the views, each with the group that works on it. */
const WAY = [
  { topic: TOPICS.fileEvents, group: GROUPS.verifier },
  { topic: TOPICS.chain, group: GROUPS.projector },
] as const;

/** Age above which the last count is too old to refuse reports by it (ms). */
const KNOWN_FOR_MS = 5_000;
/** An organisation that sent a report within this time may have one that waits, or sends the next soon (ms). */
const ACTIVE_FOR_MS = 60_000;
/** The share of the limit that an organisation has even when nothing is free, for example behind one that was alone. */
const LEAST_SHARE = 1 / 16;
/** The most intervals; above, the oldest two become one. */
const MOST_INTERVALS = 400;
/** `Retry-After` of refused calls, in turns, so that not all senders come back at the same time. */
const RETRY_AFTER_SECONDS = [1, 2, 3, 4] as const;

/**
 * Reports that were accepted between two counts.
 * @boundedBy the organisations that send
 */
interface Interval {
  readonly byOrganization: Map<string, number>;
  all: number;
}

export interface BacklogOptions {
  readonly eventLog: Pick<EventLog, 'bounds' | 'committed'>;
  readonly log: Log;
  /** The most waiting records of all processes; undefined: nothing is counted and nothing refused. */
  readonly limit: number | undefined;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/**
 * Records are judged and projected in the order of the log, so reports of every organisation wait behind those of one that
 * sends more than the way takes. Such an organisation is refused while more of the waiting reports are its own than are free
 * (the rule of `FairPool`), and while others send too: alone it delays nobody, and a report is safer in the log than on a
 * device. Which reports wait is estimated: the newest that this process accepted.
 * @pool waiting-reports
 */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #now: () => number;
  /** Oldest first; the last one is the present. */
  #intervals: Interval[] = [emptyInterval()];
  /** Sums over the intervals. */
  readonly #sent = new Map<string, number>();
  #all = 0;
  /** Waiting records at the last count, its time, and the records accepted since it began. */
  #counted = 0;
  #since = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #refused = 0;
  /** The organisation that sent last, and the last other one. */
  #latest = NOBODY;
  #other = NOBODY;

  constructor(options: BacklogOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether anything is counted. */
  get isLimited(): boolean {
    return this.#options.limit !== undefined;
  }

  /** Waiting records, including those that were accepted since the last count. */
  get waiting(): number {
    return this.#counted + this.#since;
  }

  /** Notes records that are in the log now. */
  note(orgId: string, records: number): void {
    if (this.#options.limit === undefined) return;
    if (this.#latest.orgId !== orgId) this.#other = this.#latest;
    this.#latest = { orgId, at: this.#now() };
    this.#addTo(this.#intervals.at(-1), orgId, records);
    this.#since += records;
  }

  #addTo(interval: Interval | undefined, orgId: string, records: number): void {
    if (interval === undefined) return;
    add(interval.byOrganization, orgId, records);
    interval.all += records;
    add(this.#sent, orgId, records);
    this.#all += records;
  }

  /** Returns the refusal for reports of an organisation that has more than its share of the waiting ones. */
  refusalOf(orgId: string): Refusal | undefined {
    const { limit } = this.#options;
    if (limit === undefined || this.#now() - this.#countedAt > KNOWN_FOR_MS) return undefined;
    const { waiting } = this;
    const share = this.#all === 0 ? 0 : (this.#sent.get(orgId) ?? 0) / this.#all;
    const allowed = Math.max(limit - waiting, limit * LEAST_SHARE);
    if (share * waiting <= allowed || !this.#areOthersActive(orgId)) return undefined;
    this.#refused = (this.#refused + 1) % RETRY_AFTER_SECONDS.length;
    return new Refusal('OVERLOADED', {
      detail: 'More reports of the organization wait to be judged than its share allows.',
      retryAfterSeconds: RETRY_AFTER_SECONDS[this.#refused],
    });
  }

  #areOthersActive(orgId: string): boolean {
    const other = this.#latest.orgId === orgId ? this.#other : this.#latest;
    return this.#now() - other.at <= ACTIVE_FOR_MS;
  }

  /** Counts the waiting records and forgets the reports that no longer wait. Never rejects. */
  async count(): Promise<void> {
    const { log } = this.#options;
    // The count may include records that are accepted while it runs, or not: they count twice rather than never.
    const before = this.#since;
    this.#intervals.push(emptyInterval());
    if (this.#intervals.length > MOST_INTERVALS) this.#mergeOldest();
    try {
      this.#counted = await this.#waitingNow();
      this.#countedAt = this.#now();
      this.#since -= before;
      // Waiting records that this process did not accept since it began count for no organisation.
      const unknown = this.#counted - this.#all;
      if (unknown > 0) this.#addTo(this.#intervals[0], NOBODY.orgId, unknown);
      this.#forget();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ err: error }, 'waiting reports cannot be counted; none is refused for them');
      this.#isFailing = true;
    }
  }

  async #waitingNow(): Promise<number> {
    const { eventLog } = this.#options;
    const counts = await Promise.all(
      WAY.map(async ({ topic, group }) => {
        const [bounds, committed] = await Promise.all([
          eventLog.bounds(topic),
          eventLog.committed(topic, group),
        ]);
        return bounds.reduce(
          (sum, { partition, start, end }) => sum + end - Math.max(start, committed.get(partition) ?? start),
          0,
        );
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  #mergeOldest(): void {
    const [oldest, next] = this.#intervals;
    if (oldest === undefined || next === undefined) return;
    for (const [orgId, records] of oldest.byOrganization) add(next.byOrganization, orgId, records);
    next.all += oldest.all;
    this.#intervals.shift();
  }

  /** Forgets the oldest intervals, as long as the newer ones hold all that waits. */
  #forget(): void {
    let [oldest] = this.#intervals;
    while (this.#intervals.length > 1 && oldest !== undefined && this.#all - oldest.all >= this.#counted) {
      for (const [orgId, records] of oldest.byOrganization) add(this.#sent, orgId, -records);
      this.#all -= oldest.all;
      this.#intervals.shift();
      [oldest] = this.#intervals;
    }
  }
}

const NOBODY = { orgId: '', at: Number.NEGATIVE_INFINITY };

const emptyInterval = (): Interval => ({ byOrganization: new Map(), all: 0 });

/** Adds to a sum; a sum of nothing is forgotten. */
function add(sums: Map<string, number>, key: string, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount;
  if (sum > 0) sums.set(key, sum);
  else sums.delete(key);
}
