/** How the pictures of a file look: as those of the dashboard. */
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
/** Labels of an axis of time; on a phone they still stand apart. */
const TIME_TICKS = 4;
/** Room for the text of an axis, pixels. */
export const axisWidth = (texts: string[]): number =>
  12 + 6.5 * Math.max(...texts.map(({ length }) => length));

/** An axis of labels alone, without lines. */
export const plainAxis = { tick, tickLine: false, axisLine: false };

/** The axis of time, from `from` to `to` (ms). */
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

/** The time of a point as its label has it. */
export const shownTime = (time: unknown): string => shownDateTime(new Date(Number(time)).toISOString());
