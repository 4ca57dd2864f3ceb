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
 * What a look found. GOES_ON: the log has all that the kept checkpoint had; without one, its tiles lead to its root.
 * BEHIND: it is shorter than the kept one. CONTRADICTION: both are signed, and are not shown to be of one log.
 */
export type Outcome = 'GOES_ON' | 'BEHIND' | 'CONTRADICTION';

/**
 * Compares a checkpoint with the one kept. Tiles need not be believed: what is computed from them has to lead to roots
 * that are signed.
 * @param read tiles of the log of `now`. Its errors are passed on
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
