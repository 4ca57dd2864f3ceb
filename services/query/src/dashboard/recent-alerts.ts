/** Reads ACTIVE alerts of an organisation in steps. */
import type { DocumentStore, Query } from '@sentinel-node/platform';
import { VIEWS, type AlertView } from '../views/index.ts';

/** Alerts of one read. */
const STEP_DOCUMENTS = 2_000;

/** Each step reads this many times the alerts of the step before, up to `STEP_DOCUMENTS`. */
const STEP_GROWTH = 10;

/**
 * Yields alerts newest first, in steps that grow from `firstStep`; alerts of deleted files are included.
 * @param below exclusive upper bound of the ids
 */
export async function* activeAlerts(
  store: DocumentStore,
  where: NonNullable<Query['where']>,
  firstStep: number,
  below?: string,
): AsyncGenerator<AlertView[]> {
  for (let limit = firstStep; ; limit = Math.min(STEP_GROWTH * limit, STEP_DOCUMENTS)) {
    const found = await store.find(VIEWS.alerts, {
      where: { ...where, status: 'ACTIVE', ...(below === undefined ? {} : { id: { lt: below } }) },
      sort: { field: 'id', direction: 'desc' },
      limit,
    });
    if (found.length > 0) yield found;
    if (found.length < limit) return;
    below = found.at(-1)!.id;
  }
}

/**
 * Yields alerts that last occurred at `since` (ms) or later, including those of deleted files; some alerts come twice.
 * A repeated deviation counts on its open alert, so an old alert may be recent. The oldest come first: an alert that occurs again
 * between two steps has then moved to one that is still to come.
 */
export async function* recentAlerts(
  store: DocumentStore,
  orgId: string,
  since: number,
): AsyncGenerator<AlertView[]> {
  for (let from = since; ;) {
    const found = await store.find(VIEWS.alerts, {
      where: { orgId, status: 'ACTIVE', lastTimestamp: { gte: from } },
      sort: { field: 'lastTimestamp', direction: 'asc' },
      limit: STEP_DOCUMENTS,
    });
    if (found.length > 0) yield found;
    if (found.length < STEP_DOCUMENTS) return;
    const newest = found.at(-1)!.lastTimestamp;
    // More than a step of alerts may have the same time; those are read by id.
    const isOneTime = found[0]!.lastTimestamp === newest;
    if (isOneTime) yield* activeAlerts(store, { orgId, lastTimestamp: newest }, STEP_DOCUMENTS);
    from = isOneTime ? newest + 1 : newest;
  }
}
