/** ACTIVE alerts of an organisation, in steps. */
import type { DocumentStore, Query } from '@sentinel-node/platform';
import { VIEWS, type AlertView } from '../views/index.ts';

/** Alerts that are read at once. */
const STEP_DOCUMENTS = 2_000;

/** Each step is larger than the one before by this factor, up to `STEP_DOCUMENTS`. */
const STEP_GROWTH = 10;

/** Newest first, in steps that grow from `firstStep`; those of deleted files are among them. */
export async function* activeAlerts(
  store: DocumentStore,
  where: NonNullable<Query['where']>,
  firstStep: number,
): AsyncGenerator<AlertView[]> {
  let below: string | undefined;
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
 * Those that occurred last at `since` (ms) or later, of deleted files too; some come twice. A deviation is counted on
 * the alert that is open, so that one which goes on for months makes no second alert.
 */
export async function* recentAlerts(
  store: DocumentStore,
  orgId: string,
  since: number,
): AsyncGenerator<AlertView[]> {
  for (let until = Number.MAX_SAFE_INTEGER; until >= since;) {
    const found = await store.find(VIEWS.alerts, {
      where: { orgId, status: 'ACTIVE', lastTimestamp: { gte: since, lte: until } },
      sort: { field: 'lastTimestamp', direction: 'desc' },
      limit: STEP_DOCUMENTS,
    });
    if (found.length > 0) yield found;
    if (found.length < STEP_DOCUMENTS) return;
    const oldest = found.at(-1)!.lastTimestamp;
    // What occurred at one moment can be more than a step: it is gone through by id.
    if (oldest === until) yield* activeAlerts(store, { orgId, lastTimestamp: oldest }, STEP_DOCUMENTS);
    until = oldest === until ? oldest - 1 : oldest;
  }
}
