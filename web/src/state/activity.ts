import { EventSchema, type Activity, type ActivityPeriod } from '@sentinel-node/contracts';
import { withEventOfDays } from '../activity.ts';
import { zoneName } from '../time-zone.ts';
import { api } from './api.ts';
import type { LiveItem } from './live.ts';
import { liveObject } from './live-object.ts';
import { useReadAgain } from './use-read-again.ts';
import { RELOAD, useResource } from './use-resource.ts';

/** Most remembered events, which prevent counting an event twice. */
const KEPT_EVENTS = 200;

interface Known {
  activity: Activity;
  /** Ids of the newest events counted from the stream. */
  counted: readonly string[];
}

function follow(known: Known, item: LiveItem): Known | typeof RELOAD {
  if (item.kind !== 'event') return known;
  const event = liveObject(EventSchema, item);
  if (event === null || known.counted.includes(event.id)) return known;
  const activity = withEventOfDays(known.activity, event);
  return activity === null
    ? RELOAD
    : { activity, counted: [event.id, ...known.counted].slice(0, KEPT_EVENTS) };
}

/** Reads the activity of the last days in the shown zone. @param period null reads nothing */
export function useActivity(
  orgId: string,
  period: ActivityPeriod | null,
): { activity: Activity | undefined; isLost: boolean } {
  const timeZone = zoneName();
  const { data, error, reload } = useResource<Known>({
    key: period === null ? null : `activity ${orgId} ${period} ${timeZone}`,
    load: async (signal) => ({
      activity: await api().getActivity({ orgId, period: period ?? '7d', timeZone }, signal),
      counted: [],
    }),
    apply: follow,
  });
  useReadAgain(reload);
  return { activity: data?.activity, isLost: data === undefined && error !== null };
}
