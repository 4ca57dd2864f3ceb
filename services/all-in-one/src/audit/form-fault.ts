import type { Stored } from '@sentinel-node/platform';

/** Names of all members of a document, also of those that it may lack. */
export type Members<T> = Readonly<Record<keyof T, true>>;

/** Returns what of a document's form no version writes; undefined for one in order. Its values are compared apart. */
export function formFault<T extends Stored>(document: T, members: Members<T>): string | undefined {
  const strays = Object.keys(document).filter((name) => !Object.hasOwn(members, name));
  if (strays.length > 0) return `it has ${strays.join(', ')}, which nobody writes`;
  const { rev, at = 0, unpublished = 1 }: Stored & Partial<Record<'at' | 'unpublished', unknown>> = document;
  if (!Number.isSafeInteger(rev) || rev! < 1) return 'its revision is none';
  if (!Number.isSafeInteger(at)) return 'its time is none';
  return unpublished === 1 ? undefined : 'its mark that it waits to be published is none';
}
