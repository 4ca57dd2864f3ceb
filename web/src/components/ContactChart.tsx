import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { axisEnd, type ContactColumn } from './activity.ts';
import { AXIS_PADDING_PX, DIGIT_PX, tick, tooltip } from './chart-style.ts';

const NAMES = {
  lost: 'Without contact',
  waiting: 'Waiting',
  inContact: 'In contact',
  unknown: 'Not known',
} as const;

/** Draws a bar per time: files without contact, waiting and in contact; grey hatching where nothing is known. */
export function ContactChart({ columns }: { columns: ContactColumn[] }) {
  const all = columns.map(({ files }) => (files ? files.inContact + files.waiting + files.lost : 0));
  const end = axisEnd(Math.max(1, ...all));
  const endText = end.toLocaleString('en-US');
  const bars = columns.map(({ start, files }) => ({ ...(files ?? { unknown: end }), start }));
  const byStart = new Map(columns.map((column) => [column.start, column]));
  const ticks = columns.flatMap(({ start, tick: text }) => (text === null ? [] : start));
  const bar = { stackId: 'all', maxBarSize: 22, isAnimationActive: false };
  return (
    <div aria-hidden="true" className="activity-chart">
      <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 800, height: 120 }}>
        <BarChart data={bars} margin={{ top: 6, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
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
            formatter={(value, name) =>
              name === NAMES.unknown ? ['the server did not look', name] : [value, name]
            }
          />
          <Bar dataKey="lost" name={NAMES.lost} fill="var(--warning)" {...bar} />
          <Bar dataKey="waiting" name={NAMES.waiting} fill="var(--text-3)" {...bar} />
          <Bar dataKey="inContact" name={NAMES.inContact} fill="var(--success)" {...bar} />
          <Bar dataKey="unknown" name={NAMES.unknown} fill="url(#not-known)" {...bar} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
