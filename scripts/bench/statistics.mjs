/** Minimum, median, maximum, and how they are printed. */

export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
  return { min: sorted[0], median, max: sorted.at(-1), values };
}

/** Of the normal distribution: 95 % lie within so many standard deviations. */
const WITHIN_95 = 1.96;

/**
 * The median, between the two values that have it between them with 95 %, whatever the distribution (sign test, normal
 * approximation). For differences of measurements in turns: their extremes tell of the other work of the machine.
 */
export function medianBounds(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = (WITHIN_95 * Math.sqrt(sorted.length)) / 2;
  const low = Math.max(0, Math.floor(sorted.length / 2 - half));
  return { ...spread(values), min: sorted[low], max: sorted[sorted.length - 1 - low] };
}

const FORMATS = {
  rate: (value) => Math.round(value).toLocaleString('en-US'),
  count: (value) => Math.round(value).toLocaleString('en-US'),
  ratio: (value) => value.toFixed(2),
  millis: (value) => value.toFixed(1),
  micros: (value) => value.toFixed(1),
  mebibytes: (value) => (value / 1_048_576).toFixed(0),
};

/** A row of a table: a name, a unit, the spread of its repeats, and its goal. */
export function row(name, format, values, goal = '') {
  return { name, format, goal, ...spread(values) };
}

/** The same with the bounds of the median in place of the extremes. */
export function medianRow(name, format, values, goal = '') {
  return { name, format, goal, ...medianBounds(values) };
}

/** A Markdown table, which reads well in a terminal too. */
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
