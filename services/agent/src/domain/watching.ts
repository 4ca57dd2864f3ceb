/** When a file is looked at: what events of the file system can be trusted for, and what has to be looked for. */

/** Why a file is looked at four times a second, and not when an event tells of it. */
export type PollingReason =
  /** The watch is being set up. */
  | 'STARTING'
  /** A network file system, or one that is not known: changes made elsewhere raise no event here. */
  | 'FILE_SYSTEM'
  /** Not Linux: its events are not known well enough. */
  | 'PLATFORM'
  /** The kernel gives no more watches, or no more queues of events. */
  | 'WATCH_LIMIT'
  /** The folder of the file is not there. */
  | 'FOLDER_MISSING'
  /** More events came than the kernel keeps. */
  | 'OVERFLOW'
  /** A link: what it leads to changes in another folder. */
  | 'LINK'
  /** A file with several names: a change under another name raises no event here. */
  | 'HARD_LINKS'
  /** The kernel refuses the watch for another cause. */
  | 'REFUSED'
  /** No file in the folder is driven by events. */
  | 'UNWANTED';

/** A followed file without events is looked at this often, in ms; one with events no more often. */
export const FOLLOW_LOOK_MS = 250;
/** A file with events is looked at no less often, in ms, because an event can be lost: half the shortest category's interval. */
export const CONFIRM_MS = 30_000;
/** At the latest after this a file is read again, whatever its times say, in ms. */
export const REREAD_MS = 600_000;

/** Milliseconds from one look to the next. */
export function lookEveryMs(file: {
  readonly frequency: 'PROBE' | 'FOLLOW';
  /** Of a PROBE file. */
  readonly intervalMs: number;
  /** undefined: it has events. */
  readonly polling: PollingReason | undefined;
  readonly healthMs: number;
}): number {
  if (file.frequency === 'PROBE') return file.intervalMs;
  return file.polling === undefined ? Math.min(CONFIRM_MS, file.healthMs) : FOLLOW_LOOK_MS;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const UINT32 = 2 ** 32;

/** A timer that came this much too early, in ms, belongs to the turn that follows. */
const EARLY_MS = 10;

/** A share in (0, 1] that is the file's own, so that what is due for many is spread over time (FNV-1a of the id). */
export function shareOf(id: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < id.length; index += 1)
    hash = Math.imul(hash ^ id.charCodeAt(index), FNV_PRIME) >>> 0;
  return (hash + 1) / UINT32;
}

/**
 * Milliseconds to the next look after one at `nowMs`: the file's own phase of its interval, in steps of `FOLLOW_LOOK_MS`,
 * so that many files share a turn of the event loop. Never more than the interval by more than `EARLY_MS`.
 */
export function nextLookMs(id: string, everyMs: number, nowMs: number): number {
  if (everyMs <= FOLLOW_LOOK_MS) return everyMs;
  const steps = Math.max(1, Math.floor(everyMs / FOLLOW_LOOK_MS));
  const phase = Math.floor(shareOf(id) * (steps - 1)) * FOLLOW_LOOK_MS;
  const sinceTurn = (((nowMs - phase) % everyMs) + everyMs) % everyMs;
  const restMs = everyMs - sinceTurn;
  return restMs <= EARLY_MS ? restMs + everyMs : restMs;
}

/** Magic numbers of local file systems, whose changes raise events (statfs(2), linux/magic.h). */
const LOCAL_FILE_SYSTEMS = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // btrfs
  0x2fc12fc1, // ZFS
  0xca451a4e, // bcachefs
  0xf2f52010, // F2FS
  0x3153464a, // JFS
  0x01021994, // tmpfs
  0x858458f6, // ramfs
  0x794c7630, // overlayfs
  0x4d44, // FAT
  0x2011bab0, // exFAT
  0x7366746e, // NTFS
]);

/** Whether every change on a file system of this type, as statfs(2) tells it, raises an event. Unknown ones do not. */
export const hasEvents = (type: number): boolean => LOCAL_FILE_SYSTEMS.has(type);

/** Why a watch could not be had, by the error's code. */
export function reasonOf(code: string | undefined): PollingReason {
  if (code === 'ENOSPC' || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') return 'WATCH_LIMIT';
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'FOLDER_MISSING' : 'REFUSED';
}

/**
 * Whether events may have been lost, by how many came in one turn of the event loop. libuv drops the kernel's own word of
 * it (IN_Q_OVERFLOW); but a queue that was full hands out all its events in one turn. Half of them are enough to doubt,
 * because events of watches that have just ended are not counted.
 */
export const mayHaveLost = (eventsInTurn: number, queueEvents: number): boolean =>
  eventsInTurn * 2 >= queueEvents;

/** What an event in a folder is about. */
export type Meaning =
  /** The folder itself, or it is not known what: everything is looked at, and the watch is checked. */
  | 'folder'
  /** The entry of this name. */
  | 'entry';

/** @param name of the entry; null: the kernel did not say. A folder that goes away tells it under its own name. */
export const meaningOf = (name: string | null, folderName: string): Meaning =>
  name === null || name === folderName ? 'folder' : 'entry';

/** Milliseconds: the kernel's times of files are that coarse (a tick of 10 ms), so that two changes can share one. */
const TIME_GRAIN_MS = 20;

/** Whether a change after a look at `nowMs` could leave the times of the file as they are. */
export const isRacy = (changedAtMs: number, nowMs: number): boolean =>
  Math.abs(nowMs - changedAtMs) < TIME_GRAIN_MS;
