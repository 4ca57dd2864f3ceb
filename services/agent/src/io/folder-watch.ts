import { watch, type FSWatcher, type WatchEventType } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { basename } from 'node:path';
import { hasEvents, meaningOf, reasonOf, type PollingReason } from '../domain/watching.ts';
import { FolderListing } from './folder-listing.ts';
import { mountedIn } from './mounts.ts';

/** A file that receives events of its folder. */
export interface Listener {
  /** Expression of the file's archives; undefined without rotation. */
  readonly archives: string | undefined;
  /** When false, the watch only checks whether the folder's file system is local. */
  readonly wantsEvents: boolean;
  /** Called after an event of the file. */
  onFile(): void;
  /** Called after an event of an archive. */
  onArchives(): void;
  /** Called when events begin or end: earlier changes may have been missed. */
  onWatching(): void;
}

export interface FolderWatchOptions {
  readonly folder: string;
  readonly steadyMs: () => number;
  /** `watch` of node:fs, or a test's version with failures. */
  readonly watch: typeof watch;
  /** Returns the statfs(2) type of the folder's file system. */
  readonly typeOf: (folder: string) => Promise<number>;
  /** Returns the names in the folder over which something is mounted. */
  readonly mountedIn: (folder: string) => Promise<ReadonlySet<string>>;
  readonly platform: NodeJS.Platform;
  /** Called for every event, for counting. */
  readonly onEvent: () => void;
  readonly onChange: (folder: string, reason: PollingReason | undefined) => void;
}

export const MACHINE_WATCHING = {
  watch,
  typeOf: async (folder: string): Promise<number> => (await statfs(folder)).type,
  mountedIn,
  platform: process.platform,
};

/** Interval between checks that the watch still belongs to the folder at the path, in ms. */
const HEALTHY_MS = 30_000;
/** Wait before retrying a missing or just replaced folder, in ms. */
const MISSING_MS = 1_000;
/** Wait before retrying after any other cause of polling, in ms. */
const RETRY_MS = 60_000;

/** Watches one folder for all its files, if the kernel allows a watch. */
export class FolderWatch {
  readonly listing: FolderListing;
  readonly #options: FolderWatchOptions;
  /** Listeners by base name. @boundedBy the files of the configuration */
  readonly #listeners = new Map<string, readonly Listener[]>();
  /** @boundedBy the files of the configuration */
  readonly #rolled = new Set<Listener>();
  #wanted = false;
  #isLocal = false;
  /** @boundedBy the mounts of the machine */
  #mounted: ReadonlySet<string> = new Set();
  #watcher: FSWatcher | undefined;
  #identity = '';
  #polling: PollingReason | undefined = 'STARTING';
  #timer: NodeJS.Timeout | undefined;
  #opening = false;
  /** The watch that is being opened has ended already, or may have. */
  #isOutdated = false;
  #closed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
    this.listing = new FolderListing(options.folder, options.steadyMs);
    void this.#open();
  }

  /** Why the folder has no events; undefined when it has events. */
  get polling(): PollingReason | undefined {
    return this.#polling;
  }

  /** Whether the file system is local, so that a look at a file does not wait for another machine. */
  get isLocal(): boolean {
    return this.#isLocal;
  }

  /** Whether something is mounted over the file at this path: no event tells of it, and it may be of another machine. */
  isMounted(path: string): boolean {
    return this.#mounted.size > 0 && this.#mounted.has(basename(path));
  }

  get isUnused(): boolean {
    return this.#listeners.size === 0;
  }

  /** @param name the file's base name */
  add(name: string, listener: Listener): void {
    this.#listeners.set(name, [...this.#listenersOf(name), listener]);
    if (listener.archives !== undefined) this.#rolled.add(listener);
    if (!listener.wantsEvents || this.#wanted) return;
    this.#wanted = true;
    if (this.#polling === 'UNWANTED') void this.#open();
  }

  remove(name: string, listener: Listener): void {
    const others = this.#listenersOf(name).filter((one) => one !== listener);
    this.#rolled.delete(listener);
    if (others.length === 0) this.#listeners.delete(name);
    else this.#listeners.set(name, others);
  }

  #listenersOf(name: string): readonly Listener[] {
    return this.#listeners.get(name) ?? [];
  }

  /** Records that events were lost; the listeners look at their files. */
  recordLoss(): void {
    if (this.#watcher === undefined) return;
    this.#become('OVERFLOW');
  }

  /** Trusts events again after a loss. */
  recordRecovery(): void {
    if (this.#polling === 'OVERFLOW') this.#become(undefined);
  }

  close(): void {
    this.#closed = true;
    this.#end();
  }

  async #open(): Promise<void> {
    if (this.#closed) return;
    if (this.#opening) {
      this.#isOutdated = true;
      return;
    }
    this.#opening = true;
    this.#end();
    this.#isOutdated = false;
    const reason = await this.#tryOpen().catch((error: NodeJS.ErrnoException) => reasonOf(error.code));
    this.#opening = false;
    if (this.#closed) return this.#end();
    if (this.#isOutdated) return this.#open();
    if (reason !== undefined) this.#end();
    this.#become(reason);
    const again = reason === undefined ? HEALTHY_MS : reason === 'FOLDER_MISSING' ? MISSING_MS : RETRY_MS;
    this.#timer = setTimeout(() => void this.#tend(), again);
  }

  /** @throws Error of node:fs */
  async #tryOpen(): Promise<PollingReason | undefined> {
    const { folder, platform, typeOf } = this.#options;
    if (platform !== 'linux') return 'PLATFORM';
    this.#mounted = await this.#options.mountedIn(folder);
    this.#isLocal = hasEvents(await typeOf(folder));
    if (!this.#isLocal) return 'FILE_SYSTEM';
    if (!this.#wanted) return 'UNWANTED';
    this.#identity = await identityOf(folder);
    const watcher = this.#options.watch(folder, (event, name) => this.#onEvent(event, name));
    this.#watcher = watcher;
    watcher.on('error', () => void this.#open());
    // Another folder may have replaced this one between the two calls.
    return (await identityOf(folder)) === this.#identity ? undefined : 'FOLDER_MISSING';
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Opens the watch again when another folder is at the path: the kernel watches a folder, not a path. */
  async #tend(): Promise<void> {
    if (this.#watcher !== undefined && (await this.#isSame())) {
      this.#mounted = await this.#options.mountedIn(this.#options.folder).catch(() => this.#mounted);
      clearTimeout(this.#timer);
      if (!this.#closed) this.#timer = setTimeout(() => void this.#tend(), HEALTHY_MS);
      return;
    }
    await this.#open();
  }

  async #isSame(): Promise<boolean> {
    return (await identityOf(this.#options.folder).catch(() => '')) === this.#identity;
  }

  #become(reason: PollingReason | undefined): void {
    const before = this.#polling;
    this.#polling = reason;
    this.listing.hasEvents = reason === undefined;
    this.listing.markChanged(null);
    if (before !== reason) this.#options.onChange(this.#options.folder, reason);
    if (before === reason && reason !== undefined) return;
    for (const listener of this.#all()) listener.onWatching();
  }

  #onEvent(event: WatchEventType, name: string | null): void {
    this.#options.onEvent();
    if (meaningOf(name, basename(this.#options.folder)) === 'folder') {
      this.listing.markChanged(null);
      for (const listener of this.#all()) this.#notify(listener);
      // The watch of a folder that was removed or unmounted has ended, also if the same folder is at the path again.
      void (event === 'rename' ? this.#open() : this.#tend());
      return;
    }
    this.listing.markChanged(name);
    for (const listener of this.#listenersOf(name!)) listener.onFile();
    for (const listener of this.#rolled)
      if (this.listing.isArchive(listener.archives!, name!)) listener.onArchives();
  }

  #notify(listener: Listener): void {
    listener.onFile();
    if (listener.archives !== undefined) listener.onArchives();
  }

  #all(): Listener[] {
    return [...this.#listeners.values()].flat();
  }
}

/** Returns what tells a folder from any other, also from one that is made after it with its inode (where the file system keeps the time). */
async function identityOf(folder: string): Promise<string> {
  const { dev, ino, birthtimeNs } = await stat(folder, { bigint: true });
  return `${dev}:${ino}:${birthtimeNs}`;
}
