/** Time axis and sizes of a file's charts. */
import { timeLabel, timeTicks } from './file-pictures.ts';
import { shownDateTime } from '../format.ts';
import { zoneName } from '../time-zone.ts';
import { plainAxis, TIME_AXIS_PX } from './chart-look.ts';

export const MARGIN = { top: 8, right: 20, bottom: 0, left: 0 };
export const START_SIZE = { width: 560, height: 180 };
/** Number of labels of a time axis, few enough for a phone. */
const TIME_TICKS = 4;
/** Returns the time axis from `from` to `to`, in ms. */
export const timeAxis = (from: number, to: number) => ({
  ...plainAxis,
  dataKey: 'time',
  type: 'number' as const,
  domain: [from, to],
  ticks: timeTicks(from, to, TIME_TICKS),
  tickFormatter: timeLabel(to - from, zoneName()),
  interval: 'preserveStartEnd' as const,
  height: TIME_AXIS_PX,
});

/** Returns the label of a point's time. */
export const shownTime = (time: unknown): string => shownDateTime(new Date(Number(time)).toISOString());
