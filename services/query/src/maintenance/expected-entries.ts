/** Finds the lists of expected changes that have the paths and contents of alerts. */
import type { DocumentStore } from '@sentinel-node/platform';
import { entryKey, type AlertMoment, type ListEntries } from '../registry/set-aside.ts';
import { pagesById } from '../storage/pages-by-id.ts';
import { type ExpectedEntryView, type ExpectedView, VIEWS } from '../views/index.ts';

/** Keys in one query. */
const STEP_KEYS = 50;
/** Entries of one read, small because paths can be long. */
const PAGE_ENTRIES = 2_000;

/**
 * Returns the lists that have the path and content of one of the alerts, with the matching keys.
 * @param lists ordered by id
 */
export async function entriesOf(
  store: DocumentStore,
  orgId: string,
  lists: readonly ExpectedView[],
  alerts: readonly AlertMoment[],
): Promise<ListEntries> {
  const found = new Map<string, Set<string>>(lists.map(({ id }) => [id, new Set()]));
  const [first, last] = [lists.at(0), lists.at(-1)];
  if (first === undefined || last === undefined) return found;
  const keys = new Set(
    alerts.flatMap(({ path, contentHash }) =>
      path === null || contentHash === null ? [] : [entryKey(orgId, path, contentHash)],
    ),
  );
  const all = [...keys];
  for (let at = 0; at < all.length; at += STEP_KEYS) {
    const some = all.slice(at, at + STEP_KEYS);
    for await (const { listId, key } of entriesWith(store, some, first.id, last.id))
      found.get(listId)?.add(key);
  }
  return found;
}

/**
 * Yields the entries of the lists from `first` to `last` that have one of the keys. The query names no list: an organisation
 * can have more lists than values fit into a query.
 */
async function* entriesWith(
  store: DocumentStore,
  keys: readonly string[],
  first: string,
  last: string,
): AsyncGenerator<ExpectedEntryView> {
  // The id of an entry begins with the id of its list.
  const where = { key: { in: keys } };
  for await (const page of pagesById(store, VIEWS.expectedEntries, where, PAGE_ENTRIES, first)) {
    yield* page;
    if (page.at(-1)!.listId > last) return;
  }
}
