/** Style of a file's charts, equal to the dashboard's. */
import { timeLabel, timeTicks } from '../../file-pictures.ts';
import { shownDateTime } from '../../format.ts';
import { zoneName } from '../../time-zone.ts';

const tick = { fill: 'var(--text-2)', fontSize: 11 };
export const tooltip = {
  background: 'var(--surface)',
  color: 'var(--text)',
  border: '1px solid var(--line)',
  borderRadius: 8,
  boxShadow: 'var(--shadow-2)',
  fontSize: 12,
};
export const MARGIN = { top: 8, right: 20, bottom: 0, left: 0 };
export const START_SIZE = { width: 560, height: 180 };
/** Number of labels of a time axis, few enough for a phone. */
const TIME_TICKS = 4;
/** Returns the width for an axis's texts, in pixels. */
export const axisWidth = (texts: string[]): number =>
  12 + 6.5 * Math.max(...texts.map(({ length }) => length));

/** Axis with labels only, without lines. */
export const plainAxis = { tick, tickLine: false, axisLine: false };

/** Returns the time axis from `from` to `to`, in ms. */
export const timeAxis = (from: number, to: number) => ({
  ...plainAxis,
  dataKey: 'time',
  type: 'number' as const,
  domain: [from, to],
  ticks: timeTicks(from, to, TIME_TICKS),
  tickFormatter: timeLabel(to - from, zoneName()),
  interval: 'preserveStartEnd' as const,
  height: 22,
});

/** Returns the label of a point's time. */
export const shownTime = (time: unknown): string => shownDateTime(new Date(Number(time)).toISOString());
