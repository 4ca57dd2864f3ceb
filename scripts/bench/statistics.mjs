/** Minimum, median, maximum, and how they are printed. */

export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
  return { min: sorted[0], median, max: sorted.at(-1), values };
}

const HUNDRED = 100;

/** Returns the smallest value that is not below this share of the values; Infinity for none. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  // Rounded first, because a product such as 100 × 0.07 is a little above the whole number.
  const place = Math.ceil(Math.round(sorted.length * share * HUNDRED) / HUNDRED);
  return sorted[Math.max(0, place - 1)] ?? Infinity;
}

/** Standard deviations within which 95 % of a normal distribution lie. */
const WITHIN_95 = 1.96;

/**
 * Returns the median and its bounds: the two values that have it between them with 95 %, whatever the distribution (sign
 * test, normal approximation). For differences of measurements in turns, whose extremes come from other work.
 */
export function medianBounds(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = (WITHIN_95 * Math.sqrt(sorted.length)) / 2;
  const low = Math.max(0, Math.floor(sorted.length / 2 - half));
  return { ...spread(values), min: sorted[low], max: sorted[sorted.length - 1 - low] };
}

/**
 * Returns by how much the largest value of the later half is above that of the earlier half. What caches take shows in
 * the earlier half; what grows with each repeat shows here.
 */
export function laterGrowth(values) {
  const half = Math.ceil(values.length / 2);
  const later = values.slice(half);
  return later.length === 0 ? 0 : Math.max(0, Math.max(...later) - Math.max(...values.slice(0, half)));
}

const FORMATS = {
  rate: (value) => Math.round(value).toLocaleString('en-US'),
  count: (value) => Math.round(value).toLocaleString('en-US'),
  ratio: (value) => value.toFixed(2),
  millis: (value) => value.toFixed(1),
  micros: (value) => value.toFixed(1),
  mebibytes: (value) => (value / 1_048_576).toFixed(0),
};

/** Returns a row of a table: a name, a unit, the spread of its repeats, and its goal. */
export function row(name, format, values, goal = '') {
  return { name, format, goal, ...spread(values) };
}

/** Same as `row`, with the bounds of the median in place of the extremes. */
export function medianRow(name, format, values, goal = '') {
  return { name, format, goal, ...medianBounds(values) };
}

/** Returns a Markdown table, which is also readable in a terminal. */
export function table(rows) {
  const cells = [
    ['', 'minimum', 'median', 'maximum', 'goal'],
    ...rows.map(({ name, format, min, median, max, goal }) => [
      name,
      ...[min, median, max].map(FORMATS[format]),
      goal,
    ]),
  ];
  const widths = cells[0].map((_, column) => Math.max(3, ...cells.map((cell) => cell[column].length)));
  const line = (cell) =>
    `| ${cell.map((text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at]))).join(' | ')} |`;
  const rule = `|${widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(cells[0]), rule, ...cells.slice(1).map(line), ''].join('\n');
}
