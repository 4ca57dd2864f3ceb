/** Choices of a file's settings; the first choice stands for no choice yet. */
const choose = (options: [string, string][]) => [
  { value: '', label: 'Choose' },
  ...options.map(([value, label]) => ({ value, label })),
];
export const types = choose([
  ['TEXT', 'Text'],
  ['BINARY', 'Binary'],
]);
export const frequencies = choose([
  ['PROBE', 'Interval'],
  ['FOLLOW', 'Continuous'],
]);
export const answers = choose([
  ['yes', 'Yes'],
  ['no', 'No'],
]);
