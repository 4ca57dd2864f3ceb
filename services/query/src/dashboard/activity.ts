/** Events and alerts by hour, or by parts of days, counted by the store. */
import type { ActivityHour } from '@sentinel-node/contracts';
import { type DocumentStore, LRUCache } from '@sentinel-node/platform';
import { idPrefixOf } from '../lists/page.ts';
import { VIEWS, type ViewName } from '../views/index.ts';
import { iso } from '../views/read.ts';

const HOURS = 24;
const HOUR_MS = 3_600_000;
/** How long a count is kept: what is projected late is counted by then. */
const KEPT_MS = 10 * 60_000;
/** The same of a time that was over for `KEPT_MS` when it was counted. */
const KEPT_PAST_MS = 6 * HOUR_MS;
/** What is older than this is kept, to the minute: the present hour is not counted from its beginning at each read. */
const SETTLED_MS = 60_000;
/** Counts of hours and parts of days, of all organisations, that are kept. */
export const KEPT_COUNTS = 50_000;

type Counts = Omit<ActivityHour, 'start'>;

interface Kept {
  /** From the beginning to `until`, which is the end when the time is over. */
  readonly counts: Counts;
  readonly until: number;
  /** When the first of it was counted. */
  readonly at: number;
}

const NOTHING: Counts = { events: 0, alerts: 0 };
const sum = (one: Counts, other: Counts): Counts => ({
  events: one.events + other.events,
  alerts: one.alerts + other.alerts,
});

/**
 * What is over a minute old is counted once in a while: a read costs as much as the last minutes hold. Times are milliseconds.
 * @pool activity-counts
 */
export class ActivityCounts {
  readonly #store: Pick<DocumentStore, 'count'>;
  readonly #kept = new LRUCache<string, Kept>({ max: KEPT_COUNTS });

  constructor(store: Pick<DocumentStore, 'count'>) {
    this.#store = store;
  }

  /** The present hour and the 23 before it, oldest first. */
  hours(orgId: string, now: number): Promise<ActivityHour[]> {
    const end = Math.floor(now / HOUR_MS) * HOUR_MS + HOUR_MS;
    return this.between(
      orgId,
      Array.from({ length: HOURS + 1 }, (_, at) => end - (HOURS - at) * HOUR_MS),
      now,
    );
  }

  /** @param bounds where each part begins, in order, and where the last one ends */
  between(orgId: string, bounds: readonly number[], now: number): Promise<ActivityHour[]> {
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

  /** From `from` to before `to`. */
  async #count(orgId: string, from: number, to: number): Promise<Counts> {
    if (from >= to) return NOTHING;
    const id = { gte: idPrefixOf(from), lt: idPrefixOf(to) };
    const count = (name: ViewName): Promise<number> => this.#store.count(name, { orgId, id });
    const [events, alerts] = await Promise.all([count(VIEWS.events), count(VIEWS.alerts)]);
    return { events, alerts };
  }
}
