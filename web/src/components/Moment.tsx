import { useAtomValue } from 'jotai';
import { ago, shownDate, shownDateTime } from '../format.ts';
import { zoneAtom } from '../state/zone.ts';
import { useNow } from '../state/use-now.ts';
import { zoneAt } from '../time-zone.ts';

/** Formats a time in the chosen zone; renders the component again when the zone or the relative time changes. */
export function useMoment(at: string) {
  useAtomValue(zoneAtom);
  const relative = ago(at, useNow());
  const zone = zoneAt(at);
  const full = shownDateTime(at);
  // From a week on the relative time is only the date again.
  const apart = relative === shownDate(at) ? null : relative;
  return { full, zone, apart, title: [`${full} ${zone}`, ...(apart === null ? [] : [apart])].join(', ') };
}

/** Shows a time with zone and, on a screen, age: `Nov 21, 2026, 1:05:09 PM UTC (5 minutes ago)`. */
export function Moment({ at }: { at: string }) {
  const { full, zone, apart } = useMoment(at);
  return (
    <time dateTime={at}>
      {full}{' '}
      <span className="muted">
        {zone}
        {apart !== null && <span className="screen-only"> ({apart})</span>}
      </span>
    </time>
  );
}

/** Shows `5 minutes ago`, with the time in the title; on paper, where an age is soon wrong, the time with zone. */
export function Age({ at, className }: { at: string; className?: string }) {
  const { full, zone, apart, title } = useMoment(at);
  return (
    <time dateTime={at} title={title} className={className} data-print={`${full} ${zone}`}>
      <span>{apart ?? shownDate(at)}</span>
    </time>
  );
}

/** Shows a time with zone and without age, such as one to come. */
export function Deadline({ at }: { at: string }) {
  const { full, zone } = useMoment(at);
  return (
    <time dateTime={at}>
      {full} <span className="muted">{zone}</span>
    </time>
  );
}

/** Shows a time where space is short, with zone and age in the title. */
export function Stamp({ at }: { at: string }) {
  const { full, zone, title } = useMoment(at);
  return (
    <time dateTime={at} title={title}>
      {full}
      <PhoneZone zone={zone} />
    </time>
  );
}

/**
 * Shows the zone of a time on phones, whose header has no room to name the zone of all times. The style sheet writes it: in
 * wider windows it is no text of the page.
 */
export function PhoneZone({ zone }: { zone: string }) {
  return <span className="phone-zone muted" data-zone={zone} />;
}
