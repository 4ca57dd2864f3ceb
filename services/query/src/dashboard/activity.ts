/** Events and alerts by hour, counted by the store. */
import type { ActivityHour } from '@sentinel-node/contracts';
import { type DocumentStore, LRUCache } from '@sentinel-node/platform';
import { idPrefixOf } from '../lists/page.ts';
import { VIEWS, type ViewName } from '../views/index.ts';
import { iso } from '../views/read.ts';

const HOURS = 24;
const HOUR_MS = 3_600_000;
/** How long the counts of an hour that is over are kept: what is projected late is counted by then. */
const KEPT_MS = 10 * 60_000;
/** Hours of all organisations whose counts are kept. */
export const KEPT_HOURS = 50_000;

type Counts = Omit<ActivityHour, 'start'>;

/**
 * Reads the present hour and the 23 before it. Counts of hours that are over are kept for a while.
 * @pool activity-hours
 */
export class Activity {
  readonly #store: DocumentStore;
  readonly #kept = new LRUCache<string, { readonly counts: Counts; readonly at: number }>({
    max: KEPT_HOURS,
  });

  constructor(store: DocumentStore) {
    this.#store = store;
  }

  /** Oldest hour first. @param now milliseconds */
  read(orgId: string, now: number): Promise<ActivityHour[]> {
    const last = Math.floor(now / HOUR_MS) * HOUR_MS;
    const starts = Array.from({ length: HOURS }, (_, at) => last - (HOURS - 1 - at) * HOUR_MS);
    return Promise.all(
      starts.map(async (start) => ({ start: iso(start), ...(await this.#hour(orgId, start, now)) })),
    );
  }

  async #hour(orgId: string, start: number, now: number): Promise<Counts> {
    const key = `${orgId} ${start}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && now - kept.at < KEPT_MS) return kept.counts;
    const count = (name: ViewName): Promise<number> =>
      this.#store.count(name, { orgId, id: { gte: idPrefixOf(start), lt: idPrefixOf(start + HOUR_MS) } });
    const [events, alerts] = await Promise.all([count(VIEWS.events), count(VIEWS.alerts)]);
    const counts = { events, alerts };
    if (now >= start + HOUR_MS) this.#kept.set(key, { counts, at: now });
    return counts;
  }
}
