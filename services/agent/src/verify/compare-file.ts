import type { ProofEntry } from '@sentinel-node/contracts';
import { hashPrefix } from '../io/hash-file.ts';

export interface FileComparison {
  readonly isSame: boolean;
  readonly text: string;
}

/** Compares the first bytes of a file, as many as the entry counts, with the content hash of the entry. */
export async function compareFile(
  path: string,
  entry: Pick<ProofEntry, 'length' | 'contentHash'> | undefined,
): Promise<FileComparison> {
  const { length, contentHash } = entry ?? {};
  if (length === undefined || contentHash === undefined)
    return { isSame: false, text: 'The entry says nothing of a content.' };
  const { prefix, size } = await hashPrefix(path, length);
  if (prefix.length < length)
    return { isSame: false, text: `${path} has only ${prefix.length} of ${length} bytes.` };
  if (prefix.hash !== contentHash)
    return { isSame: false, text: `The first ${length} bytes of ${path} are not those of the entry.` };
  const more = size > length ? '; what follows them is not part of it' : '';
  return { isSame: true, text: `The first ${length} bytes of ${path} are those of the entry${more}.` };
}
