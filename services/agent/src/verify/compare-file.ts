import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Proof } from '@sentinel-node/contracts';

export interface FileComparison {
  readonly isSame: boolean;
  readonly text: string;
}

/** Compares the first bytes of a file, as many as the entry counts, with the content hash of the entry. */
export async function compareFile(path: string, entry: Proof['entry'] | undefined): Promise<FileComparison> {
  const { length, contentHash } = entry ?? {};
  if (length === undefined || contentHash === undefined)
    return { isSame: false, text: 'The entry says nothing of a content.' };
  const { hash, read, isLonger } = await hashOfStart(path, length);
  if (read < length) return { isSame: false, text: `${path} has only ${read} of ${length} bytes.` };
  if (hash !== contentHash)
    return { isSame: false, text: `The first ${length} bytes of ${path} are not those of the entry.` };
  const more = isLonger ? '; what follows them is not part of it' : '';
  return { isSame: true, text: `The first ${length} bytes of ${path} are those of the entry${more}.` };
}

async function hashOfStart(path: string, length: number) {
  const hash = createHash('sha256');
  let read = 0;
  let isLonger = false;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, length - read);
    hash.update(part);
    read += part.length;
    if (part.length === chunk.length) continue;
    isLonger = true;
    break;
  }
  return { hash: hash.digest('hex'), read, isLonger };
}
