import { isDeepStrictEqual } from 'node:util';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the names of the fields that differ, separated by commas. */
export function differingFields(one: object, other: object): string {
  const [a, b]: Fields[] = [{ ...one }, { ...other }];
  const fields = new Set([...Object.keys(a!), ...Object.keys(b!)]);
  return [...fields].filter((field) => !isDeepStrictEqual(a![field], b![field])).join(', ');
}

/** Returns the document as a store returns it: without undefined fields. */
export function asStored<T extends object>(document: T): T {
  return JSON.parse(JSON.stringify(document));
}
