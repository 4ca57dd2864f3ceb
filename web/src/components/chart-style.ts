/** What the charts by time have in common. */
export const DIGIT_PX = 7;
export const AXIS_PADDING_PX = 12;

export const tick = { fill: 'var(--text-2)', fontSize: 11 };
export const tooltip = {
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 8,
  boxShadow: 'var(--shadow-2)',
  fontSize: 12,
};
