/** The content of a file beside what an entry says of it. */
import type { Proof } from './proof.ts';

export interface FileComparison {
  readonly isSame: boolean;
  readonly text: string;
}

/** The first bytes of a file, and how many it has in all. */
export interface HashedPrefix {
  readonly prefix: { readonly length: number; readonly hash: string };
  readonly size: number;
}

/**
 * Compares the first bytes of a file, as many as the entry counts, with the content hash of the entry.
 * @param name of the file, for the words
 * @param hashPrefix SHA-256, hex, of so many bytes, or of all when the file is shorter
 */
export async function compareContent(
  name: string,
  entry: Proof['entry'] | undefined,
  hashPrefix: (length: number) => Promise<HashedPrefix>,
): Promise<FileComparison> {
  const { length, contentHash } = entry ?? {};
  if (length === undefined || contentHash === undefined)
    return { isSame: false, text: 'The entry says nothing of a content.' };
  const { prefix, size } = await hashPrefix(length);
  if (prefix.length < length)
    return { isSame: false, text: `${name} has only ${prefix.length} of ${length} bytes.` };
  if (prefix.hash !== contentHash)
    return { isSame: false, text: `The first ${length} bytes of ${name} are not those of the entry.` };
  const more = size > length ? '; what follows them is not part of it' : '';
  return { isSame: true, text: `The first ${length} bytes of ${name} are those of the entry${more}.` };
}
