import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { axisEnd } from '../activity.ts';
import type { VersionsBar } from './file-pictures.ts';
import { barTooltip, countAxis, stackedBar } from './chart-look.ts';
import { MARGIN, shownTime, START_SIZE, timeAxis } from './picture-look.ts';

/** Draws bars of versions, and among them breaks. The table below has the same data. */
export function VersionsPicture({ bars }: { bars: VersionsBar[] }) {
  const end = axisEnd(Math.max(1, ...bars.map(({ versions }) => versions)));
  const middles = bars.map((bar) => ({
    time: (bar.from + bar.to) / 2,
    breaks: bar.breaks,
    others: Math.max(0, bar.versions - bar.breaks),
  }));
  const [from, to] = [bars[0]?.from ?? 0, bars.at(-1)?.to ?? 0];
  return (
    <div aria-hidden="true" className="file-chart">
      <ResponsiveContainer width="100%" height="100%" initialDimension={START_SIZE}>
        <BarChart data={middles} margin={MARGIN} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis {...timeAxis(from, to)} />
          <YAxis {...countAxis(end)} />
          <Tooltip {...barTooltip} labelFormatter={shownTime} />
          <Bar dataKey="breaks" name="Breaks" fill="var(--danger)" {...stackedBar} />
          <Bar dataKey="others" name="Other versions" fill="var(--accent)" {...stackedBar} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
