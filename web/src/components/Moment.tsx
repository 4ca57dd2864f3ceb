import { useAtomValue } from 'jotai';
import { ago, shownDate, shownDateTime } from '../format.ts';
import { zoneAtom } from '../state/zone.ts';
import { useNow } from '../state/use-now.ts';
import { zoneAt } from '../time-zone.ts';

/** How a time reads, in the zone that the person chose; the component is drawn again when the zone or the minute is another. */
export function useMoment(at: string) {
  useAtomValue(zoneAtom);
  const relative = ago(at, useNow());
  const zone = zoneAt(at);
  const full = shownDateTime(at);
  // From a week on the relative time is a date, which says nothing more.
  const apart = relative === shownDate(at) ? null : relative;
  return { full, zone, apart, title: [`${full} ${zone}`, ...(apart === null ? [] : [apart])].join(', ') };
}

/** A time with its zone and how long ago: `Nov 21, 2026, 1:05:09 PM UTC (5 minutes ago)`. */
export function Moment({ at }: { at: string }) {
  const { full, zone, apart } = useMoment(at);
  return (
    <time dateTime={at}>
      {full} <span className="muted">{apart === null ? zone : `${zone} (${apart})`}</span>
    </time>
  );
}

/** A time where there is little room: the zone, and how long ago, in the title. */
export function Stamp({ at }: { at: string }) {
  const { full, title } = useMoment(at);
  return (
    <time dateTime={at} title={title}>
      {full}
    </time>
  );
}
