import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { axisEnd, type Part } from './activity.ts';
import { AXIS_PADDING_PX, DIGIT_PX, tick, tooltip } from './chart-style.ts';

/** Draws a bar per period: events, and among them alerts. The table beside the chart has the same numbers. */
export function ActivityChart({ parts }: { parts: Part[] }) {
  const end = axisEnd(Math.max(1, ...parts.map(({ events, alerts }) => Math.max(events, alerts))));
  const endText = end.toLocaleString('en-US');
  const bars = parts.map((part) => ({ ...part, others: Math.max(0, part.events - part.alerts) }));
  const byStart = new Map(parts.map((part) => [part.start, part]));
  const ticks = parts.flatMap(({ start, tick: text }) => (text === null ? [] : start));
  const bar = { stackId: 'all', maxBarSize: 22, isAnimationActive: false };
  return (
    <div aria-hidden="true" className="activity-chart">
      <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 800, height: 120 }}>
        <BarChart data={bars} margin={{ top: 6, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            height={22}
            dataKey="start"
            ticks={ticks}
            tickFormatter={(start: number) => byStart.get(start)?.tick ?? ''}
            interval={0}
            tick={tick}
            tickLine={false}
            axisLine={false}
          />
          <YAxis
            width={endText.length * DIGIT_PX + AXIS_PADDING_PX}
            domain={[0, end]}
            ticks={[0, end]}
            tickFormatter={(value: number) => value.toLocaleString('en-US')}
            tick={tick}
            tickLine={false}
            axisLine={false}
          />
          <Tooltip
            contentStyle={tooltip}
            cursor={{ fill: 'var(--surface-3)' }}
            isAnimationActive={false}
            labelFormatter={(start) => byStart.get(Number(start))?.label ?? ''}
          />
          <Bar dataKey="alerts" name="Alerts" fill="var(--danger)" {...bar} />
          <Bar dataKey="others" name="Other events" fill="var(--accent)" {...bar} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
