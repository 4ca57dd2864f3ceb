/** Look that charts share. */

/** Width of a character of an axis's text, in pixels; digits are the widest. */
const CHARACTER_PX = 7;
const AXIS_PADDING_PX = 12;

export const tooltip = {
  background: 'var(--surface)',
  color: 'var(--text)',
  border: '1px solid var(--line)',
  borderRadius: 8,
  boxShadow: 'var(--shadow-2)',
  fontSize: 12,
};

/** Axis with labels only, without lines. */
export const plainAxis = {
  tick: { fill: 'var(--text-2)', fontSize: 11 },
  tickLine: false,
  axisLine: false,
};

/** Bars of one column, one on the other. */
export const stackedBar = { stackId: 'all', maxBarSize: 22, isAnimationActive: false };

/** Tooltip of the bars of a column. */
export const barTooltip = {
  contentStyle: tooltip,
  cursor: { fill: 'var(--surface-3)' },
  isAnimationActive: false,
};

/** Height of a time axis, in pixels. */
export const TIME_AXIS_PX = 22;

/** Returns the width for an axis's texts, in pixels. */
export const axisWidth = (texts: readonly string[]): number =>
  AXIS_PADDING_PX + CHARACTER_PX * Math.max(...texts.map(({ length }) => length));

/** Returns the axis of whole numbers from 0 to `end`. */
export const countAxis = (end: number) => ({
  ...plainAxis,
  width: axisWidth([end.toLocaleString('en-US')]),
  domain: [0, end],
  ticks: [0, end],
  tickFormatter: (value: number) => value.toLocaleString('en-US'),
});
