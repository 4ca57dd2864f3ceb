/** Finds the lists of expected changes that have the paths and contents of alerts. */
import { LIMITS } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { entryKey, type AlertMoment, type ListEntries } from '../registry/set-aside.ts';
import { type ExpectedView, VIEWS } from '../views/index.ts';

/** Keys in one query. Even if every valid list has all these keys, the result stays below the limit of one find. */
const STEP_KEYS = 50;

/** Returns the lists that have the path and content of one of the alerts, with the matching keys. */
export async function entriesOf(
  store: DocumentStore,
  orgId: string,
  lists: readonly ExpectedView[],
  alerts: readonly AlertMoment[],
): Promise<ListEntries> {
  const found = new Map<string, Set<string>>();
  if (lists.length === 0) return found;
  const keys = new Set(
    alerts.flatMap(({ path, contentHash }) =>
      path === null || contentHash === null ? [] : [entryKey(orgId, path, contentHash)],
    ),
  );
  const all = [...keys];
  const listIds = lists.map(({ id }) => id);
  for (let at = 0; at < all.length; at += STEP_KEYS) {
    const entries = await store.find(VIEWS.expectedEntries, {
      where: { key: { in: all.slice(at, at + STEP_KEYS) }, listId: { in: listIds } },
      limit: LIMITS.findDocuments,
    });
    for (const { listId, key } of entries) found.set(listId, (found.get(listId) ?? new Set()).add(key));
  }
  return found;
}
