import {
  Area,
  AreaChart,
  CartesianGrid,
  ReferenceDot,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { shortSize, type SizePoint } from './file-pictures.ts';
import { bytes } from '../format.ts';
import { axisWidth, plainAxis, tooltip } from './chart-look.ts';
import { MARGIN, shownTime, START_SIZE, timeAxis } from './picture-look.ts';

/** Factor from the largest size to the end of the axis. */
const HEADROOM = 1.08;

/** Draws the size as a step line, with a mark at each break. The table below has the same data. */
export function SizePicture({ points }: { points: SizePoint[] }) {
  const end = Math.max(1, Math.ceil(HEADROOM * Math.max(...points.map(({ size }) => size))));
  const [from, to] = [points[0]?.time ?? 0, points.at(-1)?.time ?? 0];
  return (
    <div aria-hidden="true" className="file-chart">
      <ResponsiveContainer width="100%" height="100%" initialDimension={START_SIZE}>
        <AreaChart data={points} margin={MARGIN} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis {...timeAxis(from, to)} />
          <YAxis
            width={axisWidth([shortSize(end), shortSize(end / 2)])}
            domain={[0, end]}
            ticks={[0, end / 2, end]}
            tickFormatter={shortSize}
            {...plainAxis}
          />
          <Tooltip
            contentStyle={tooltip}
            cursor={{ stroke: 'var(--line-strong)' }}
            labelFormatter={shownTime}
            formatter={(size) => [bytes(Number(size)), 'Size']}
            isAnimationActive={false}
          />
          <Area
            type="stepAfter"
            dataKey="size"
            stroke="var(--accent)"
            strokeWidth={2}
            fill="var(--accent-soft)"
            isAnimationActive={false}
          />
          {points
            .filter(({ isBreak }) => isBreak)
            .map(({ number, time, size }) => (
              <ReferenceDot
                key={number}
                x={time}
                y={size}
                r={4}
                fill="var(--danger)"
                stroke="var(--surface)"
                strokeWidth={1.5}
              />
            ))}
        </AreaChart>
      </ResponsiveContainer>
    </div>
  );
}
