/** Events and alerts by hour, counted by the store. */
import type { ActivityHour } from '@sentinel-node/contracts';
import { type DocumentStore, LRUCache } from '@sentinel-node/platform';
import { idPrefixOf } from '../lists/page.ts';
import { VIEWS, type ViewName } from '../views/index.ts';
import { iso } from '../views/read.ts';

const HOURS = 24;
const HOUR_MS = 3_600_000;
/** How long a count is kept: what is projected late is counted by then. */
const KEPT_MS = 10 * 60_000;
/** What is older than this is kept, to the minute: the present hour is not counted from its beginning at each read. */
const SETTLED_MS = 60_000;
/** Hours of all organisations whose counts are kept. */
export const KEPT_HOURS = 50_000;

type Counts = Omit<ActivityHour, 'start'>;

interface Kept {
  /** From the beginning of the hour to `until`, which is its end when the hour is over. */
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
 * Reads the present hour and the 23 before it. What is over a minute old is counted once in a while: a read costs as much
 * as the last minutes hold. Times are milliseconds.
 * @pool activity-hours
 */
export class Activity {
  readonly #store: Pick<DocumentStore, 'count'>;
  readonly #kept = new LRUCache<string, Kept>({ max: KEPT_HOURS });

  constructor(store: Pick<DocumentStore, 'count'>) {
    this.#store = store;
  }

  /** Oldest hour first. */
  read(orgId: string, now: number): Promise<ActivityHour[]> {
    const last = Math.floor(now / HOUR_MS) * HOUR_MS;
    const starts = Array.from({ length: HOURS }, (_, at) => last - (HOURS - 1 - at) * HOUR_MS);
    return Promise.all(
      starts.map(async (start) => ({ start: iso(start), ...(await this.#hour(orgId, start, now)) })),
    );
  }

  async #hour(orgId: string, start: number, now: number): Promise<Counts> {
    const end = start + HOUR_MS;
    const key = `${orgId} ${start}`;
    const found = this.#kept.get(key);
    const kept =
      found !== undefined && now - found.at < KEPT_MS ? found : { counts: NOTHING, until: start, at: now };
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
