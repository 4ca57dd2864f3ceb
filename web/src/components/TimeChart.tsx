import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { barTooltip, countAxis, plainAxis, stackedBar, TIME_AXIS_PX } from './chart-look.ts';
import type { ChartColour, TimeChartProps } from './time-chart.ts';

const fills: Record<ChartColour, string> = {
  danger: 'var(--danger)',
  accent: 'var(--accent)',
  warning: 'var(--warning)',
  waiting: 'var(--text-3)',
  success: 'var(--success)',
  unknown: 'url(#not-known)',
};

/** Draws a bar for each time. The table beside the chart has the same numbers. */
export function TimeChart({ columns, series, end }: TimeChartProps) {
  const bars = columns.map(({ start }, at) => ({ start, values: series.map(({ values }) => values[at]) }));
  const byStart = new Map(columns.map((column) => [column.start, column]));
  const texts = new Map(series.map(({ name, text }) => [name, text]));
  return (
    <div aria-hidden="true" className="activity-chart">
      <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 800, height: 120 }}>
        <BarChart data={bars} margin={{ top: 6, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
          {series.some(({ colour }) => colour === 'unknown') && <Hatching />}
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            height={TIME_AXIS_PX}
            dataKey="start"
            ticks={columns.flatMap(({ start, tick }) => (tick === null ? [] : start))}
            tickFormatter={(start: number) => byStart.get(start)?.tick ?? ''}
            interval={0}
            {...plainAxis}
          />
          <YAxis {...countAxis(end)} />
          <Tooltip
            {...barTooltip}
            labelFormatter={(start) => byStart.get(Number(start))?.label ?? ''}
            formatter={(value, name) => [texts.get(String(name)) ?? value, name]}
          />
          {series.map(({ name, colour }, at) => (
            <Bar key={name} dataKey={`values[${at}]`} name={name} fill={fills[colour]} {...stackedBar} />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}

function Hatching() {
  return (
    <defs>
      <pattern
        id="not-known"
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="1.5" height="6" fill="var(--text-2)" opacity="0.45" />
      </pattern>
    </defs>
  );
}
