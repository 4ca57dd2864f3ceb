/** What a witness does with an offer (C2SP tlog-witness). Pure: the signature of the log was checked before. */
import {
  equalBytes,
  merkleRoot,
  verifyConsistency,
  type AddCheckpoint,
  type Checkpoint,
} from '@sentinel-node/contracts';

/**
 * SIGN: it goes on from what was seen. BAD_REQUEST: the old size is above the new one. CONFLICT: the old size is not
 * what was seen. INCONSISTENT: it is not shown to go on.
 */
export type Judgement = 'SIGN' | 'BAD_REQUEST' | 'CONFLICT' | 'INCONSISTENT';

/** @param seen what was cosigned last; undefined: nothing of this log */
export function judgeOffer(
  seen: Checkpoint | undefined,
  offered: Checkpoint,
  { oldSize, path }: Pick<AddCheckpoint, 'oldSize' | 'path'>,
): Judgement {
  if (oldSize > offered.size) return 'BAD_REQUEST';
  if (oldSize !== (seen?.size ?? 0)) return 'CONFLICT';
  const empty = merkleRoot([]);
  if (offered.size === 0 && !equalBytes(offered.root, empty)) return 'INCONSISTENT';
  const goesOn = verifyConsistency(oldSize, seen?.root ?? empty, offered.size, offered.root, path);
  return goesOn ? 'SIGN' : 'INCONSISTENT';
}

/** Two roots of one size: with both signatures it is evidence against the log by itself. */
export function contradicts(seen: Checkpoint | undefined, offered: Checkpoint): boolean {
  return seen?.size === offered.size && !equalBytes(seen.root, offered.root);
}
