import { randomUUID } from 'node:crypto';

const INFIX = '.replacement-';

/** A name for what is to take the place of a collection. */
export function replacementName(collection: string): string {
  return `${collection}${INFIX}${randomUUID()}`;
}

/** The collection that a replacement was made for; undefined for a name that is not a replacement's. */
export function replacedBy(name: string): string | undefined {
  const at = name.indexOf(INFIX);
  return at < 0 ? undefined : name.slice(0, at);
}
