import { createHash } from 'node:crypto';
import type { HashedStart } from '@sentinel-node/contracts';
import { readChunks } from './read-input.ts';

/**
 * Hashes the first `length` bytes of a file or pipe, or all when there are fewer; reads only far enough to see
 * whether more follow.
 */
export async function hashStart(path: string, length: number): Promise<HashedStart> {
  const hash = createHash('sha256');
  let seen = 0;
  let goesOn = false;
  for await (const part of readChunks(path)) {
    const wanted = part.subarray(0, length - seen);
    hash.update(wanted);
    seen += wanted.length;
    goesOn = part.length > wanted.length;
    if (goesOn) break;
  }
  return { length: seen, hash: hash.digest('hex'), goesOn };
}
