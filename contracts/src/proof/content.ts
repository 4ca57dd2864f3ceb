/** Comparison of a file with the content hash of an entry. */
import type { ProofEntry } from './proof.ts';

export interface FileComparison {
  readonly isSame: boolean;
  /** False when the entry says nothing of a content, or of an empty one: then the file is not another. */
  readonly isCompared: boolean;
  readonly text: string;
}

/** The first bytes of a file. */
export interface HashedStart {
  readonly length: number;
  /** SHA-256, hex. */
  readonly hash: string;
  /** True when the file is longer. */
  readonly goesOn: boolean;
}

/**
 * Compares the first bytes of a file, as many as the length in the entry, with the content hash of the entry.
 * @param name name of the file in the text
 * @param hashStart hashes the first `length` bytes, or all when the file is shorter
 */
export async function compareContent(
  name: string,
  entry: Pick<ProofEntry, 'length' | 'contentHash'> | undefined,
  hashStart: (length: number) => Promise<HashedStart>,
): Promise<FileComparison> {
  const { length, contentHash } = entry ?? {};
  if (length === undefined || contentHash === undefined)
    return { isSame: false, isCompared: false, text: 'The entry says nothing of a content.' };
  const start = await hashStart(length);
  // Every file begins with no bytes, so that any file would be the one of the entry.
  if (length === 0 && start.goesOn)
    return {
      isSame: false,
      isCompared: false,
      text: 'The entry is of an empty file, as which every file begins.',
    };
  if (start.length < length) return compared(false, `${name} has only ${start.length} of ${length} bytes.`);
  if (start.hash !== contentHash)
    return compared(false, `The first ${length} bytes of ${name} are not those of the entry.`);
  const more = start.goesOn ? '; what follows them is not part of it' : '';
  return compared(true, `The first ${length} bytes of ${name} are those of the entry${more}.`);
}

const compared = (isSame: boolean, text: string): FileComparison => ({ isSame, isCompared: true, text });
