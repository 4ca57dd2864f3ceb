import {
  consistencyRanges,
  equalBytes,
  merkleRoot,
  rangeRoot,
  verifyConsistency,
  type Checkpoint,
  type ReadHashes,
} from '@sentinel-node/contracts';

/**
 * Outcome of a comparison. GOES_ON: the log contains the kept checkpoint's log, or without one its tiles lead to its
 * root. BEHIND: the log is shorter than the kept one. CONTRADICTION: the tiles do not lead to the signed roots.
 */
export type Outcome = 'GOES_ON' | 'BEHIND' | 'CONTRADICTION';

/**
 * Compares a checkpoint with the kept one. The tiles need no trust: hashes computed from them must match signed roots.
 * @param read reads tiles of the log of `now`; its errors are passed on
 */
export async function compare(
  kept: Checkpoint | undefined,
  now: Checkpoint,
  read: ReadHashes,
): Promise<Outcome> {
  if (kept === undefined || kept.size === 0)
    return judged(equalBytes(await rootOf(now.size, read), now.root));
  if (kept.size > now.size) return 'BEHIND';
  const path: Uint8Array[] = [];
  for (const range of consistencyRanges(kept.size, now.size))
    path.push(await rangeRoot(range, now.size, read));
  return judged(verifyConsistency(kept.size, kept.root, now.size, now.root, path));
}

const judged = (holds: boolean): Outcome => (holds ? 'GOES_ON' : 'CONTRADICTION');

async function rootOf(size: number, read: ReadHashes): Promise<Uint8Array> {
  return size === 0 ? merkleRoot([]) : rangeRoot([0, size], size, read);
}
