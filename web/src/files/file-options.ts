import { capitalised } from '../format.ts';
import type { Option } from '../ui/Field.tsx';

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

/** Returns the choices, and those words of a file that are no choice: a later server gave them. */
export const optionsWith = (options: readonly Option[], ...words: string[]): Option[] => [
  ...options,
  ...[...new Set(words)]
    .filter((word) => word !== '' && options.every(({ value }) => value !== word))
    .map((value) => ({ value, label: capitalised(value) })),
];
