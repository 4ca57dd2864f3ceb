import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Hour } from './activity.ts';

const tick = { fill: 'var(--text-3)', fontSize: 11 };
const tooltip = {
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 8,
  boxShadow: 'var(--shadow-2)',
  fontSize: 12,
};

export function ActivityChart({ hours }: { hours: Hour[] }) {
  return (
    <div aria-hidden="true" className="activity-chart">
      <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 800, height: 120 }}>
        <BarChart data={hours} margin={{ top: 6, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            height={22}
            dataKey="label"
            tick={tick}
            tickLine={false}
            axisLine={false}
            interval="preserveStartEnd"
            minTickGap={36}
          />
          <YAxis
            width={26}
            allowDecimals={false}
            tick={tick}
            tickLine={false}
            axisLine={false}
            tickCount={3}
          />
          <Tooltip contentStyle={tooltip} cursor={{ fill: 'var(--surface-3)' }} isAnimationActive={false} />
          <Bar
            dataKey="events"
            name="Events"
            stackId="all"
            fill="var(--accent)"
            maxBarSize={22}
            isAnimationActive={false}
          />
          <Bar
            dataKey="alerts"
            name="Alerts"
            stackId="all"
            fill="var(--danger)"
            maxBarSize={22}
            isAnimationActive={false}
          />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
