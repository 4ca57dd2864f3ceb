import { OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import { leftovers, newestOf, type DocumentStore } from '@sentinel-node/platform';
import { waitUntil, type Patience } from './wait-past.ts';

const { cuts, transactions } = OWN_COLLECTIONS;

/**
 * Waits until every cut and transaction decided before this call is on the log. Entries without a cut are due within
 * the interval of their category and are not waited for. @throws LiveBehindError
 */
export async function waitForAnchoring(store: DocumentStore, patience: Patience): Promise<void> {
  await store.ensure([cuts, transactions]);
  // The next cut is made only after the consequences of the last cut are published.
  const newest = await newestOf(store, cuts.name);
  const open = await store.find(transactions.name, leftovers(Number.MAX_SAFE_INTEGER));
  const awaited = [
    ...(newest?.unpublished === undefined
      ? []
      : [{ ...newest, look: () => store.get(cuts.name, newest.id) }]),
    ...open.map((document) => ({ ...document, look: () => store.get(transactions.name, document.id) })),
  ];
  for (const { id, rev, look } of awaited)
    await waitUntil(patience, async () => {
      const now = await look();
      const isStill = now?.unpublished !== undefined && now.rev === rev;
      return isStill ? `anchoring: batch ${id} to be published` : undefined;
    });
}
