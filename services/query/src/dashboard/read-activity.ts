/** Reads the activity and contact of the last days, and how long alerts waited for a person. */
import { LIMITS, type Activity, type ActivityPeriod } from '@sentinel-node/contracts';
import type { QueryContext } from '../context.ts';
import { idPrefixOf } from '../lists/page.ts';
import { checkTimeZone } from '../lists/search.ts';
import { dayParts } from '../registry/zoned-time.ts';
import { VIEWS, type AlertView } from '../views/index.ts';
import { iso } from '../views/read.ts';
import type { ActivityCounts } from './activity.ts';
import { readContact } from './contact-hours.ts';

const PERIODS: Readonly<Record<ActivityPeriod, { readonly days: number; readonly partsOfDay: number }>> = {
  '7d': { days: 7, partsOfDay: 4 },
  '30d': { days: 30, partsOfDay: 1 },
};
const MS_PER_SECOND = 1_000;

export interface ActivityWish {
  readonly orgId: string;
  readonly period: ActivityPeriod;
  /** Default: UTC. */
  readonly timeZone?: string;
}

/** @throws ApiError VALIDATION_FAILED for an unknown time zone */
export async function readActivity(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  counts: ActivityCounts,
  { orgId, period, timeZone = 'UTC' }: ActivityWish,
): Promise<Activity> {
  checkTimeZone(timeZone);
  const { days, partsOfDay } = PERIODS[period];
  const now = clock.now();
  const bounds = dayParts(now, days, partsOfDay, timeZone);
  const [parts, contact, alerts] = await Promise.all([
    counts.counts(orgId, bounds, now),
    readContact(store, orgId, bounds),
    store.find(VIEWS.alerts, {
      where: { orgId, id: { gte: idPrefixOf(bounds[0]!) } },
      sort: { field: 'id', direction: 'desc' },
      limit: LIMITS.handlingAlerts,
    }),
  ]);
  return { parts, until: iso(bounds.at(-1)!), contact, handling: handlingOf(alerts) };
}

type Handled = Pick<AlertView, 'timestamp' | 'handledAt'>;

export function handlingOf(alerts: readonly Handled[]): Activity['handling'] {
  const waits = alerts
    .flatMap(({ timestamp, handledAt }) => (handledAt === null ? [] : Math.max(0, handledAt - timestamp)))
    .sort((a, b) => a - b);
  return { alerts: alerts.length, handled: waits.length, medianSeconds: medianSeconds(waits) };
}

/** @param waits milliseconds, in ascending order */
function medianSeconds(waits: readonly number[]): number | null {
  const [low, high] = [waits[Math.ceil(waits.length / 2) - 1], waits[Math.floor(waits.length / 2)]];
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2 / MS_PER_SECOND);
}
