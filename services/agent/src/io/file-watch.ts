import type { Hash } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import { basename } from 'node:path';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import type { Version } from '@sentinel-node/contracts';
import type { AgentClock } from '../clock.ts';
import type { ArchiveMemory, FileMemory } from '../domain/memory.ts';
import type { Observation } from '../domain/observation.ts';
import { NOTHING } from '../domain/step.ts';
import { isRacy, REREAD_MS, type PollingReason } from '../domain/watching.ts';
import { attributesOf, attributesOfOther } from './attributes.ts';
import { ArchiveWatch, SETTLE_MS, type Rotation } from './archive-watch.ts';
import type { FolderListing } from './folder-listing.ts';
import type { FileReader } from './file-reader.ts';
import { PoolClosedError } from './hash-pool.ts';
import { lookAt, NotRegularError, type Standing } from './kind.ts';

/** Up to this size the whole prefix of a followed file is read at every change. */
const REREAD_BYTES = 64 * 1_048_576;
/** Archives are looked at this often. */
const ARCHIVE_LOOK_MS = 1_000;
/** An archive that grows is waited for at most this long. */
const ROTATION_MS = 3_600_000;

/** A file that is replaced during each look is looked at so often before what was seen has to do. */
const REPLACED_TRIES = 3;

export interface WatchedFile {
  readonly path: string;
  readonly frequency: 'PROBE' | 'FOLLOW';
  /** Of a rolled file: the expression of its archives, RE2, and what is in its folder, shared with the other files there. */
  readonly rolled?: { readonly expression: string; readonly listing: FolderListing } | undefined;
  readonly reader: FileReader;
  /** What is seen has attributes too; absent: it has none. */
  readonly attributes?: boolean;
  /** In (0, 1]: when the file is read again for the first time, as a share of the time between two such reads. */
  readonly share: number;
}

/** What the agent knows of the file. */
export interface Known {
  readonly memory: FileMemory;
  readonly archives: readonly ArchiveMemory[];
}

export interface Look {
  /** What is there now; undefined: nothing changed since the last look, or not settled yet. */
  readonly seen?: Observation;
  /** What stands at the path now is not known yet: something is under way, or only the archives were looked at. */
  readonly unsettled: boolean;
  /** What is known of the archives from now on, when that is something else than before. */
  readonly archives?: readonly ArchiveMemory[];
  /** Names of old archives that are gone without a rotation. */
  readonly removed: readonly string[];
  /** Why archives cannot be read. */
  readonly faults: readonly string[];
  /** The file changed while it was read, however often that was tried. */
  readonly torn?: boolean;
}

const SAME: Look = { unsettled: false, removed: [], faults: [] };
const UNSETTLED: Look = { ...SAME, unsettled: true };

/** Looks at one file; reads it only when its size, times or inode changed, or when the last full read is too old. */
export class FileWatch {
  readonly #file: WatchedFile;
  #archives: ArchiveWatch | undefined;
  readonly #clock: Pick<AgentClock, 'steadyMs' | 'wallMs'>;
  #signature: Signature | undefined;
  #what: string | undefined;
  #target: Buffer | undefined;
  /** The file changed so shortly before the last look that its times may not tell of another change. */
  #racy = false;
  /** Looks in a row during which the file was replaced. */
  #replaced = 0;
  #rereadAt: number | undefined;
  /** Of the file as it was kept last, and as it was seen last. */
  #inode: number | undefined;
  #seenInode: number | undefined;
  #archivesAt = -Infinity;
  #archivesPending = false;
  #running: { hash: Hash; length: number } | undefined;
  /** Steady ms at which the look under way began. */
  #startedMs = 0;
  #unsettledSince: number | undefined;
  /** Nothing, or no regular file, is there, for longer than a rotation takes. */
  #isGone = false;

  constructor(file: WatchedFile, clock: Pick<AgentClock, 'steadyMs' | 'wallMs'>) {
    this.#file = file;
    this.#clock = clock;
  }

  /** The next look reads again, because what the last one saw could not be kept. */
  invalidate(): void {
    this.#signature = undefined;
    this.#seenInode = this.#inode;
    this.#running = undefined;
    this.#archivesAt = -Infinity;
    this.#archives?.notKept();
  }

  /** What the last look saw is durable: the next one is compared with that. */
  kept(): void {
    this.#inode = this.#seenInode;
    this.#archives?.kept();
  }

  /** The next look looks at the archives. */
  touchArchives(): void {
    this.#archivesAt = -Infinity;
  }

  /** Whether only another look in a short while tells what is there. */
  get isPending(): boolean {
    return (this.#unsettledSince !== undefined && !this.#isGone) || this.#racy || this.#archivesPending;
  }

  /** Why events in its folder do not tell of all that happens to the file. */
  get blindSpot(): PollingReason | undefined {
    if (this.#what !== undefined && this.#what !== 'file') return 'LINK';
    return (this.#signature?.nlink ?? 1) > 1 ? 'HARD_LINKS' : undefined;
  }

  /** A quick look at a file on a local file system: whether it is as it was, and nothing else is due. */
  isUnchanged(): boolean {
    const { path, rolled } = this.#file;
    const before = this.#signature;
    if (before === undefined || rolled !== undefined || this.#what !== 'file') return false;
    if (this.isPending || this.#unsettledSince !== undefined) return false;
    if (this.#clock.steadyMs() >= (this.#rereadAt ?? 0)) return false;
    try {
      const now = lstatSync(path, { throwIfNoEntry: false });
      return now !== undefined && now.isFile() && isSame(now, before);
    } catch {
      return false; // the look that follows tells why
    }
  }

  async look(known: Known, force: boolean): Promise<Look> {
    this.#startedMs = this.#clock.steadyMs();
    try {
      return await this.#look(known, force);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return this.#gone(NOTHING);
      if (error instanceof NotRegularError) return this.#gone(error.what);
      if (error instanceof PoolClosedError) return UNSETTLED;
      this.invalidate();
      return {
        ...SAME,
        seen: { kind: 'error', code: code ?? 'UNREADABLE', message: messageOf(error).slice(0, 500) },
      };
    }
  }

  async #look(known: Known, force: boolean): Promise<Look> {
    const { path, rolled } = this.#file;
    if (rolled !== undefined) this.#archives ??= this.#archiveWatch(rolled);
    const standing = await lookAt(path, this.#file.reader.isLocal);
    const { about, what, target } = standing;
    const racy = isRacy(about.ctimeMs, this.#clock.wallMs());
    const old = this.#clock.steadyMs() >= (this.#rereadAt ?? 0);
    const isThere = what === this.#what && isEqual(target, this.#target);
    const isKnown = this.#signature !== undefined && isSame(about, this.#signature) && isThere;
    const same = isKnown && !this.#racy && !old && !force && this.#unsettledSince === undefined;
    const checked = this.#unsettledSince === undefined ? await this.#lookAtArchives(known) : SAME;
    if (same) return checked.seen === undefined ? checked : { ...checked, unsettled: true };
    // What the archives are is told by the rotation, if there was one: it has to find those that came with it.
    const areChanged = checked.seen !== undefined;
    const look = await this.#read(known, about, what, { whole: old || force, areChanged });
    // The file itself is looked at by the next look.
    if (areChanged && look.seen?.kind !== 'rolled') return { ...checked, unsettled: true };
    const isReplaced = look.seen !== undefined && (await this.#wasReplaced(about, look.seen));
    if (isReplaced) this.#racy = true; // so that the next look comes soon, and reads
    if (isReplaced || look.seen === undefined) {
      this.#archives?.notKept();
      return UNSETTLED;
    }
    this.#signature = signatureOf(about);
    this.#seenInode = about.ino;
    this.#what = what;
    this.#target = target;
    this.#racy = racy;
    this.#isGone = false;
    this.#unsettledSince = undefined;
    const found = this.#withAttributes(look, standing);
    return look.seen.kind === 'rolled' ? found : { ...checked, ...found, removed: checked.removed };
  }

  #withAttributes(look: Look, { about, target }: Standing): Look {
    const { seen } = look;
    if (this.#file.attributes !== true || (seen?.kind !== 'file' && seen?.kind !== 'rolled')) return look;
    return { ...look, seen: { ...seen, attributes: attributesOf(about, target) } };
  }

  /**
   * Whether another file stands at the path than before it was read: the one's stats and the other's bytes would make a
   * rotation that was reported already look like a new one. A rolled file that was cut since it was read is another, too: its
   * archives are younger than its bytes. After some such looks what was read has to do.
   */
  async #wasReplaced({ dev, ino }: Stats, seen: Observation): Promise<boolean> {
    const { path, reader, rolled } = this.#file;
    const now = await lookAt(path, reader.isLocal).catch(() => undefined);
    const length = rolled !== undefined && 'now' in seen ? (seen.now?.length ?? 0) : 0;
    const isReplaced = now?.about.ino !== ino || now.about.dev !== dev || now.about.size < length;
    this.#replaced = isReplaced ? this.#replaced + 1 : 0;
    return isReplaced && this.#replaced < REPLACED_TRIES;
  }

  /** Here, so that an expression that cannot be used is reported as what is wrong with this file. */
  #archiveWatch({ expression, listing }: NonNullable<WatchedFile['rolled']>): ArchiveWatch {
    listing.add(expression);
    return new ArchiveWatch(
      (fresh) => listing.archives(expression, basename(this.#file.path), fresh),
      () => this.#clock.steadyMs(),
    );
  }

  #gone(what: string): Look {
    this.invalidate();
    this.#what = undefined;
    this.#racy = false;
    this.#isGone = this.#unsettledFor() >= SETTLE_MS;
    if (!this.#isGone) return UNSETTLED;
    const attributes = this.#file.attributes === true ? attributesOfOther(what) : undefined;
    return { ...SAME, seen: { kind: 'missing', what, ...(attributes === undefined ? {} : { attributes }) } };
  }

  /** Below 0 at the first such look. A look that takes long sees what was there when it began. */
  #unsettledFor(): number {
    this.#unsettledSince ??= this.#clock.steadyMs();
    return this.#startedMs - this.#unsettledSince;
  }

  /** @param areChanged archives were: only a rotation that left what was last reported can be the cause */
  async #read(
    { memory, archives }: Known,
    about: Stats,
    what: string,
    { whole, areChanged }: { readonly whole: boolean; readonly areChanged: boolean },
  ): Promise<Look> {
    const { last } = memory;
    const resume = this.#resumable(about, whole);
    const { path, frequency, reader } = this.#file;
    const keepsRunning = frequency === 'FOLLOW' && about.size > REREAD_BYTES;
    const hashed = await reader.read(path, last?.length ?? null, { resume, keepsRunning, about });
    if (resume === undefined) this.#readWhole();
    const { running } = hashed;
    this.#running = running === undefined ? undefined : { hash: running, length: hashed.now.length };
    const prefix = hashed.prefix ?? (resume === undefined ? null : last);
    if (last !== null && this.#archives !== undefined) {
      const rotated = await this.#rotation(archives, last, prefix, { about, now: hashed.now, areChanged });
      if (rotated !== undefined) return rotated;
    }
    const archivesNow = last === null ? await this.#archives?.all() : undefined;
    const seen = { kind: 'file', what, now: hashed.now, prefix, reread: resume === undefined } as const;
    const torn = hashed.torn ? { torn: true } : {};
    return { ...SAME, ...torn, seen: archivesNow === undefined ? seen : { ...seen, archivesNow } };
  }

  #readWhole(): void {
    const share = this.#rereadAt === undefined ? this.#file.share : 1;
    this.#rereadAt = this.#clock.steadyMs() + REREAD_MS * share;
  }

  /** A followed file of the same inode that only grew can go on from its running hash for a while. */
  #resumable(about: Stats, whole: boolean): { running: Hash; length: number } | undefined {
    const running = this.#running;
    if (whole || running === undefined || this.#file.frequency !== 'FOLLOW') return undefined;
    if (about.size <= REREAD_BYTES || about.ino !== this.#seenInode || about.size < running.length)
      return undefined;
    return { running: running.hash, length: running.length };
  }

  /** undefined: the file was not rotated. */
  async #rotation(
    archives: readonly ArchiveMemory[],
    last: Version,
    prefix: Version | null,
    {
      about,
      now,
      areChanged,
    }: { readonly about: Stats; readonly now: Version; readonly areChanged: boolean },
  ): Promise<Look | undefined> {
    const replaced = this.#inode !== undefined && about.ino !== this.#inode;
    const sure = replaced || Math.min(about.size, now.length) < last.length;
    const differs = prefix !== null && prefix.hash !== last.hash;
    if (this.#archives === undefined || !(sure || differs)) return undefined;
    const rotation = await this.#archives.rotation(archives, last, now);
    if (areChanged && !rotation.complete) return undefined;
    if (!sure && rotation.archives.length === 0 && !rotation.growing) return undefined;
    if (!this.#isOver(rotation)) return UNSETTLED;
    this.#archives.rotated(rotation);
    const seen: Observation = {
      kind: 'rolled',
      now,
      prefix: rotation.prefix,
      archives: rotation.archives,
      archivesNow: rotation.known,
    };
    return { ...SAME, seen, faults: rotation.faults };
  }

  #isOver({ complete, growing }: Rotation): boolean {
    return complete || this.#unsettledFor() >= (growing ? ROTATION_MS : SETTLE_MS);
  }

  async #lookAtArchives({ memory, archives }: Known): Promise<Look> {
    const nowMs = this.#clock.steadyMs();
    if (this.#archives === undefined || memory.last === null || nowMs - this.#archivesAt < ARCHIVE_LOOK_MS)
      return SAME;
    this.#archivesAt = nowMs;
    const { known, changed, removed, pending } = await this.#archives.check(archives, memory.last);
    this.#archivesPending = pending;
    if (changed.length === 0)
      return { ...SAME, removed, ...(known === undefined ? {} : { archives: known }) };
    return { ...SAME, seen: { kind: 'archive-changed', archives: changed, archivesNow: known ?? [] } };
  }
}

/** What changes with every change of a file, and how many names it has. */
type Signature = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs' | 'nlink'>;

/** Without the rest of the stats, which is much for ten thousand files. */
const signatureOf = ({ dev, ino, size, mtimeMs, ctimeMs, nlink }: Stats): Signature => {
  return { dev, ino, size, mtimeMs, ctimeMs, nlink };
};

const isSame = (a: Signature, b: Signature): boolean =>
  a.ctimeMs === b.ctimeMs &&
  a.mtimeMs === b.mtimeMs &&
  a.size === b.size &&
  a.ino === b.ino &&
  a.dev === b.dev;

const isEqual = (a: Buffer | undefined, b: Buffer | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.equals(b);
