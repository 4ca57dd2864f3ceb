import { createHash } from 'node:crypto';
import type { ProofEntry } from '@sentinel-node/contracts';
import { chunks } from './read-input.ts';

export interface FileComparison {
  readonly isSame: boolean;
  readonly text: string;
}

/** Compares the first bytes of a file or a pipe, as many as the entry counts, with the content hash of the entry. */
export async function compareFile(
  path: string,
  entry: Pick<ProofEntry, 'length' | 'contentHash'> | undefined,
): Promise<FileComparison> {
  const { length, contentHash } = entry ?? {};
  if (length === undefined || contentHash === undefined)
    return { isSame: false, text: 'The entry says nothing of a content.' };
  const start = await hashStart(path, length);
  if (start.length < length)
    return { isSame: false, text: `${path} has only ${start.length} of ${length} bytes.` };
  if (start.hash !== contentHash)
    return { isSame: false, text: `The first ${length} bytes of ${path} are not those of the entry.` };
  const more = start.goesOn ? '; what follows them is not part of it' : '';
  return { isSame: true, text: `The first ${length} bytes of ${path} are those of the entry${more}.` };
}

/** Of the first `length` bytes of a file or a pipe, or of all when there are fewer; it reads no further than to see more. */
async function hashStart(
  path: string,
  length: number,
): Promise<{ readonly length: number; readonly hash: string; readonly goesOn: boolean }> {
  const hash = createHash('sha256');
  let seen = 0;
  let goesOn = false;
  for await (const part of chunks(path)) {
    const wanted = part.subarray(0, length - seen);
    hash.update(wanted);
    seen += wanted.length;
    goesOn = part.length > wanted.length;
    if (goesOn) break;
  }
  return { length: seen, hash: hash.digest('hex'), goesOn };
}
