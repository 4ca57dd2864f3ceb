import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ArchiveMemory, FileMemory } from '../domain/memory.ts';
import { merge } from '../domain/merge.ts';
import { seal, writeWhole } from './sealed.ts';
import {
  acceptedName,
  ARCHIVES,
  nameOf,
  pruneAside,
  readFolder,
  readReport,
  type Spooled,
} from './spool-folder.ts';

export type { Spooled } from './spool-folder.ts';

/** Reports of one file that may wait; above it only what can be merged into the newest is kept. */
export const SPOOL_REPORTS_PER_FILE = 10_000;
/** From here on steps of one kind share a report, so that days fit. */
const MERGE_FROM_REPORTS = 100;
/** Versions of a report that is merged; each merge writes it anew. */
const MERGED_VERSIONS = 100;
/** All reports of all files. */
export const SPOOL_BYTES = 1_073_741_824;

/** Bytes that the spools of an agent hold together. */
export interface SpoolRoom {
  bytes: number;
  readonly maxBytes: number;
}

export interface Waiting {
  readonly sequence: number;
  /** ISO 8601, by the agent's clock. */
  readonly timestamp: string;
  readonly bytes: number;
}

/** What became of a report: `kept` with the versions that no report tells any more, or not kept because it is stale or there is no room. */
export type Pushed =
  { readonly kept: true; readonly dropped: number } | { readonly kept: false; readonly full: boolean };

/**
 * What waits for the server, and what the agent remembers, of one file: a folder on disk, so that neither a restart nor
 * a long outage loses a version. A report is on disk, synced, before it counts as made. Taking an answer needs no room
 * on the disk: the report that was answered last becomes the memory by a rename.
 */
export class FileSpool {
  readonly #folder: string;
  readonly #room: SpoolRoom;
  #memory: FileMemory;
  /** After the last report answered 202. */
  #accepted: FileMemory;
  #archives: readonly ArchiveMemory[];
  #waiting: Waiting[];
  /** The newest report while it was never sent; it can take more steps. */
  #tail: Spooled | undefined;
  /** Sequence of a report that is being written anew; it is not read meanwhile. */
  #writing: number | undefined;
  #closed = false;
  /** What was found broken, and set aside, when the folder was opened. */
  readonly broken: readonly string[];

  private constructor(folder: string, room: SpoolRoom, contents: Awaited<ReturnType<typeof readFolder>>) {
    this.#folder = folder;
    this.#room = room;
    this.#accepted = contents.accepted;
    this.#memory = contents.waiting.at(-1)?.entry.memory ?? contents.accepted;
    this.#archives = contents.archives;
    this.#waiting = contents.waiting.map(({ sequence, bytes, entry }) => {
      return { sequence, bytes, timestamp: entry.report.timestamp };
    });
    this.broken = contents.broken;
    for (const { bytes } of this.#waiting) room.bytes += bytes;
  }

  /** @throws Error of node:fs */
  static async open(
    folder: string,
    room: SpoolRoom = { bytes: 0, maxBytes: SPOOL_BYTES },
  ): Promise<FileSpool> {
    return new FileSpool(folder, room, await readFolder(folder));
  }

  get memory(): FileMemory {
    return this.#memory;
  }
  get archives(): readonly ArchiveMemory[] {
    return this.#archives;
  }
  get waiting(): readonly Waiting[] {
    return this.#waiting;
  }
  get acceptedSequence(): number {
    return this.#accepted.sequence;
  }

  /** Takes over what the server knows. @throws Error of node:fs */
  async adopt(memory: FileMemory): Promise<void> {
    const old = this.#accepted.sequence;
    this.#memory = memory;
    this.#accepted = memory;
    await writeWhole(join(this.#folder, acceptedName(memory.sequence)), seal(memory));
    if (old !== memory.sequence) rmSync(join(this.#folder, acceptedName(old)), { force: true });
  }

  /** @throws Error of node:fs */
  async keepArchives(archives: readonly ArchiveMemory[]): Promise<void> {
    await writeWhole(join(this.#folder, ARCHIVES), seal(archives));
    this.#archives = archives;
  }

  /**
   * Keeps a report until it is answered. `from` is the memory that the report was made from: when another one counts by
   * now, the report is not kept.
   * @throws Error of node:fs (ENOSPC, …): then nothing has changed
   */
  async push(entry: Spooled, from: FileMemory): Promise<Pushed> {
    const full = this.#waiting.length >= SPOOL_REPORTS_PER_FILE || this.#room.bytes >= this.#room.maxBytes;
    const newest = this.#waiting.at(-1);
    const tail = this.#tail;
    const merged =
      tail === undefined || this.#waiting.length < MERGE_FROM_REPORTS
        ? undefined
        : merge(tail, entry, MERGED_VERSIONS, full);
    if (merged !== undefined && newest !== undefined) {
      return this.#write(merged.entry, newest.sequence, from, merged.dropped);
    }
    return full ? { kept: false, full } : this.#write(entry, entry.report.sequence, from, 0);
  }

  async #write(entry: Spooled, sequence: number, from: FileMemory, dropped: number): Promise<Pushed> {
    const text = seal(entry);
    if (this.#memory !== from) return { kept: false, full: false };
    this.#writing = sequence;
    try {
      await writeWhole(join(this.#folder, nameOf(sequence)), text);
    } finally {
      this.#writing = undefined;
    }
    // While the file was written, the server's answer may have set aside or renumbered what the report builds on.
    const replaces = this.#waiting.at(-1)?.sequence === sequence;
    if (this.#memory !== from) {
      if (!replaces) rmSync(join(this.#folder, nameOf(sequence)), { force: true });
      return { kept: false, full: false };
    }
    if (replaces) this.#room.bytes -= this.#waiting.pop()?.bytes ?? 0;
    this.#waiting.push({ sequence, bytes: text.length, timestamp: entry.report.timestamp });
    this.#room.bytes += text.length;
    this.#memory = { ...entry.memory, sequence };
    this.#tail = { report: entry.report, memory: this.#memory };
    return { kept: true, dropped };
  }

  /**
   * The reports from the `from`-th on, at most `count` of them, oldest first; from now on they count as sent.
   * @throws Error one of them is gone, cannot be read or is not whole: the folder has to be opened anew
   */
  read(from: number, count: number): Spooled[] {
    const wanted = this.#waiting.slice(from, from + count).filter((one) => one.sequence !== this.#writing);
    if (from + wanted.length >= this.#waiting.length) this.#tail = undefined;
    return wanted.map(({ sequence }) => {
      const read = readReport(this.#folder, sequence);
      if (read === undefined) throw new Error(`${nameOf(sequence)} is not whole`);
      return read.entry;
    });
  }

  /** All reports up to this one were answered. @throws Error of node:fs: then they count as answered until the end of the process */
  accepted(report: Spooled): void {
    if (this.#closed) return;
    const done = this.#waiting.filter(({ sequence }) => sequence <= report.report.sequence);
    this.#waiting = this.#waiting.slice(done.length);
    for (const { bytes } of done) this.#room.bytes -= bytes;
    const old = this.#accepted.sequence;
    const { sequence } = report.report;
    this.#accepted = report.memory;
    renameSync(join(this.#folder, nameOf(sequence)), join(this.#folder, acceptedName(sequence)));
    for (const name of [acceptedName(old), ...done.map((one) => nameOf(one.sequence))]) {
      if (name !== acceptedName(sequence)) rmSync(join(this.#folder, name), { force: true });
    }
  }

  /**
   * The oldest report was refused for ever. It and what builds on it are set aside; the file goes on from the last
   * version answered 202. @throws Error of node:fs
   */
  async refused(): Promise<void> {
    if (this.#closed) return;
    const aside = this.#waiting;
    this.#waiting = [];
    this.#tail = undefined;
    this.#memory = { ...this.#accepted };
    for (const { sequence, bytes } of aside) {
      this.#room.bytes -= bytes;
      const name = nameOf(sequence);
      renameSync(join(this.#folder, name), join(this.#folder, `refused-${name}`));
    }
    await pruneAside(this.#folder);
  }

  /**
   * Gives all that waits new sequences from `first` on, in order. The sequence is in the name alone, so that each step
   * is one rename, and a crash between two leaves the order as it is. `first` must lie below those that wait.
   * @throws Error of node:fs
   */
  renumber(first: number): void {
    this.#tail = undefined;
    const renumbered: Waiting[] = [];
    for (const one of this.#waiting) {
      const sequence = first + renumbered.length;
      renameSync(join(this.#folder, nameOf(one.sequence)), join(this.#folder, nameOf(sequence)));
      renumbered.push({ ...one, sequence });
    }
    this.#waiting = renumbered;
    this.#memory = { ...this.#memory, sequence: renumbered.at(-1)?.sequence ?? first };
  }

  /**
   * Lets go of the room that the reports take. An answer that comes later changes nothing: the folder may be another
   * spool's by then, which sends the reports again, and the server takes a sequence once.
   */
  close(): void {
    this.#closed = true;
    for (const { bytes } of this.#waiting) this.#room.bytes -= bytes;
    this.#waiting = [];
  }
}
