/** Look that all charts share. */

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

/** Height of a time axis, in pixels. */
export const TIME_AXIS_PX = 22;

/** Returns the width for an axis's texts, in pixels. */
export const axisWidth = (texts: readonly string[]): number =>
  AXIS_PADDING_PX + CHARACTER_PX * Math.max(...texts.map(({ length }) => length));
