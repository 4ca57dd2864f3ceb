import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { mayHaveLost, type PollingReason } from '../domain/watching.ts';
import { FolderWatch, MACHINE_WATCHING, type FolderWatchOptions, type Listener } from './folder-watch.ts';

/** Source of events; tests replace the machine's. */
export interface WatchingSource extends Partial<
  Pick<FolderWatchOptions, 'watch' | 'typeOf' | 'mountedIn' | 'platform'>
> {
  /** Size of the kernel's event queue, in events. */
  readonly queueEvents?: number;
}

export interface FolderWatchesOptions extends WatchingSource {
  readonly steadyMs: () => number;
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** Time of polling after lost events, in ms. */
const OVERFLOW_MS = 10_000;
/** Time over which folder changes are collected into one log line, in ms. */
const COLLECT_MS = 500;
const QUEUE_EVENTS = '/proc/sys/fs/inotify/max_queued_events';
const QUEUE_EVENTS_DEFAULT = 16_384;

/** Explanations for the operator, some with advice. */
const MEANINGS: Readonly<Record<PollingReason, string>> = {
  STARTING: 'the watch is being set up',
  FILE_SYSTEM: 'a network file system, or one that is not known, does not tell of every change',
  PLATFORM: 'events are used on Linux only',
  WATCH_LIMIT: 'the kernel gives no more watches: raise fs.inotify.max_user_watches or max_user_instances',
  FOLDER_MISSING: 'the folder is not there',
  OVERFLOW: 'more events came than the kernel keeps; every file is looked at',
  LINK: 'a link',
  HARD_LINKS: 'a file with several names',
  MOUNT: 'a file with a mount of its own',
  UNWANTED: 'no file is driven by events',
  REFUSED: 'the kernel refuses the watch: the agent needs to read the folder',
};

/** Keeps one watch for each folder with files of the agent. */
export class FolderWatches {
  readonly #options: FolderWatchesOptions;
  /** @boundedBy the files of the configuration */
  readonly #folders = new Map<string, FolderWatch>();
  readonly #queueEvents: number;
  #events = 0;
  #overflow: NodeJS.Timeout | undefined;
  /** Folders with a new state that was not logged yet. */
  readonly #unlogged = new Map<string, PollingReason | undefined>();
  readonly #logged = new Set<string>();
  #logTimer: NodeJS.Timeout | undefined;

  constructor(options: FolderWatchesOptions) {
    this.#options = options;
    this.#queueEvents = options.queueEvents ?? queueEvents();
  }

  /** Subscribes a listener to events of a file. @param path absolute @returns the folder's watch */
  subscribe(path: string, listener: Listener): FolderWatch {
    const folder = dirname(path);
    const watch = this.#folders.get(folder) ?? this.#open(folder);
    watch.add(basename(path), listener);
    return watch;
  }

  /** Reverts `subscribe`. */
  unsubscribe(path: string, listener: Listener): void {
    const folder = dirname(path);
    const watch = this.#folders.get(folder);
    watch?.remove(basename(path), listener);
    if (watch?.isUnused !== true) return;
    watch.close();
    this.#folders.delete(folder);
  }

  close(): void {
    clearTimeout(this.#overflow);
    clearTimeout(this.#logTimer);
    for (const watch of this.#folders.values()) watch.close();
    this.#folders.clear();
  }

  #open(folder: string): FolderWatch {
    const { steadyMs, log, queueEvents: _, ...own } = this.#options;
    const watch = new FolderWatch({
      ...MACHINE_WATCHING,
      ...own,
      folder,
      steadyMs,
      onEvent: () => this.#count(),
      onChange: (which, reason) => this.#changed(which, reason),
    });
    this.#folders.set(folder, watch);
    return watch;
  }

  #count(): void {
    if (this.#events === 0) setImmediate(() => (this.#events = 0));
    this.#events += 1;
    if (!mayHaveLost(this.#events, this.#queueEvents)) return;
    this.#events = 0;
    clearTimeout(this.#overflow);
    for (const watch of this.#folders.values()) watch.recordLoss();
    this.#overflow = setTimeout(() => {
      for (const watch of this.#folders.values()) watch.recordRecovery();
    }, OVERFLOW_MS);
  }

  #changed(folder: string, reason: PollingReason | undefined): void {
    if (reason === 'UNWANTED') return;
    if (reason === undefined && !this.#logged.has(folder)) this.#unlogged.delete(folder);
    else this.#unlogged.set(folder, reason);
    this.#logTimer ??= setTimeout(() => this.#logChanges(), COLLECT_MS);
  }

  /** Logs one line per cause, for all its folders. */
  #logChanges(): void {
    this.#logTimer = undefined;
    const byReason = new Map<PollingReason | undefined, string[]>();
    for (const [folder, reason] of this.#unlogged) {
      byReason.set(reason, [...(byReason.get(reason) ?? []), folder]);
      if (reason === undefined) this.#logged.delete(folder);
      else this.#logged.add(folder);
    }
    this.#unlogged.clear();
    for (const [reason, [first, ...others]] of byReason) {
      const where = others.length === 0 ? first : `${first} and ${others.length} other folders`;
      if (reason === undefined) this.#options.log('info', `${where}: events tell of changes again`);
      else
        this.#options.log(
          'warn',
          `${where}: followed files are looked at four times a second, without events (${reason}: ${MEANINGS[reason]})`,
        );
    }
  }
}

function queueEvents(): number {
  try {
    return Number(readFileSync(QUEUE_EVENTS, 'utf8')) || QUEUE_EVENTS_DEFAULT;
  } catch {
    return QUEUE_EVENTS_DEFAULT;
  }
}
