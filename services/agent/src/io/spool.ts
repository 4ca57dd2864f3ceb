import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '@sentinel-node/contracts';
import { NO_MEMORY, type FileMemory } from '../domain/memory.ts';

/** Reports of one file that may wait; above it the file is not looked at until some are accepted. */
export const SPOOL_REPORTS_PER_FILE = 1_000;

/** A report that waits, with what is remembered once it is made. */
export interface Spooled {
  readonly report: Report;
  readonly memory: FileMemory;
}

const ACCEPTED = 'accepted.json';
const NAME = /^report-(\d{16})\.json$/;
const nameOf = (sequence: number): string => `report-${String(sequence).padStart(16, '0')}.json`;

/**
 * What waits for the server, and what the agent remembers, of one file: a folder on disk, so that neither a restart nor
 * a long outage loses a version. A report is on disk, synced, before it counts as made.
 */
export class FileSpool {
  readonly #folder: string;
  #memory: FileMemory;
  /** After the last report answered 202. */
  #accepted: FileMemory;
  #waiting: Spooled[];

  private constructor(folder: string, accepted: FileMemory, waiting: Spooled[]) {
    this.#folder = folder;
    this.#accepted = accepted;
    this.#memory = waiting.at(-1)?.memory ?? accepted;
    this.#waiting = waiting;
  }

  /** @throws Error of node:fs; SyntaxError when a file of the spool was tampered with */
  static async open(folder: string): Promise<FileSpool> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(folder)).sort();
    for (const name of names.filter((one) => one.endsWith('.part'))) await rm(join(folder, name));
    const waiting: Spooled[] = [];
    for (const name of names.filter((one) => NAME.test(one))) {
      waiting.push(JSON.parse(await readFile(join(folder, name), 'utf8')) as Spooled);
    }
    const kept = names.includes(ACCEPTED)
      ? (JSON.parse(await readFile(join(folder, ACCEPTED), 'utf8')) as FileMemory)
      : NO_MEMORY;
    // A crash between the two writes of `accepted` leaves a report that is answered already.
    return new FileSpool(
      folder,
      kept,
      waiting.filter(({ report }) => report.sequence > kept.sequence),
    );
  }

  get memory(): FileMemory {
    return this.#memory;
  }
  get waiting(): readonly Spooled[] {
    return this.#waiting;
  }
  get full(): boolean {
    return this.#waiting.length >= SPOOL_REPORTS_PER_FILE;
  }

  /** Takes over what the server knows, when nothing is remembered here. */
  async adopt(memory: FileMemory): Promise<void> {
    await this.#write(ACCEPTED, memory);
    this.#memory = memory;
    this.#accepted = memory;
  }

  /** Keeps a report until it is answered. @throws Error of node:fs (ENOSPC, …): then nothing has changed */
  async push(entry: Spooled): Promise<void> {
    await this.#write(nameOf(entry.report.sequence), entry);
    this.#waiting.push(entry);
    this.#memory = entry.memory;
  }

  /** The oldest report was answered 202. */
  async accepted(): Promise<void> {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return;
    await this.#write(ACCEPTED, oldest.memory);
    this.#accepted = oldest.memory;
    await rm(join(this.#folder, nameOf(oldest.report.sequence)), { force: true });
    this.#waiting.shift();
  }

  /**
   * The oldest report was refused for ever. It and what builds on it are set aside; the file goes on from the last
   * version answered 202, with sequences that were never used.
   */
  async refused(): Promise<void> {
    const aside = this.#waiting;
    this.#waiting = [];
    this.#memory = { ...this.#accepted, sequence: this.#memory.sequence };
    await this.#write(ACCEPTED, this.#memory);
    for (const { report } of aside) {
      const name = nameOf(report.sequence);
      await rename(join(this.#folder, name), join(this.#folder, `refused-${name}`));
    }
  }

  async #write(name: string, value: unknown): Promise<void> {
    const part = join(this.#folder, `${name}.part`);
    const handle = await open(part, 'w', 0o600);
    try {
      await handle.writeFile(JSON.stringify(value));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, join(this.#folder, name));
  }
}
