/** Counts events and alerts by hour or by part of a day, with counts of the store. */
import type { ActivityHour } from '@sentinel-node/contracts';
import { FairCache, type DocumentStore } from '@sentinel-node/platform';
import { idPrefixOf } from '../lists/page.ts';
import { VIEWS, type ViewName } from '../views/index.ts';
import { iso } from '../views/read.ts';

const HOURS = 24;
const HOUR_MS = 3_600_000;
/** How long a count is kept at first; records projected late appear in the next count. */
const KEPT_MS = 10 * 60_000;
/**
 * The longest that a count is kept. Nothing tells whether the views had every record at counting, so that the time
 * doubles with each count that is as the one before.
 */
const KEPT_LONGEST_MS = HOUR_MS;
/** Counts of events older than this are kept, so that a read does not count the current hour from its start. */
const SETTLED_MS = 60_000;
/** The most kept counts, of hours and parts of days of all organisations. */
export const KEPT_COUNTS = 50_000;

type Counts = Omit<ActivityHour, 'start'>;

interface Kept {
  /** Counts from the start to `until`; `until` is the end once the time is over. */
  readonly counts: Counts;
  readonly until: number;
  /** Time of the first count. */
  readonly at: number;
  readonly keptMs: number;
}

const NOTHING: Counts = { events: 0, alerts: 0 };
const sum = (one: Counts, other: Counts): Counts => ({
  events: one.events + other.events,
  alerts: one.alerts + other.alerts,
});

/** Returns how long a count is kept that was made after `before`. */
function keptAfter(before: Kept, { events, alerts }: Counts, until: number): number {
  const isSame = before.until === until && before.counts.events === events && before.counts.alerts === alerts;
  return isSame ? Math.min(2 * before.keptMs, KEPT_LONGEST_MS) : KEPT_MS;
}

/** Returns whether a count is kept. After the clock was set back, events still come into a time that was over before. */
const holds = ({ at, until, keptMs }: Kept, now: number): boolean =>
  at <= now && until <= now && now - at < keptMs;

/** Returns the starts of the current hour and the 23 before, oldest first, then the end of the current one. */
export function hourBounds(now: number): number[] {
  const end = Math.floor(now / HOUR_MS) * HOUR_MS + HOUR_MS;
  return Array.from({ length: HOURS + 1 }, (_, at) => end - (HOURS - at) * HOUR_MS);
}

/**
 * Keeps the counts of everything older than a minute, so that a read counts only the last minutes. Times are
 * milliseconds. Each time zone has parts of its own, so that an organisation that reads many has no room of the others.
 * @pool activity-counts
 */
export class ActivityCounts {
  readonly #store: Pick<DocumentStore, 'count'>;
  readonly #kept: FairCache<Kept>;

  constructor(store: Pick<DocumentStore, 'count'>, keptCounts = KEPT_COUNTS) {
    this.#store = store;
    this.#kept = new FairCache(keptCounts);
  }

  /** Returns the counts of the current hour and the 23 before, oldest first. */
  hours(orgId: string, now: number): Promise<ActivityHour[]> {
    return this.counts(orgId, hourBounds(now), now);
  }

  /** @param bounds start of each part, in order, then the end of the last part */
  counts(orgId: string, bounds: readonly number[], now: number): Promise<ActivityHour[]> {
    return Promise.all(
      bounds.slice(0, -1).map(async (start, at) => ({
        start: iso(start),
        ...(await this.#part(orgId, start, bounds[at + 1]!, now)),
      })),
    );
  }

  async #part(orgId: string, start: number, end: number, now: number): Promise<Counts> {
    const key = `${orgId} ${start} ${end}`;
    const found = this.#kept.get(key);
    const kept =
      found !== undefined && holds(found, now)
        ? found
        : { counts: NOTHING, until: start, at: now, keptMs: KEPT_MS };
    if (kept.until === end) return kept.counts;
    const settled = Math.floor((now - SETTLED_MS) / SETTLED_MS) * SETTLED_MS;
    const until = Math.min(end, Math.max(kept.until, settled));
    const [older, newest] = await Promise.all([
      this.#count(orgId, kept.until, until),
      this.#count(orgId, until, end),
    ]);
    const counts = sum(kept.counts, older);
    const keptMs = found !== undefined && kept !== found ? keptAfter(found, counts, until) : kept.keptMs;
    this.#kept.set(orgId, key, { counts, until, at: kept.at, keptMs });
    return sum(counts, newest);
  }

  /** Counts from `from` (inclusive) to `to` (exclusive). */
  async #count(orgId: string, from: number, to: number): Promise<Counts> {
    if (from >= to) return NOTHING;
    const id = { gte: idPrefixOf(from), lt: idPrefixOf(to) };
    const count = (name: ViewName): Promise<number> => this.#store.count(name, { orgId, id });
    const [events, alerts] = await Promise.all([count(VIEWS.events), count(VIEWS.alerts)]);
    return { events, alerts };
  }
}
