import type { ActivityHour } from '@sentinel-node/contracts';
import { lazy, Suspense } from 'react';
import { plural } from '../format.ts';
import { useNow } from '../state/use-now.ts';
import { Card } from '../ui/Card.tsx';
import { HOURS, hoursUntil, type Hour } from './activity.ts';

// The chart library is as large as the rest of the console: it comes after everything else.
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

interface ActivityCardProps {
  /** Undefined: not known. */
  activity: readonly ActivityHour[] | undefined;
  failed: boolean;
}

/** Events of the last day by hour, as the server counts them: a chart, and the same in words. */
export function ActivityCard({ activity, failed }: ActivityCardProps) {
  const hours = hoursUntil(useNow(), activity ?? []);
  const counted = `${plural(sum(hours, 'events'), 'event')}, ${plural(sum(hours, 'alerts'), 'alert')}`;
  // No count is not a count of none.
  const text = activity !== undefined ? counted : failed ? 'cannot be shown' : 'loading';
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
        {activity !== undefined && (
          <Suspense fallback={null}>
            <ActivityChart hours={hours} />
          </Suspense>
        )}
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
