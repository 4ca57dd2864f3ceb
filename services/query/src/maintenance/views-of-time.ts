/** Reads the windows and lists that could cover alerts. */
import { LIMITS } from '@sentinel-node/contracts';
import type { CollectionName, DocumentStore } from '@sentinel-node/platform';
import type { AlertView, ExpectedView, MaintenanceView } from '../views/index.ts';

/** Documents of one read. */
const STEP_DOCUMENTS = 1_000;

/**
 * The longest time (ms) from the start of a window, which stays once the window has begun, or the creation of a list to the
 * end. A window or list that ends later begins after the alerts.
 */
const LONGEST_MS = Math.max(LIMITS.windowDaysMax, LIMITS.expectedDaysMax) * 24 * 3_600_000;

/** Time range of alerts of one organisation, in milliseconds. */
export interface TimeOfAlerts {
  readonly orgId: string;
  readonly earliest: number;
  readonly latest: number;
}

/** Returns undefined without alerts. */
export function timeOf(alerts: readonly Pick<AlertView, 'orgId' | 'timestamp'>[]): TimeOfAlerts | undefined {
  const [first] = alerts;
  if (first === undefined) return undefined;
  const { orgId } = first;
  return alerts.reduce(
    ({ earliest, latest }, { timestamp }) => ({
      orgId,
      earliest: Math.min(earliest, timestamp),
      latest: Math.max(latest, timestamp),
    }),
    { orgId, earliest: Infinity, latest: 0 },
  );
}

/** Returns the windows or lists that could cover an alert of the time range, ordered by id. */
export async function viewsOfTime<T extends MaintenanceView | ExpectedView>(
  store: DocumentStore,
  name: CollectionName<T>,
  { orgId, earliest, latest }: TimeOfAlerts,
): Promise<T[]> {
  const found = new Map<string, T>();
  for (let from: { readonly gt: number } | { readonly gte: number } = { gt: earliest }; ;) {
    const page: T[] = await store.find(name, {
      where: { orgId, overAt: { ...from, lte: latest + LONGEST_MS } },
      sort: { field: 'overAt', direction: 'asc' },
      limit: STEP_DOCUMENTS,
    });
    for (const view of page) if (view.creationDate <= latest) found.set(view.id, view);
    if (page.length < STEP_DOCUMENTS) break;
    // Continues at the same `overAt`, so some views are read twice. Far fewer than a step end at one moment
    // (`windowsPerOrganization`, `expectedPerOrganization`).
    from = { gte: page.at(-1)!.overAt };
  }
  return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
