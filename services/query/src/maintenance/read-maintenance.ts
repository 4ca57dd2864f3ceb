import { LIMITS, omit, type Maintenance, type MaintenanceList, type Scope } from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { newestAndInForce } from '../lists/newest.ts';
import { maintenanceState } from '../registry/maintenance.ts';
import { spansOf } from '../registry/set-aside.ts';
import { versionTag } from '../registry/tags.ts';
import { iso, isoOrNull, type MaintenanceView, type Tagged, VIEWS } from '../views/index.ts';

type Reading = Pick<QueryContext, 'store' | 'clock'>;

/** Returns the newest 500 windows and all that are not over, newest first. With `onlyToReview`, sorts the windows to review by their ends. */
export async function readWindows(
  { store, clock }: Reading,
  orgId: string,
  onlyToReview: boolean,
): Promise<MaintenanceList> {
  const now = clock.now();
  const [found, reviews] = await Promise.all([
    onlyToReview
      ? store.find(VIEWS.maintenance, {
          where: { orgId, awaitsReview: true, overAt: { lte: now } },
          sort: { field: 'overAt', direction: 'desc' },
          limit: LIMITS.pageItems,
        })
      : newestAndInForce<MaintenanceView>(store, VIEWS.maintenance, orgId, { endsAt: 'overAt', now }),
    reviewsOf(store, orgId, now),
  ]);
  return { windows: found.map((view) => shown(view, now)), ...reviews };
}

type Reviews = Pick<MaintenanceList, 'toReview' | 'nextWindowEnd'>;

/** Returns the number of windows to review, and the time at which it grows by itself. @param now milliseconds */
export async function reviewsOf(store: DocumentStore, orgId: string, now: number): Promise<Reviews> {
  const where = { orgId, awaitsReview: true };
  const [toReview, [next]] = await Promise.all([
    store.count(VIEWS.maintenance, { ...where, overAt: { lte: now } }),
    store.find(VIEWS.maintenance, {
      where: { ...where, overAt: { gt: now } },
      sort: { field: 'overAt', direction: 'asc' },
      limit: 1,
    }),
  ]);
  return { toReview, ...(next !== undefined && { nextWindowEnd: iso(next.overAt) }) };
}

/** @throws ApiError NOT_FOUND */
export async function readWindow(
  { store, clock }: Reading,
  orgId: string,
  id: string,
): Promise<Tagged<Maintenance>> {
  const view = await store.get(VIEWS.maintenance, id);
  if (view?.orgId !== orgId) throw new ApiError('NOT_FOUND');
  return { body: shown(view, clock.now()), tag: versionTag(view.rev) };
}

function shown(view: MaintenanceView, now: number): Maintenance {
  const { id, reason, start, end, weekly, createdBy, endedAt, review } = view;
  const revisions = view.revisions.length;
  return {
    id,
    reason,
    scope: shownScope(view.revisions.at(-1)!.scope),
    start: iso(start),
    end: iso(end),
    weekly: weekly === null ? null : { ...weekly, days: [...weekly.days] },
    state: maintenanceState(view, now),
    intervals: spansOf(view.revisions).map(({ from, to }) => ({ from: iso(from), to: iso(to) })),
    creationDate: iso(view.creationDate),
    createdBy,
    changes: revisions - 1 - (endedAt === null ? 0 : 1),
    ended: isoOrNull(endedAt),
    review: review === null ? null : { ...omit(review, 'at'), at: iso(review.at) },
  };
}

/** Returns the scope in the form of a request. */
export function shownScope({
  everything,
  deviceIds,
  files,
  labels,
}: MaintenanceView['revisions'][number]['scope']): Scope {
  return {
    ...(everything && { everything }),
    ...(deviceIds.length > 0 && { deviceIds: [...deviceIds] }),
    ...(files.length > 0 && { fileIds: files.map(({ id }) => id) }),
    ...(labels.length > 0 && { labels: [...labels] }),
  };
}
