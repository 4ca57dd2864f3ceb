/**
 * Computes the alerts of a file's steps (docs/protocol.md, table of the rules) from the true states alone.
 * Pure.
 */
import type { AlertType } from '@sentinel-node/contracts';
import type { Disk } from './disk.ts';
import type { WatchedFile } from './policies.ts';

/** Least and most occurrences of an alert. */
export type Count = readonly [least: number, most: number];
/** Occurrences by type; `total` of all types together where it says more than their sum. */
export type Counts = Partial<Readonly<Record<AlertType | 'total', Count>>>;

const ONCE: Count = [1, 1];
const PERHAPS: Count = [0, 1];

export interface Looked {
  readonly disk: Disk;
  readonly content: Buffer;
}

/** State that a look finds. */
export interface LookedNow extends Looked {
  /** The agent looked so often that it knows which archives changed, whatever the file shows. */
  readonly areArchivesSeen: boolean;
  /** The agent surely reports the changed archives by themselves; those alerts are counted apart. */
  readonly areArchivesTold: boolean;
  /** An archive was edited or removed since the last look. */
  readonly areArchivesEdited: boolean;
}

/** State that the agent found before. */
export interface LookedBefore extends Looked {
  /** Ids of the archives that the agent surely knows. */
  readonly known: ReadonlySet<string>;
  /** The state began with a change of the archives, which counts only after a while: the agent may not know it yet. */
  readonly isArchiveNew: boolean;
}

/**
 * Returns the alerts of a look that finds `now` after `last`, without those of changed archives.
 * @param wasRestarted the agent restarted since `last` and no longer knows the file's inode
 */
export function alertsOfStep(
  file: WatchedFile,
  last: LookedBefore,
  now: LookedNow,
  wasRestarted: boolean,
): Counts {
  if (!file.rolled) return ofPlain(file, last, now);
  const counts = ofRolled(file, last, now, wasRestarted);
  return isUnproven(last, now, wasRestarted) ? { ...counts, ROLLED_FILE_CHANGED: PERHAPS } : counts;
}

/**
 * Returns whether the agent cannot tell rotations from replaced archives: the file was empty and no known
 * archive is left. Another inode in the same run proves a rotation.
 */
function isUnproven(last: LookedBefore, now: Looked, wasRestarted: boolean): boolean {
  const isSeenRotated = now.disk.inode !== last.disk.inode && !wasRestarted;
  if (last.content.length > 0 || last.disk.archives.length === 0 || isSeenRotated) return false;
  return !now.disk.archives.some(({ id }) => last.known.has(id));
}

const isPrefix = (start: Buffer, whole: Buffer): boolean =>
  whole.length >= start.length && whole.subarray(0, start.length).equals(start);

/** Returns the alerts of a file with the same content. */
const ofSame = ({ watchesAttributes }: WatchedFile, last: Looked, now: Looked): Counts =>
  watchesAttributes && WATCHED.some((name) => last.disk[name] !== now.disk[name])
    ? { UNEXPECTED_CHANGE: ONCE }
    : {};

/** Watched attributes of an unmodifiable file; a link in place of a file counts as another target. */
const WATCHED = ['mode', 'owner', 'target'] as const;

function ofPlain(file: WatchedFile, last: Looked, now: Looked): Counts {
  const { frequency, modifiable } = file;
  if (last.content.equals(now.content)) return ofSame(file, last, now);
  if (!modifiable) return { UNEXPECTED_CHANGE: ONCE };
  return frequency === 'PROBE' || isPrefix(last.content, now.content) ? {} : { HASH_BREACH: ONCE };
}

function ofRolled(file: WatchedFile, last: LookedBefore, now: LookedNow, wasRestarted: boolean): Counts {
  const known = new Set(last.disk.archives.map(({ id }) => id));
  const fresh = now.disk.archives.filter(({ id }) => !known.has(id));
  const isShorter = now.content.length < last.content.length;
  const isOther = now.disk.inode !== last.disk.inode;
  const goesOn = isPrefix(last.content, now.content);
  if (!isShorter && !isOther && goesOn) return ofPlain(file, last, now);
  const isEqual = last.content.equals(now.content);
  if (!file.modifiable && !isEqual) return { UNEXPECTED_CHANGE: ONCE };
  if (fresh.some(({ content }) => isPrefix(last.content, content)))
    return isEqual ? ofSame(file, last, now) : {};
  // The file alone then shows no change: the agent reports an edited archive by itself, after two looks.
  const isHidden = wasRestarted && goesOn && (!now.areArchivesSeen || now.areArchivesTold);
  const isSure = (fresh.length > 0 && !isHidden) || isShorter || (isOther && !wasRestarted);
  // A rotation is reported with the start of the oldest new archive. When that is no start of this file, it is another
  // version of an unmodifiable one. An agent that told the archive before reports a rotation without archives.
  if (!file.modifiable && isOther && (fresh.length > 0 || last.isArchiveNew)) {
    const least = isSure ? 1 : (ofSame(file, last, now).UNEXPECTED_CHANGE?.[0] ?? 0);
    return { ROLLED_FILE_CHANGED: PERHAPS, UNEXPECTED_CHANGE: PERHAPS, total: [least, 2] };
  }
  // Told by itself first, an edited archive is known: the file alone then shows a change of the same file.
  const isLikeOther = isShorter || (isOther && !wasRestarted);
  if (isSure && !isLikeOther && !goesOn && now.areArchivesEdited) {
    const { HASH_BREACH = [0, 0] } = ofPlain(file, last, now);
    return { ROLLED_FILE_CHANGED: PERHAPS, HASH_BREACH: [0, HASH_BREACH[1]], total: [HASH_BREACH[0], 1] };
  }
  if (isSure) return { ROLLED_FILE_CHANGED: ONCE };
  if (!isOther) return ofPlain(file, last, now);
  // The inode changed around a restart: the run before or the run after may have looked in between.
  return file.frequency === 'FOLLOW' && !goesOn
    ? { ROLLED_FILE_CHANGED: PERHAPS, HASH_BREACH: PERHAPS }
    : {
        ROLLED_FILE_CHANGED: PERHAPS,
        UNEXPECTED_CHANGE: [0, ofSame(file, last, now).UNEXPECTED_CHANGE?.[1] ?? 0],
      };
}
