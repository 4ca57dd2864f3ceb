/** Counts events and alerts by hour or by part of a day, with counts of the store. */
import type { ActivityHour } from '@sentinel-node/contracts';
import { CountedCache, type DocumentStore } from '@sentinel-node/platform';
import { idPrefixOf } from '../lists/page.ts';
import { VIEWS, type ViewName } from '../views/index.ts';
import { iso } from '../views/read.ts';

const HOURS = 24;
const HOUR_MS = 3_600_000;
/** How long a count is kept; records projected late appear in the next count. */
const KEPT_MS = 10 * 60_000;
/** How long a count is kept when its time had been over for `KEPT_MS` at counting. */
const KEPT_PAST_MS = 6 * HOUR_MS;
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
}

const NOTHING: Counts = { events: 0, alerts: 0 };
const sum = (one: Counts, other: Counts): Counts => ({
  events: one.events + other.events,
  alerts: one.alerts + other.alerts,
});

/** Returns the starts of the current hour and the 23 before, oldest first, then the end of the current one. */
export function hourBounds(now: number): number[] {
  const end = Math.floor(now / HOUR_MS) * HOUR_MS + HOUR_MS;
  return Array.from({ length: HOURS + 1 }, (_, at) => end - (HOURS - at) * HOUR_MS);
}

/**
 * Keeps the counts of everything older than a minute, so that a read counts only the last minutes. Times are
 * milliseconds.
 * @pool activity-counts
 */
export class ActivityCounts {
  readonly #store: Pick<DocumentStore, 'count'>;
  readonly #kept = new CountedCache<string, Kept>(KEPT_COUNTS);

  constructor(store: Pick<DocumentStore, 'count'>) {
    this.#store = store;
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
    const keptMs = found !== undefined && found.at - end >= KEPT_MS ? KEPT_PAST_MS : KEPT_MS;
    const kept =
      found !== undefined && now - found.at < keptMs ? found : { counts: NOTHING, until: start, at: now };
    if (kept.until === end) return kept.counts;
    const settled = Math.floor((now - SETTLED_MS) / SETTLED_MS) * SETTLED_MS;
    const until = Math.min(end, Math.max(kept.until, settled));
    const [older, newest] = await Promise.all([
      this.#count(orgId, kept.until, until),
      this.#count(orgId, until, end),
    ]);
    const counts = sum(kept.counts, older);
    this.#kept.set(key, { counts, until, at: kept.at });
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
