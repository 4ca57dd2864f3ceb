import { LIMITS, type Expected, type ExpectedList, type ExpectedLists } from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { expectedState } from '../registry/expected.ts';
import { type ExpectedView, iso, isoOrNull, VIEWS } from '../views/index.ts';
import { newestAndInForce } from '../lists/newest.ts';
import { shownScope } from './read-maintenance.ts';

type Reading = Pick<QueryContext, 'store' | 'clock'>;

/** Returns the newest 500 lists and all valid ones, newest first, without their contents. */
export async function readExpectedLists({ store, clock }: Reading, orgId: string): Promise<ExpectedLists> {
  const now = clock.now();
  const found = await newestAndInForce<ExpectedView>(store, VIEWS.expected, orgId, { endsAt: 'overAt', now });
  return { lists: found.map((view) => shown(view, now)) };
}

/** @throws ApiError NOT_FOUND */
export async function readExpected({ store, clock }: Reading, orgId: string, id: string): Promise<Expected> {
  const view = await store.get(VIEWS.expected, id);
  if (view?.orgId !== orgId) throw new ApiError('NOT_FOUND');
  const entries = await store.find(VIEWS.expectedEntries, {
    where: { listId: id },
    limit: LIMITS.expectedEntries,
  });
  const contents = entries.map(({ path, sha256 }) => ({ path, sha256 }));
  return { ...shown(view, clock.now()), contents };
}

function shown(view: ExpectedView, now: number): ExpectedList {
  const { id, reason, scope, entries, creationDate, createdBy, end, endedAt } = view;
  return {
    id,
    reason,
    scope: shownScope(scope),
    state: expectedState(view, now),
    entries,
    creationDate: iso(creationDate),
    createdBy,
    end: iso(end),
    ended: isoOrNull(endedAt),
  };
}
