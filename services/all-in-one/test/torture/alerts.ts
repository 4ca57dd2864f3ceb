/** What alerts the steps of a file raise, by docs/protocol.md and the table of the rules, from the truth alone. Pure. */
import type { AlertType } from '@sentinel-node/contracts';
import type { Disk } from './disk.ts';
import type { WatchedFile } from './policies.ts';

/** How often an alert occurs: at least, at most. */
export type Count = readonly [least: number, most: number];
export type Counts = Partial<Readonly<Record<AlertType, Count>>>;

const ONCE: Count = [1, 1];
const PERHAPS: Count = [0, 1];

export interface Looked {
  readonly disk: Disk;
  readonly content: Buffer;
}

/** What the agent sees. */
export interface LookedNow extends Looked {
  /** It looked so often that it knows which archives changed, whatever the file shows. */
  readonly areArchivesSeen: boolean;
}

/** What the agent saw before. */
export interface LookedBefore extends Looked {
  /** The archives that it knows for sure, by their ids. */
  readonly known: ReadonlySet<string>;
}

/**
 * What comes of a look that finds `now` when `last` was what the agent saw before. Archives that were changed count apart.
 * @param wasRestarted the agent was: it does not know any more which inode the file had
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
 * The file was empty, and rotations left no archive that was known: nothing tells them from archives that were replaced, but for
 * another inode in the same run.
 */
function isUnproven(last: LookedBefore, now: Looked, wasRestarted: boolean): boolean {
  const isSeenRotated = now.disk.inode !== last.disk.inode && !wasRestarted;
  if (last.content.length > 0 || last.disk.archives.length === 0 || isSeenRotated) return false;
  return !now.disk.archives.some(({ id }) => last.known.has(id));
}

const isPrefix = (start: Buffer, whole: Buffer): boolean =>
  whole.length >= start.length && whole.subarray(0, start.length).equals(start);

/** The content is what it was. */
const ofSame = ({ watchesAttributes }: WatchedFile, last: Looked, now: Looked): Counts =>
  watchesAttributes && WATCHED.some((name) => last.disk[name] !== now.disk[name])
    ? { UNEXPECTED_CHANGE: ONCE }
    : {};

/** What an unmodifiable file keeps besides its content, where a person chose so; a link instead of a file is another target. */
const WATCHED = ['mode', 'owner', 'target'] as const;

function ofPlain(file: WatchedFile, last: Looked, now: Looked): Counts {
  const { frequency, modifiable } = file;
  if (last.content.equals(now.content)) return ofSame(file, last, now);
  if (!modifiable) return { UNEXPECTED_CHANGE: ONCE };
  return frequency === 'PROBE' || isPrefix(last.content, now.content) ? {} : { HASH_BREACH: ONCE };
}

function ofRolled(file: WatchedFile, last: Looked, now: LookedNow, wasRestarted: boolean): Counts {
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
  // The file alone shows nothing then: an archive that was edited is told by itself, after two looks.
  const isHidden = wasRestarted && goesOn && !now.areArchivesSeen;
  if ((fresh.length > 0 && !isHidden) || isShorter || (isOther && !wasRestarted))
    return { ROLLED_FILE_CHANGED: ONCE };
  if (!isOther) return ofPlain(file, last, now);
  // Another inode, and the agent was started since: it may have been looked at in between by the one or the other.
  return file.frequency === 'FOLLOW' && !goesOn
    ? { ROLLED_FILE_CHANGED: PERHAPS, HASH_BREACH: PERHAPS }
    : {
        ROLLED_FILE_CHANGED: PERHAPS,
        UNEXPECTED_CHANGE: [0, ofSame(file, last, now).UNEXPECTED_CHANGE?.[1] ?? 0],
      };
}
