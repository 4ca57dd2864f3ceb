/** Labels as text, separated by lines or commas. */
import { LABEL_PATTERN, labelKey } from '@sentinel-node/contracts';

const LABEL = new RegExp(LABEL_PATTERN, 'u');

export const labelsText = (labels: readonly string[] | undefined): string => (labels ?? []).join('\n');

export const labelsOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((label) => label.trim())
    .filter((label) => label !== '');

/** Returns the error in a text of labels, if any. @param most largest number of labels */
export function labelsError(text: string, most: number): string | undefined {
  const labels = labelsOf(text);
  const wrong = labels.find((label) => !LABEL.test(label));
  if (wrong !== undefined) return `${wrong} is not of the form key:value, with a key in lower case`;
  const keys = labels.map(labelKey);
  const twice = keys.find((key, at) => keys.indexOf(key) < at);
  if (twice !== undefined) return `The key ${twice} stands twice`;
  return labels.length > most ? `At most ${most} labels` : undefined;
}
