import {
  ACTIVITY_PERIODS,
  type Activity,
  type ActivityHour,
  type ActivityPeriod,
  type ContactPart,
} from '@sentinel-node/contracts';
import { axisEnd, HOURS, hoursUntil, partsOf, type Part } from '../activity.ts';
import { duration, plural } from '../format.ts';
import { useActivity } from '../state/activity.ts';
import { setUrlParams, useUrlParams } from '../state/url.ts';
import { useKnownUntil } from '../state/use-now.ts';
import { Card } from '../ui/Card.tsx';
import { Select } from '../ui/Field.tsx';
import { ContactFigure } from './ContactFigure.tsx';
import { ChartFigure } from './ChartFigure.tsx';
import type { TimeChartProps } from './time-chart.ts';

const DAY = `${HOURS} hours`;
const words: Record<ActivityPeriod, string> = { '7d': '7 days', '30d': '30 days' };
/** The unit of the bars of a period. */
const units: Record<ActivityPeriod, string> = { '7d': 'times', '30d': 'days' };
const options = [
  { value: '', label: DAY },
  ...ACTIVITY_PERIODS.map((period) => ({ value: period, label: words[period] })),
];

const sum = (parts: Part[], of: 'events' | 'alerts'): number =>
  parts.reduce((total, part) => total + part[of], 0);

interface ActivityCardProps {
  orgId: string;
  /** Hours of the last day; undefined while unknown. */
  hours: readonly ActivityHour[] | undefined;
  /** Contact of the last day's hours; undefined while unknown. */
  contact: readonly ContactPart[] | undefined;
  /** Whether reading the hours failed. */
  failed: boolean;
}

/** Shows the server's counts of events, and of files in contact, of the last day or days: as charts and in words. */
export function ActivityCard({ orgId, hours, contact, failed }: ActivityCardProps) {
  const wanted = useUrlParams().get('activity');
  const period = ACTIVITY_PERIODS.find((known) => known === wanted) ?? null;
  const days = useActivity(orgId, period);
  const now = useKnownUntil();
  const parts =
    period !== null ? days.activity && partsOf(days.activity, period) : hours && hoursUntil(now, hours);
  const looked = period !== null ? days.activity?.contact : contact;
  const isLost = period === null ? failed : days.isLost;
  return (
    <Card
      title="Activity"
      aside={
        <>
          <span className="muted num activity-sum">
            Last {period === null ? DAY : words[period]}: {textOf(parts, isLost)}
          </span>
          <Select
            label="Time of the activity"
            hideLabel
            options={options}
            value={period ?? ''}
            onChange={(event) => setUrlParams({ activity: event.target.value })}
          />
        </>
      }
    >
      <ChartFigure name="chart" chart={parts && chartOf(parts)} isLost={isLost} title="Activity as a table">
        {parts && <PartsTable parts={parts} />}
      </ChartFigure>
      {period !== null && days.activity !== undefined && <Handling handling={days.activity.handling} />}
      <ContactFigure
        unit={period === null ? 'hours' : units[period]}
        parts={parts}
        looked={looked}
        isLost={isLost}
      />
    </Card>
  );
}

/** Returns the totals in words; an unknown count is not shown as 0. */
function textOf(parts: Part[] | undefined, isLost: boolean): string {
  if (parts === undefined) return isLost ? 'cannot be shown' : 'loading';
  return `${plural(sum(parts, 'events'), 'event')}, ${plural(sum(parts, 'alerts'), 'alert')}`;
}

/** Shows the median handling time with the number of alerts: a median of two says little. */
function Handling({ handling: { alerts, handled, medianSeconds } }: Pick<Activity, 'handling'>) {
  if (alerts === 0) return null;
  const of = `${handled.toLocaleString('en-US')} of the newest ${plural(alerts, 'alert')} handled`;
  return (
    <p className="muted num activity-handling">
      {medianSeconds === null ? of : `${of}, half of them within ${duration(medianSeconds)}`}
    </p>
  );
}

/** Returns a bar per time: events, and among them alerts. */
function chartOf(parts: readonly Part[]): TimeChartProps {
  const alerts = parts.map((part) => part.alerts);
  const others = parts.map((part) => Math.max(0, part.events - part.alerts));
  return {
    columns: parts,
    series: [
      { colour: 'danger', name: 'Alerts', values: alerts },
      { colour: 'accent', name: 'Other events', values: others },
    ],
    end: axisEnd(Math.max(1, ...parts.map((part) => Math.max(part.events, part.alerts)))),
  };
}

function PartsTable({ parts }: { parts: Part[] }) {
  const busy = parts.filter((part) => part.events + part.alerts > 0);
  return (
    <table className="compact-table">
      <caption className="visually-hidden">Events by time</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Events</th>
          <th scope="col">Of them alerts</th>
        </tr>
      </thead>
      <tbody>
        {busy.map((part) => (
          <tr key={part.start}>
            <th scope="row">{part.label}</th>
            <td className="num">{part.events.toLocaleString('en-US')}</td>
            <td className="num">{part.alerts.toLocaleString('en-US')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
