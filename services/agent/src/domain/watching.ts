/** When to look at a file: which changes file system events show, and which need polling. */

/** Why the agent polls a followed file four times a second instead of waiting for events. */
export type PollingReason =
  /** The watch is being set up. */
  | 'STARTING'
  /** A network or unknown file system: changes made on other machines raise no event here. */
  | 'FILE_SYSTEM'
  /** Not Linux: the guarantees of other platforms' events are not known well enough. */
  | 'PLATFORM'
  /** The kernel's limit of watches or event queues is reached. */
  | 'WATCH_LIMIT'
  /** The file's folder does not exist. */
  | 'FOLDER_MISSING'
  /** The kernel's event queue overflowed. */
  | 'OVERFLOW'
  /** A link: its target changes in another folder. */
  | 'LINK'
  /** A file with several names: a change under another name raises no event here. */
  | 'HARD_LINKS'
  /** Something is mounted over the file: its changes raise no event in the folder. */
  | 'MOUNT'
  /** The kernel refuses the watch for another reason. */
  | 'REFUSED'
  /** No file in the folder needs events. */
  | 'UNWANTED';

/** Interval between looks at a followed file without events, in ms; the shortest interval of one with events. */
export const FOLLOW_LOOK_MS = 250;
/**
 * Longest time from a look that found nothing yet to the next, in ms, whatever the interval: what was missing at a look and is there
 * again at the next one, an hour later, would not be told.
 */
export const UNSETTLED_LOOK_MS = 2_000;
/**
 * Longest interval between looks at a file with events, in ms, in case an event was lost: half the shortest
 * category's interval.
 */
export const CONFIRM_MS = 30_000;
/** Longest time from a look whose result could not be kept to the next, in ms. */
const NOT_KEPT_MS = 60_000;
/** Longest time between two whole reads of a file, in ms, even when its times are unchanged. */
export const REREAD_MS = 600_000;

/** Returns the interval between looks, in ms. */
export function lookIntervalMs(file: {
  readonly frequency: 'PROBE' | 'FOLLOW';
  /** Interval of a PROBE file, in ms. */
  readonly intervalMs: number;
  /** undefined when the file has events. */
  readonly polling: PollingReason | undefined;
  readonly healthMs: number;
}): number {
  if (file.frequency === 'PROBE') return file.intervalMs;
  return file.polling === undefined ? Math.min(CONFIRM_MS, file.healthMs) : FOLLOW_LOOK_MS;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const UINT32 = 2 ** 32;

/** A timer at most this early, in ms, counts for the turn that follows. */
const EARLY_MS = 10;

/** Returns a share in (0, 1] from the file's id (FNV-1a), which spreads the work for many files over time. */
export function shareOf(id: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < id.length; index += 1)
    hash = Math.imul(hash ^ id.charCodeAt(index), FNV_PRIME) >>> 0;
  return (hash + 1) / UINT32;
}

/**
 * Returns the ms from a look at `nowMs` to the next: the file's own phase of its interval, in steps of `FOLLOW_LOOK_MS`,
 * so that many files share a turn of the event loop. The result exceeds the interval by `EARLY_MS` at most.
 */
export function nextLookMs(id: string, everyMs: number, nowMs: number): number {
  if (everyMs <= FOLLOW_LOOK_MS) return everyMs;
  const steps = Math.max(1, Math.floor(everyMs / FOLLOW_LOOK_MS));
  const phase = Math.floor(shareOf(id) * (steps - 1)) * FOLLOW_LOOK_MS;
  const sinceTurn = (((nowMs - phase) % everyMs) + everyMs) % everyMs;
  const restMs = everyMs - sinceTurn;
  return restMs <= EARLY_MS ? restMs + everyMs : restMs;
}

/**
 * Returns the ms from a look whose result could not be kept to the next, whatever the interval: each such look reads the whole file.
 * They double, up to a minute at most, over whose second half files are spread.
 * @param sinceMs time since the first such look, in ms
 */
export const nextLookAfterFaultMs = (id: string, sinceMs: number): number =>
  Math.min(Math.max(FOLLOW_LOOK_MS, sinceMs), (NOT_KEPT_MS * (1 + shareOf(id))) / 2);

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

/** Returns whether every change on a file system of this statfs(2) type raises an event; false for an unknown type. */
export const hasEvents = (type: number): boolean => LOCAL_FILE_SYSTEMS.has(type);

/** Returns why opening a watch failed, from the error's code. */
export function reasonOf(code: string | undefined): PollingReason {
  if (code === 'ENOSPC' || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') return 'WATCH_LIMIT';
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'FOLDER_MISSING' : 'REFUSED';
}

/**
 * Returns whether events may have been lost, from the number of events in one turn of the event loop. libuv drops the
 * kernel's overflow event (IN_Q_OVERFLOW), but a full queue delivers all its events in one turn. Half a queue counts as
 * a loss already, because events of watches that just ended are not counted.
 */
export const mayHaveLost = (eventsInTurn: number, queueEvents: number): boolean =>
  eventsInTurn * 2 >= queueEvents;

/** Subject of an event in a folder. */
export type Meaning =
  /** The folder itself or unknown: the agent looks at all its files and checks the watch. */
  | 'folder'
  /** The entry of this name. */
  | 'entry';

/**
 * Returns the subject of an event.
 * @param name the entry's name, null when unknown; a removed folder reports its own name
 */
export const meaningOf = (name: string | null, folderName: string): Meaning =>
  name === null || name === folderName ? 'folder' : 'entry';

/**
 * Grain of the kernel's file times with a margin (a tick is 10 ms), in ms: two changes within it can share one time.
 */
const TIME_GRAIN_MS = 20;

/** Grains of file systems that keep whole seconds (ext4 with small inodes, some network file systems) or even ones (FAT), in ms. */
const COARSE_GRAINS_MS = [2_000, 1_000];

/** Returns whether a change after a look at `nowMs` could leave the file's times unchanged. */
export const isRacy = (changedAtMs: number, nowMs: number): boolean =>
  Math.abs(nowMs - changedAtMs) < grainOf(changedAtMs);

/** Most that the clock of another machine is from this one's, in ms. */
const OTHER_CLOCK_MS = 24 * 3_600_000;

/**
 * Returns the same for a file whose times are by the clock of another machine, whatever it shows.
 * @param seenForMs how long the file has been seen with this time
 */
export const isRacyElsewhere = (changedAtMs: number, nowMs: number, seenForMs: number): boolean =>
  isRacy(changedAtMs, nowMs) ||
  (seenForMs < grainOf(changedAtMs) && Math.abs(nowMs - changedAtMs) < OTHER_CLOCK_MS);

/** Returns the longest time between two changes that both leave this time, in ms. */
const grainOf = (changedAtMs: number): number =>
  (COARSE_GRAINS_MS.find((ms) => changedAtMs % ms === 0) ?? 0) + TIME_GRAIN_MS;
