import type { Hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { Version } from '@sentinel-node/contracts';
import type { FileMemory } from '../domain/memory.ts';
import type { Observation } from '../domain/observation.ts';
import { archivePattern } from './archives.ts';
import { hashFile } from './hash-file.ts';
import { changedArchive, newestArchive, newArchives, readRotation } from './rotation.ts';

/** A path counts as gone, and a rotation as without an archive, only when that lasts this long. */
export const SETTLE_MS = 2_000;
/** Up to this size the whole prefix of a followed file is read at every change. */
const REREAD_BYTES = 64 * 1_048_576;
/** At the latest after this the whole file is read again, whatever its times say. */
const REREAD_MS = 600_000;

export interface WatchedFile {
  readonly path: string;
  readonly frequency: 'PROBE' | 'FOLLOW';
  /** RE2; undefined: not rolled. */
  readonly rolledPattern: string | undefined;
}

/** Looks at one file; reads it only when its size, times or inode changed, or when the last full read is too old. */
export class FileWatch {
  readonly #file: WatchedFile;
  readonly #isArchive: ((name: string) => boolean) | undefined;
  readonly #now: () => number;
  #signature: string | undefined;
  #inode: number | undefined;
  #fullReadAt = 0;
  #running: { hash: Hash; length: number } | undefined;
  #unsettledSince: number | undefined;
  #archiveSignature: string | undefined;

  constructor(file: WatchedFile, now: () => number) {
    this.#file = file;
    this.#isArchive = file.rolledPattern === undefined ? undefined : archivePattern(file.rolledPattern);
    this.#now = now;
  }

  /** The next look reads again, because what the last one saw could not be kept. */
  invalidate(): void {
    this.#signature = undefined;
    this.#archiveSignature = undefined;
  }

  /** What is there now; undefined: nothing changed since the last look, or not settled yet. */
  async look(memory: FileMemory, force: boolean): Promise<Observation | undefined> {
    try {
      return await this.#look(memory, force);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return this.#gone();
      this.invalidate();
      return { kind: 'error', code: code ?? 'UNREADABLE', message: message.slice(0, 500) };
    }
  }

  async #look(memory: FileMemory, force: boolean): Promise<Observation | undefined> {
    const about = await stat(this.#file.path);
    if (!about.isFile()) return this.#gone();
    const archive = await this.#lookAtArchive(memory);
    if (archive !== undefined) return archive;
    const signature = signatureOf(about);
    const old = this.#now() - this.#fullReadAt >= REREAD_MS;
    if (signature === this.#signature && !old && !force && this.#unsettledSince === undefined)
      return undefined;
    const seen = await this.#read(memory, about, old || force);
    if (seen !== undefined) {
      this.#signature = signature;
      this.#inode = about.ino;
      this.#unsettledSince = undefined;
    }
    return seen;
  }

  #gone(): Observation | undefined {
    this.invalidate();
    return this.#settled() ? { kind: 'missing' } : undefined;
  }

  #settled(): boolean {
    this.#unsettledSince ??= this.#now();
    return this.#now() - this.#unsettledSince >= SETTLE_MS;
  }

  async #read(memory: FileMemory, about: Stats, whole: boolean): Promise<Observation | undefined> {
    const length = memory.last?.length ?? null;
    const resume = this.#resumable(about, whole);
    const hashed = await hashFile(this.#file.path, length, resume);
    if (resume === undefined) this.#fullReadAt = this.#now();
    this.#running = { hash: hashed.running, length: hashed.now.length };
    const prefix = hashed.prefix ?? (resume === undefined ? null : memory.last);
    if (memory.last !== null && (await this.#rotated(memory, memory.last, prefix, about))) {
      const rotation = await readRotation(this.#file.path, this.#archivesMatch, memory, hashed.now);
      return rotation.complete || this.#settled() ? rotation.observation : undefined;
    }
    const first = memory.last === null && this.#isArchive !== undefined;
    const newest = first ? await newestArchive(this.#file.path, this.#archivesMatch) : undefined;
    return {
      kind: 'file',
      now: hashed.now,
      prefix,
      reread: resume === undefined,
      ...(newest === undefined ? {} : { newest }),
    };
  }

  get #archivesMatch(): (name: string) => boolean {
    return this.#isArchive ?? (() => false);
  }

  /** A followed file of the same inode that only grew can go on from its running hash for a while. */
  #resumable(about: Stats, whole: boolean): { running: Hash; length: number } | undefined {
    const running = this.#running;
    if (whole || running === undefined || this.#file.frequency !== 'FOLLOW') return undefined;
    if (about.size <= REREAD_BYTES || about.ino !== this.#inode || about.size < running.length)
      return undefined;
    return { running: running.hash, length: running.length };
  }

  async #rotated(memory: FileMemory, last: Version, prefix: Version | null, about: Stats): Promise<boolean> {
    if (this.#isArchive === undefined) return false;
    const replaced = this.#inode !== undefined && about.ino !== this.#inode;
    const shorter = about.size < last.length;
    const differs = prefix !== null && prefix.hash !== last.hash;
    if (replaced || shorter) return true;
    return differs && (await newArchives(this.#file.path, this.#isArchive, memory.archive)).length > 0;
  }

  async #lookAtArchive(memory: FileMemory): Promise<Observation | undefined> {
    if (this.#isArchive === undefined || memory.archive === null) return undefined;
    const seen = await changedArchive(
      this.#file.path,
      this.#isArchive,
      memory.archive,
      this.#archiveSignature,
    );
    this.#archiveSignature = seen.signature;
    return seen.changed === undefined ? undefined : { kind: 'archive-changed', newest: seen.changed };
  }
}

const signatureOf = (about: Stats): string => `${about.ino}:${about.size}:${about.mtimeMs}:${about.ctimeMs}`;
