/** Labels as text, separated by lines or commas. */
import { LABEL_PATTERN, labelKey } from '@sentinel-node/contracts';
import type { ListText } from './merged-values.ts';

const LABEL = new RegExp(LABEL_PATTERN, 'u');

export const labelsText = (labels: readonly string[] | undefined): string => (labels ?? []).join('\n');

export const labelsOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((label) => label.trim())
    .filter((label) => label !== '');

/** Labels as text, one a line. */
export const LABEL_LINES: ListText = { of: labelsOf, text: labelsText };
/** Labels as text in one line. */
export const LABEL_LINE: ListText = { of: labelsOf, text: (labels) => labels.join(', ') };

/** Of the labels of one device or file: each key stands once. @param most labels that there may be */
export function labelsError(text: string, most: number): string | undefined {
  const keys = labelsOf(text).map(labelKey);
  const twice = keys.find((key, at) => keys.indexOf(key) < at);
  return namedLabelsError(text, most) ?? (twice === undefined ? undefined : `The key ${twice} stands twice`);
}

/** Of labels of which one is enough: two sites may be named. */
export function namedLabelsError(text: string, most: number): string | undefined {
  const labels = labelsOf(text);
  const wrong = labels.find((label) => !LABEL.test(label));
  if (wrong !== undefined) return `${wrong} is not of the form key:value, with a key in lower case`;
  if (new Set(labels).size < labels.length) return 'A label stands twice';
  return labels.length > most ? `At most ${most} labels` : undefined;
}
