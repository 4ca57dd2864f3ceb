import { EventSchema, LIMITS, type Events } from '@sentinel-node/contracts';
import { lazy, Suspense } from 'react';
import { plural } from '../format.ts';
import { api } from '../state/api.ts';
import { liveObject, upsert } from '../state/live-object.ts';
import { useNow } from '../state/use-now.ts';
import { useResource } from '../state/use-resource.ts';
import { Card } from '../ui/Card.tsx';
import { byHour, HOURS, type Hour } from './activity.ts';

// The chart library is larger than the rest of the console: it comes after everything else.
// It may not: the server is away, or has another version than the page that is open.
const ActivityChart = lazy(() =>
  import('./ActivityChart.tsx').then(
    (module) => ({ default: module.ActivityChart }),
    () => ({ default: NoChart }),
  ),
);

function NoChart() {
  return (
    <p className="muted" role="status">
      The chart could not be loaded. Reload the page to try again.
    </p>
  );
}

const sum = (hours: Hour[], of: 'events' | 'alerts'): number =>
  hours.reduce((total, hour) => total + hour[of], 0);

/** Events of the last day by hour: a chart, and the same in words. */
export function ActivityCard({ orgId }: { orgId: string }) {
  const now = useNow();
  const { data, error } = useResource<Events>({
    key: `activity ${orgId}`,
    load: (signal) => {
      const timestampFrom = new Date(Date.now() - HOURS * 3_600_000).toISOString();
      return api().getEvents(orgId, { timestampFrom, limit: LIMITS.pageItems }, signal);
    },
    apply: (events, item) => {
      const event = item.kind === 'event' ? liveObject(EventSchema, item) : null;
      return event === null ? events : { ...events, events: upsert(events.events, event) };
    },
  });
  const hours = byHour(data?.events ?? [], now);
  const more = data !== undefined && data.lastId !== null;
  const counted = `${more ? 'more than ' : ''}${plural(sum(hours, 'events'), 'event')} and ${plural(sum(hours, 'alerts'), 'alert')}`;
  // No count is not a count of none.
  const text = data !== undefined ? counted : error !== null ? 'cannot be shown' : 'loading';
  return (
    <Card
      title="Activity"
      aside={
        <span className="muted num">
          Last {HOURS} hours: {text}
        </span>
      }
    >
      <figure className="activity">
        <Suspense fallback={null}>
          <ActivityChart hours={hours} />
        </Suspense>
        <figcaption className="visually-hidden">
          <HourTable hours={hours} />
        </figcaption>
      </figure>
    </Card>
  );
}

function HourTable({ hours }: { hours: Hour[] }) {
  const busy = hours.filter((hour) => hour.events + hour.alerts > 0);
  return (
    <table>
      <caption>Events by hour</caption>
      <tbody>
        {busy.map((hour) => (
          <tr key={hour.start}>
            <th scope="row">{hour.label}</th>
            <td>{plural(hour.events, 'event')}</td>
            <td>{plural(hour.alerts, 'alert')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
