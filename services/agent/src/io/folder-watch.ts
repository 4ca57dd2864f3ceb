import { watch, type FSWatcher } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { basename } from 'node:path';
import { hasEvents, meaningOf, reasonOf, type PollingReason } from '../domain/watching.ts';
import { FolderListing } from './folder-listing.ts';

/** A file that hears of events. */
export interface Listener {
  /** Expression of its archives. */
  readonly archives: string | undefined;
  /** Whether events are needed; else the folder is only asked whether it is local. */
  readonly wantsEvents: boolean;
  /** Something happened to the file. */
  onFile(): void;
  /** Something happened to its archives. */
  onArchives(): void;
  /** Events begin or end: what happened before is not known. */
  onWatching(): void;
}

export interface FolderWatchOptions {
  readonly folder: string;
  readonly steadyMs: () => number;
  /** node:fs's, or one that fails as a machine can. */
  readonly watch: typeof watch;
  /** Type of the file system, as statfs(2) tells it. */
  readonly typeOf: (folder: string) => Promise<number>;
  readonly platform: NodeJS.Platform;
  /** An event came; told so that they can be counted. */
  readonly onEvent: () => void;
  readonly onChange: (folder: string, reason: PollingReason | undefined) => void;
}

export const MACHINE_WATCHING = {
  watch,
  typeOf: async (folder: string): Promise<number> => (await statfs(folder)).type,
  platform: process.platform,
};

/** The watch is looked after this often, in ms: whether it is still that of the folder at the path. */
const HEALTHY_MS = 30_000;
/** A folder that is not there, or was just replaced, is tried again after this time, in ms. */
const MISSING_MS = 1_000;
/** Any other cause of polling is tried again after this time, in ms. */
const RETRY_MS = 60_000;

/** One folder's events: a watch for all files in it, as long as the kernel gives one. */
export class FolderWatch {
  readonly listing: FolderListing;
  readonly #options: FolderWatchOptions;
  /** By base name. @boundedBy the files of the configuration */
  readonly #listeners = new Map<string, readonly Listener[]>();
  /** @boundedBy the files of the configuration */
  readonly #rolled = new Set<Listener>();
  #wanted = false;
  #isLocal = false;
  #watcher: FSWatcher | undefined;
  #identity = '';
  #polling: PollingReason | undefined = 'STARTING';
  #timer: NodeJS.Timeout | undefined;
  #opening = false;
  #closed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
    this.listing = new FolderListing(options.folder, options.steadyMs);
    void this.#open();
  }

  /** undefined: events tell of changes. */
  get polling(): PollingReason | undefined {
    return this.#polling;
  }

  /** Whether the file system is this machine's own, so that a look at a file does not wait for others. */
  get isLocal(): boolean {
    return this.#isLocal;
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

  /** Events were lost: whatever they told has to be looked for. */
  lost(): void {
    if (this.#watcher === undefined) return;
    this.#become('OVERFLOW');
  }

  /** Events can be trusted again. */
  found(): void {
    if (this.#polling === 'OVERFLOW') this.#become(undefined);
  }

  close(): void {
    this.#closed = true;
    this.#end();
  }

  async #open(): Promise<void> {
    if (this.#opening || this.#closed) return;
    this.#opening = true;
    this.#end();
    const reason = await this.#tryOpen().catch((error: NodeJS.ErrnoException) => reasonOf(error.code));
    this.#opening = false;
    if (this.#closed) return this.#end();
    if (reason !== undefined) this.#end();
    this.#become(reason);
    const again = reason === undefined ? HEALTHY_MS : reason === 'FOLDER_MISSING' ? MISSING_MS : RETRY_MS;
    this.#timer = setTimeout(() => void this.#tend(), again);
  }

  /** @throws Error of node:fs */
  async #tryOpen(): Promise<PollingReason | undefined> {
    const { folder, platform, typeOf } = this.#options;
    if (platform !== 'linux') return 'PLATFORM';
    this.#isLocal = hasEvents(await typeOf(folder));
    if (!this.#isLocal) return 'FILE_SYSTEM';
    if (!this.#wanted) return 'UNWANTED';
    this.#identity = await identityOf(folder);
    const watcher = this.#options.watch(folder, (_, name) => this.#heard(name));
    this.#watcher = watcher;
    watcher.on('error', () => void this.#open());
    // Between the look and the watch another folder may have come.
    return (await identityOf(folder)) === this.#identity ? undefined : 'FOLDER_MISSING';
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** The watch is the kernel's of a folder, not of a path: another folder may be there by now. */
  async #tend(): Promise<void> {
    if (this.#watcher !== undefined && (await this.#isSame())) {
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
    this.listing.touch(null);
    if (before !== reason) this.#options.onChange(this.#options.folder, reason);
    if (before === reason && reason !== undefined) return;
    for (const listener of this.#all()) listener.onWatching();
  }

  #heard(name: string | null): void {
    this.#options.onEvent();
    if (meaningOf(name, basename(this.#options.folder)) === 'folder') {
      this.listing.touch(null);
      for (const listener of this.#all()) this.#tell(listener);
      void this.#tend();
      return;
    }
    this.listing.touch(name);
    for (const listener of this.#listenersOf(name!)) listener.onFile();
    for (const listener of this.#rolled)
      if (this.listing.isArchive(listener.archives!, name!)) listener.onArchives();
  }

  #tell(listener: Listener): void {
    listener.onFile();
    if (listener.archives !== undefined) listener.onArchives();
  }

  #all(): Listener[] {
    return [...this.#listeners.values()].flat();
  }
}

async function identityOf(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder);
  return `${dev}:${ino}`;
}
