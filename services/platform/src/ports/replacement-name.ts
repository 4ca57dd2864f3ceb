import { randomUUID } from 'node:crypto';

const INFIX = '.replacement-';

/** Returns a name for the replacement of a collection. */
export function replacementName(collection: string): string {
  return `${collection}${INFIX}${randomUUID()}`;
}

/** Returns the collection of a replacement; undefined for a name that is not a replacement's. */
export function replacedBy(name: string): string | undefined {
  const at = name.indexOf(INFIX);
  return at < 0 ? undefined : name.slice(0, at);
}
