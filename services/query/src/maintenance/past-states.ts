/** Finds the state of a device or a file at an earlier time. */
import type { DocumentStore } from '@sentinel-node/platform';
import { type DeviceView, type FileView, type PastStateView, VIEWS } from '../views/index.ts';

export type DescribedState = Pick<PastStateView, 'path'> & { readonly labels?: readonly string[] };

/** Returns the state at a time; reads the store only when the state changed since then. @param at milliseconds */
export async function stateOf(
  store: DocumentStore,
  view: DeviceView | FileView | undefined,
  at: number,
): Promise<DescribedState | undefined> {
  if (view === undefined || (view.describedAt ?? 0) <= at) return view;
  const [past] = await store.find(VIEWS.pastStates, {
    where: { subjectId: view.id, until: { gt: at } },
    sort: { field: 'until', direction: 'asc' },
    limit: 1,
  });
  return past ?? view;
}
