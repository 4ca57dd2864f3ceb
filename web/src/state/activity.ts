import { EventSchema, type Activity, type ActivityPeriod } from '@sentinel-node/contracts';
import { withEventOfDays } from '../activity.ts';
import { zoneName } from '../time-zone.ts';
import { api } from './api.ts';
import { countedOf, isCounted, withCounted, type CountedEvents } from './counted-events.ts';
import type { LiveItem } from './live.ts';
import { liveObject } from './live-object.ts';
import { useReadAgain } from './use-read-again.ts';
import { RELOAD, useResource } from './use-resource.ts';

/** Events read beside the counts, to tell which of them the counts have. */
const NEWEST_EVENTS = 20;
/** Most reads of the counts for one answer: in a busy organisation events come all the time. */
const TRIES_MAX = 3;

interface Known {
  activity: Activity;
  counted: CountedEvents;
}

function follow(known: Known, item: LiveItem): Known | typeof RELOAD {
  if (item.kind !== 'event') return known;
  const event = liveObject(EventSchema, item);
  if (event === null || isCounted(known.counted, event.id)) return known;
  const activity = withEventOfDays(known.activity, event);
  return activity === null ? RELOAD : { activity, counted: withCounted(known.counted, event.id) };
}

/**
 * Reads the counts, and the newest events before and after them: the counts themselves do not say up to where they go. An
 * event that came between may be in them or not, so they are read again; the last try takes it as counted.
 */
async function readKnown(
  orgId: string,
  wish: { period: ActivityPeriod; timeZone: string },
  signal: AbortSignal,
): Promise<Known> {
  const readNewest = async () =>
    countedOf((await api().getEvents(orgId, { limit: NEWEST_EVENTS }, signal)).events, NEWEST_EVENTS);
  let before = await readNewest();
  for (let tries = 1; ; tries += 1) {
    const activity = await api().getActivity({ orgId, ...wish }, signal);
    const counted = await readNewest();
    const isSame = counted.ids.every((id) => isCounted(before, id));
    if (isSame || tries === TRIES_MAX) return { activity, counted };
    before = counted;
  }
}

/** Reads the activity of the last days in the shown zone. @param period null reads nothing */
export function useActivity(
  orgId: string,
  period: ActivityPeriod | null,
): { activity: Activity | undefined; isLost: boolean } {
  const timeZone = zoneName();
  const { data, error, readAgain } = useResource<Known>({
    key: period === null ? null : `activity ${orgId} ${period} ${timeZone}`,
    load: (signal) => readKnown(orgId, { period: period ?? '7d', timeZone }, signal),
    apply: follow,
  });
  useReadAgain(readAgain);
  return { activity: data?.activity, isLost: data === undefined && error !== null };
}
