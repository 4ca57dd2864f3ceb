import { statSync, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { archivePattern, NO_UTF8, type ArchiveFile } from './archives.ts';
import { isSame, stampOf, type Stamp } from './stamp.ts';

/** A name in the folder. */
interface Entry {
  /** Expressions that match the name. */
  patterns: readonly Pattern[];
  /** undefined when the name is no regular file or no archive. */
  about: ArchiveFile | undefined;
  /** The stats that `about` was made of. */
  stamp?: Stamp;
}

interface Pattern {
  readonly matches: (name: string) => boolean;
  readonly names: Set<string>;
  /**
   * Archives without the file of this name, until one of them changes.
   * @boundedBy the rolled files of the folder
   */
  readonly lists: Map<string, readonly ArchiveFile[]>;
}

const NO_PATTERNS: readonly Pattern[] = [];
/** Longest age of a listing, in ms: without events, and with events. */
const POLLED_MS = 1_000;
const WHOLE_MS = 30_000;
/** Most names from events between two listings; beyond them, the whole folder is listed. */
const TOUCHED_NAMES = 10_000;
/** Most known names, many of them of deleted files; beyond them, all names are dropped and listed again. */
const KNOWN_NAMES = 200_000;
/** Entries handled before the event loop continues. */
const ENTRIES_A_TURN = 200;
/** Most listings of a folder that changes meanwhile; then the last one is used. */
const LIST_TRIES = 3;

/**
 * Lists the archives of all rolled files of one folder: one listing for all files, one match per name, then updated by
 * events if the folder has events.
 */
export class FolderListing {
  readonly #folder: string;
  readonly #steadyMs: () => number;
  readonly #names: (folder: string) => Promise<string[]>;
  readonly #patterns = new Map<string, Pattern>();
  readonly #entries = new Map<string, Entry>();
  #touched: Set<string> | 'all' = 'all';
  #listedAt = -Infinity;
  /** Whether events show every change in the folder. */
  hasEvents = false;
  #refreshing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(
    folder: string,
    steadyMs: () => number,
    names: (folder: string) => Promise<string[]> = readdir,
  ) {
    this.#folder = folder;
    this.#steadyMs = steadyMs;
    this.#names = names;
  }

  /** Adds an expression of archives. @throws Error the expression cannot be used */
  add(expression: string): void {
    if (this.#patterns.has(expression)) return;
    const pattern: Pattern = { matches: archivePattern(expression), names: new Set(), lists: new Map() };
    this.#patterns.set(expression, pattern);
    for (const [name, entry] of this.#entries) {
      if (!pattern.matches(name)) continue;
      entry.patterns = [...entry.patterns, pattern];
      pattern.names.add(name);
    }
    this.#touched = 'all';
  }

  /** Marks a name for the next look, after an event; null marks all names. */
  markChanged(name: string | null): void {
    if (this.#touched === 'all') return;
    if (name === null || this.#touched.size >= TOUCHED_NAMES) this.#touched = 'all';
    else this.#touched.add(name);
  }

  /** Returns whether the expression matches the name. */
  isArchive(expression: string, name: string): boolean {
    const pattern = this.#patterns.get(expression);
    return pattern !== undefined && this.#entryOf(name).patterns.includes(pattern);
  }

  /**
   * Returns the archives that match the expression, without `own`, oldest first; the same list as before when none of them
   * changed. @param fresh lists the folder now; else the listing may be as old as `POLLED_MS` without events @throws Error of node:fs
   */
  async archives(expression: string, own: string, fresh: boolean): Promise<readonly ArchiveFile[]> {
    if (fresh) this.#touched = 'all';
    const age = this.#steadyMs() - this.#listedAt;
    if (age >= (this.hasEvents ? WHOLE_MS : POLLED_MS)) this.#touched = 'all';
    if (this.#touched === 'all' || this.#touched.size > 0 || this.#refreshing !== undefined)
      await this.#refresh();
    const pattern = this.#patterns.get(expression);
    const list = pattern?.lists.get(own) ?? this.#listOf(pattern?.names ?? [], own);
    pattern?.lists.set(own, list);
    return list;
  }

  #listOf(names: Iterable<string>, own: string): ArchiveFile[] {
    return [...names]
      .flatMap((name) => (name === own ? [] : (this.#entries.get(name)?.about ?? [])))
      .sort((a, b) => a.modifiedAt - b.modifiedAt || (a.name < b.name ? 1 : -1));
  }

  /** Refreshes the listing. One refresh runs at a time; all callers during it share the next one. */
  #refresh(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#refreshing === undefined) return (this.#refreshing = this.#run());
    this.#next = this.#refreshing
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return (this.#refreshing = this.#run());
      });
    return this.#next;
  }

  async #run(): Promise<void> {
    const touched = this.#touched;
    this.#touched = new Set();
    try {
      if (touched === 'all') await this.#listAll();
      else await this.#lookAt([...touched]);
    } catch (error) {
      this.#touched = 'all';
      throw error;
    } finally {
      this.#refreshing = undefined;
    }
  }

  async #listAll(): Promise<void> {
    const startedAt = this.#steadyMs();
    let found = await this.#contents();
    for (let tries = 1; ; tries += 1) {
      const present = new Set(found.names);
      for (const name of this.#entries.keys()) if (!present.has(name)) this.#forget(name);
      await this.#lookAt(found.names.filter((name) => this.#entryOf(name).patterns.length > 0));
      if (tries === LIST_TRIES) break;
      // List again after a change: an archive renamed before its stats would be listed twice, or not at all.
      const before = found;
      found = await this.#contents();
      if (isDeepStrictEqual(found, before)) break;
    }
    this.#listedAt = startedAt;
  }

  /** Returns the folder's names and the time of its last change; a rename changes one of them. */
  async #contents(): Promise<{ readonly changedAt: number; readonly names: readonly string[] }> {
    const { mtimeMs } = await stat(this.#folder);
    return { changedAt: mtimeMs, names: await this.#names(this.#folder) };
  }

  async #lookAt(names: readonly string[]): Promise<void> {
    for (const [index, name] of names.entries()) {
      if (index % ENTRIES_A_TURN === ENTRIES_A_TURN - 1)
        await new Promise((resolve) => setImmediate(resolve));
      const entry = this.#entryOf(name);
      if (entry.patterns.length === 0) continue;
      const path = join(this.#folder, name);
      const about = await this.#stat(path);
      if (about === undefined && name.includes(NO_UTF8)) this.#keep(entry, unnamed(name, path));
      else if (about === undefined) this.#forget(name);
      else if (!about.isFile()) this.#keep(entry, undefined);
      else if (entry.stamp === undefined || !isSame(about, entry.stamp))
        this.#keep(entry, archiveFile(name, path, about), stampOf(about));
    }
  }

  #keep(entry: Entry, about: ArchiveFile | undefined, stamp?: Stamp): void {
    if (about === entry.about) return;
    entry.about = about;
    if (stamp === undefined) delete entry.stamp;
    else entry.stamp = stamp;
    for (const { lists } of entry.patterns) lists.clear();
  }

  /**
   * Returns undefined for a name removed meanwhile. A synchronous call costs a tenth on a local file system.
   */
  #stat(path: string): Stats | Promise<Stats | undefined> | undefined {
    if (!this.hasEvents) return stat(path).catch(() => undefined);
    try {
      return statSync(path, { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  }

  #entryOf(name: string): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      if (this.#entries.size >= KNOWN_NAMES) this.#forgetAll();
      const patterns = [...this.#patterns.values()].filter(({ matches }) => matches(name));
      entry = { patterns: patterns.length === 0 ? NO_PATTERNS : patterns, about: undefined };
      this.#entries.set(name, entry);
      for (const pattern of patterns) pattern.names.add(name);
    }
    return entry;
  }

  #forgetAll(): void {
    this.#entries.clear();
    for (const { names, lists } of this.#patterns.values()) {
      names.clear();
      lists.clear();
    }
    this.#touched = 'all';
  }

  #forget(name: string): void {
    for (const { names, lists } of this.#entries.get(name)?.patterns ?? []) {
      names.delete(name);
      lists.clear();
    }
    this.#entries.delete(name);
  }
}

/** An archive that cannot be opened, because its name is not UTF-8; reading it fails, which is told. */
const unnamed = (name: string, path: string): ArchiveFile => {
  const signature = `unnamed:${name}:0:0:0`;
  return { name, path, inode: `unnamed:${name}`, size: 0, modifiedAt: 0, changedAt: 0, signature };
};

function archiveFile(name: string, path: string, about: Stats): ArchiveFile {
  const { dev, ino, size, mtimeMs, ctimeMs } = about;
  const signature = `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  return { name, path, inode: `${dev}:${ino}`, size, modifiedAt: mtimeMs, changedAt: ctimeMs, signature };
}
