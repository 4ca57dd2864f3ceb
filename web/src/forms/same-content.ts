/** Compares what a form would save with what the server has. */
import { isRecord } from '../narrow.ts';

/** Returns whether two JSON values say the same: the order of lists and members does not, nor does an undefined member. */
export const isSameContent = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

/** Returns whether the fields of a request have these values in the server's state, which may have more fields. */
export const isSaved = <T extends object>(request: T, state: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(request).every(([name, value]) => isSameContent(value, state[name]));

/** Returns a text that equal contents share. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).sort().join()}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${members
    .map(([name, one]) => `${JSON.stringify(name)}:${textOf(one)}`)
    .sort()
    .join()}}`;
}
