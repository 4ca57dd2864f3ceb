/** Judges an offer to a witness (C2SP tlog-witness). The caller has checked the log's signature. */
import {
  equalBytes,
  merkleRoot,
  verifyConsistency,
  type AddCheckpoint,
  type Checkpoint,
} from '@sentinel-node/contracts';

/**
 * SIGN: the offer continues the last cosigned checkpoint. BAD_REQUEST: the old size is above the new size. CONFLICT: the
 * old size is not the last cosigned size. OTHER_ROOT: both have the size of the last cosigned checkpoint, and the offered one
 * has another root. INCONSISTENT: the offer does not show that it continues.
 */
export type Judgement = 'SIGN' | 'BAD_REQUEST' | 'CONFLICT' | 'OTHER_ROOT' | 'INCONSISTENT';

/** Judges an offer. @param seen the last cosigned checkpoint of this log; undefined before the first */
export function judgeOffer(
  seen: Checkpoint | undefined,
  offered: Checkpoint,
  { oldSize, path }: Pick<AddCheckpoint, 'oldSize' | 'path'>,
): Judgement {
  if (oldSize > offered.size) return 'BAD_REQUEST';
  if (oldSize !== (seen?.size ?? 0)) return 'CONFLICT';
  const empty = merkleRoot([]);
  if (offered.size === 0 && !equalBytes(offered.root, empty)) return 'INCONSISTENT';
  if (contradicts(seen, offered)) return 'OTHER_ROOT';
  const goesOn = verifyConsistency(oldSize, seen?.root ?? empty, offered.size, offered.root, path);
  return goesOn ? 'SIGN' : 'INCONSISTENT';
}

/**
 * Returns whether the checkpoints have one size but different roots: both signed notes prove that the log contradicts
 * itself.
 */
export function contradicts(seen: Checkpoint | undefined, offered: Checkpoint): boolean {
  return seen?.size === offered.size && !equalBytes(seen.root, offered.root);
}
