import type { Hash } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import { basename } from 'node:path';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import type { Version } from '@sentinel-node/contracts';
import type { AgentClock } from '../clock.ts';
import type { ArchiveMemory, FileMemory } from '../domain/memory.ts';
import type { Observation } from '../domain/observation.ts';
import { NOTHING } from '../domain/step.ts';
import { CONFIRM_MS, isRacy, isRacyElsewhere, REREAD_MS, type PollingReason } from '../domain/watching.ts';
import { attributesOf, nonRegularAttributes } from './attributes.ts';
import { ArchiveWatch, GROW_MS, ROTATION_MS, SETTLE_MS, type Rotation } from './archive-watch.ts';
import type { FolderListing } from './folder-listing.ts';
import type { FileReader } from './file-reader.ts';
import type { Ahead } from './hash-pool.ts';
import { lookAt, NotRegularError, type Standing } from './kind.ts';
import { LARGE_BYTES, PoolClosedError } from './piece-reads.ts';
import { isSame, type Stamp } from './stamp.ts';

/** Interval between looks at archives, in ms. */
const ARCHIVE_LOOK_MS = 1_000;

/** Looks at a file that is replaced during each look, before the last result is used. */
const REPLACED_TRIES = 3;

export interface WatchedFile {
  readonly path: string;
  readonly frequency: 'PROBE' | 'FOLLOW';
  /** For a rolled file: the RE2 expression of its archives, and the listing that all files of the folder share. */
  readonly rolled?: { readonly expression: string; readonly listing: FolderListing } | undefined;
  readonly reader: FileReader;
  /** Whether observations contain attributes; default: false. */
  readonly attributes?: boolean;
  /**
   * Share in (0, 1] of `REREAD_MS` until the file's first whole read after the start, which spreads the reads of many
   * files.
   */
  readonly share: number;
}

/** The saved state of the file and its archives. */
export interface Known {
  readonly memory: FileMemory;
  readonly archives: readonly ArchiveMemory[];
}

export interface Look {
  /** The observation; undefined when nothing changed since the last look or the state is not settled. */
  readonly seen?: Observation;
  /** True when the file's state is still unknown: a change is in progress, or only the archives were checked. */
  readonly unsettled: boolean;
  /** The new list of known archives, when it changed. */
  readonly archives?: readonly ArchiveMemory[];
  /** Names of old archives that disappeared without a rotation. */
  readonly removed: readonly string[];
  /** Names of archives that are gone or changed while the file is not there. */
  readonly lost?: readonly string[];
  /** Why archives cannot be read, empty when all can be; undefined when this look does not show that. */
  readonly faults?: readonly string[] | undefined;
  /** The file changed during every attempt to read it. */
  readonly torn?: boolean;
}

const SAME: Look = { unsettled: false, removed: [] };
const UNSETTLED: Look = { ...SAME, unsettled: true };

/** A look after a rotation; without a rotation only the faults that the search met, as in `Look`. */
type Rotated = { readonly look: Look } | { readonly faults: Look['faults'] };

const NOT_ROTATED: Rotated = { faults: undefined };

/**
 * Looks at one file; reads the file only when its size, times or inode changed, or when the last whole read is too
 * old.
 */
export class FileWatch {
  readonly #file: WatchedFile;
  #archives: ArchiveWatch | undefined;
  readonly #clock: Pick<AgentClock, 'steadyMs' | 'wallMs'>;
  #signature: Signature | undefined;
  #what: string | undefined;
  #target: Buffer | undefined;
  /** The file changed so shortly before the last look that its times may hide another change. */
  #racy = false;
  /** Time of the file's last change by its own file system, and the steady time of the first look that saw it, in ms. */
  #changed = { timeMs: NaN, seenMs: 0 };
  /** Looks in a row during which the file was replaced. */
  #replaced = 0;
  /** The last look read another file than the one whose stats it has. */
  #readOther = false;
  #rereadAt: number | undefined;
  /** Steady time of the start of the last look that opened the file, in ms. */
  #openedMs = -Infinity;
  /** Inode of the file: as last saved, and as last seen. */
  #inode: number | undefined;
  #seenInode: number | undefined;
  #archivesAt = -Infinity;
  /** The archives were not compared since the first look or a rotation, or a change of them is in progress. */
  #archivesPending = false;
  #running: { hash: Hash; length: number } | undefined;
  /** Steady time of the current look's start, in ms. */
  #startedMs = 0;
  #unsettledSince: number | undefined;
  /** Steady time until which a rotation cannot be over: listing and reading until then would cost and find nothing. */
  #restUntil = -Infinity;
  #goneSince: number | undefined;
  /** The path has had no regular file for longer than a rotation takes. */
  #isGone = false;

  constructor(file: WatchedFile, clock: Pick<AgentClock, 'steadyMs' | 'wallMs'>) {
    this.#file = file;
    this.#clock = clock;
  }

  /** Makes the next look read again, because the last result could not be saved. */
  invalidate(): void {
    this.#signature = undefined;
    this.#seenInode = this.#inode;
    this.#running = undefined;
    this.#archivesAt = -Infinity;
    this.#archivesPending = false;
    this.#restUntil = -Infinity;
    this.#archives?.discardUnsaved();
  }

  /** Records that the last look's result is durable; the next look compares with it. */
  confirmSaved(): void {
    this.#inode = this.#seenInode;
    this.#archives?.confirmSaved();
  }

  /** Makes the next look check the archives. */
  touchArchives(): void {
    this.#archivesAt = -Infinity;
  }

  /** Whether another look soon is needed to know the file's state. */
  get isPending(): boolean {
    return this.isUnsettled || this.#racy;
  }

  /**
   * Whether the last look saw something that may pass, such as no file in the middle of a rotation or an archive that was
   * just written, and found nothing yet.
   */
  get isUnsettled(): boolean {
    return (this.#unsettledSince !== undefined && !this.#isGone) || this.#archivesPending;
  }

  /** Why events in the folder do not show every change of the file; undefined when they do. */
  get blindSpot(): PollingReason | undefined {
    if (this.#what !== undefined && this.#what !== 'file') return 'LINK';
    return (this.#signature?.nlink ?? 1) > 1 ? 'HARD_LINKS' : undefined;
  }

  /**
   * Checks quickly, for a local file, whether the file is unchanged and no other work is due. A small file that is due to be read
   * again is read for that: a look would cost three times as much.
   */
  isUnchanged({ last }: Pick<FileMemory, 'last'>): boolean {
    const { path, rolled } = this.#file;
    const before = this.#signature;
    if (before === undefined || rolled !== undefined || this.#what !== 'file') return false;
    if (this.isPending || this.#unsettledSince !== undefined) return false;
    const nowMs = this.#clock.steadyMs();
    const now = statsOfFile(path);
    if (now === undefined || !isSame(now, before)) return false;
    if (nowMs < (this.#rereadAt ?? 0)) return true;
    const read = last === null ? undefined : this.#file.reader.readNow(path, before.size);
    if (read === undefined || read.torn || !isSame(read.about, before)) return false;
    if (read.now.length !== last?.length || read.now.hash !== last.hash) return false;
    this.#openedMs = nowMs;
    this.#readWhole();
    return true;
  }

  /**
   * Looks for the first time, at a local file that a thread has read already.
   * @returns undefined when only `look` can tell
   */
  lookAhead({ memory: { last } }: Known, ahead: Ahead): Look | undefined {
    const { path, rolled } = this.#file;
    if (rolled !== undefined || this.#signature !== undefined || this.#unsettledSince !== undefined)
      return undefined;
    this.#startedMs = this.#clock.steadyMs();
    const about = statsOfFile(path);
    const now = about && ahead(about);
    if (about === undefined || now === undefined || (last !== null && last.length < now.length))
      return undefined;
    this.#readWhole();
    this.#keep({ about, what: 'file' });
    const prefix = last === null ? null : now;
    const seen = { kind: 'file', what: 'file', now, prefix, reread: true } as const;
    return this.#withAttributes({ ...SAME, seen }, { about, what: 'file' });
  }

  async look(known: Known, force: boolean): Promise<Look> {
    this.#startedMs = this.#clock.steadyMs();
    try {
      return await this.#look(known, force);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return this.#lookAtMissing(known, NOTHING);
      if (error instanceof NotRegularError) return this.#lookAtMissing(known, error.what);
      if (error instanceof PoolClosedError) return UNSETTLED;
      return this.#failed(error);
    }
  }

  #failed(error: unknown): Look {
    this.invalidate();
    return {
      ...SAME,
      seen: {
        kind: 'error',
        code: codeOf(error) ?? 'UNREADABLE',
        message: messageOf(error).slice(0, 500),
      },
    };
  }

  async #look(known: Known, force: boolean): Promise<Look> {
    const { path, rolled } = this.#file;
    if (rolled !== undefined) this.#archives ??= this.#archiveWatch(rolled);
    const standing = await lookAt(path, this.#file.reader.isLocal);
    const { about, what, target } = standing;
    this.#goneSince = undefined;
    if (this.#startedMs < this.#restUntil) return UNSETTLED;
    const isOfThisMachine = this.#file.reader.isLocal && what === 'file';
    const racy = this.#isRacy(about.ctimeMs, isOfThisMachine);
    const old = this.#clock.steadyMs() >= (this.#rereadAt ?? 0);
    const isThere = what === this.#what && isEqual(target, this.#target);
    const isKnown = this.#signature !== undefined && isSame(about, this.#signature) && isThere;
    const seemsSame = isKnown && !this.#racy && !old && !force && this.#unsettledSince === undefined;
    const same = seemsSame && (isOfThisMachine || (await this.#isConfirmed(about)));
    const checked = this.#unsettledSince === undefined ? await this.#lookAtArchives(known) : SAME;
    if (same) return checked.seen === undefined ? checked : { ...checked, unsettled: true };
    // Read the file also after a change of archives: a rotation reports the archives itself, because it must
    // find the new ones.
    const areChanged = checked.seen !== undefined;
    const look = await this.#read(known, about, what, { whole: old || force, areChanged });
    // The next look reads the file itself.
    if (areChanged && look.seen?.kind !== 'rolled') return { ...checked, unsettled: true };
    const isReplaced = look.seen !== undefined && (await this.#wasReplaced(about, look.seen));
    if (isReplaced) this.#racy = true; // the next look then comes soon and reads the file
    if (isReplaced || look.seen === undefined) {
      this.#archives?.discardUnsaved();
      return UNSETTLED;
    }
    this.#keep(standing);
    this.#racy = racy || this.#readOther;
    this.#isGone = false;
    this.#unsettledSince = undefined;
    this.#restUntil = -Infinity;
    if (this.#archives !== undefined && (known.memory.last === null || look.seen.kind === 'rolled'))
      this.#archivesPending = true;
    const found = this.#withAttributes(look, standing);
    if (look.seen.kind === 'rolled') return found;
    return { ...checked, ...found, removed: checked.removed, faults: found.faults ?? checked.faults };
  }

  /** Returns whether stats that may come from a cache are the file's: every `CONFIRM_MS`, opening it tells. @throws as `openedStats` */
  async #isConfirmed(about: Stats): Promise<boolean> {
    if (this.#startedMs - this.#openedMs < CONFIRM_MS) return true;
    const opened = await this.#file.reader.openedStats(this.#file.path);
    this.#openedMs = this.#startedMs;
    return isSame(opened, about);
  }

  /** Returns whether another change could leave this time of the file as it is. */
  #isRacy(changedMs: number, isOfThisMachine: boolean): boolean {
    const wallMs = this.#clock.wallMs();
    if (isOfThisMachine) return isRacy(changedMs, wallMs);
    if (this.#changed.timeMs !== changedMs) this.#changed = { timeMs: changedMs, seenMs: this.#startedMs };
    return isRacyElsewhere(changedMs, wallMs, this.#startedMs - this.#changed.seenMs);
  }

  /** Keeps what the next look is compared with. */
  #keep({ about, what, target }: Standing): void {
    this.#signature = signatureOf(about);
    this.#seenInode = about.ino;
    this.#what = what;
    this.#target = target;
  }

  #withAttributes(look: Look, { about, target }: Standing): Look {
    const { seen } = look;
    if (this.#file.attributes !== true || (seen?.kind !== 'file' && seen?.kind !== 'rolled')) return look;
    return { ...look, seen: { ...seen, attributes: attributesOf(about, target) } };
  }

  /**
   * Returns whether the file was replaced between its stats and its reading: stats of one file with bytes of
   * another would make a reported rotation look like a new one. A rolled file that was cut since its reading
   * counts as replaced, because its archives are younger than its bytes, and so does one that was not there when another one
   * was opened: it could hide from each reading. After `REPLACED_TRIES` such looks
   * the result is used.
   */
  async #wasReplaced({ dev, ino }: Stats, seen: Observation): Promise<boolean> {
    const { path, reader, rolled } = this.#file;
    const now = await lookAt(path, reader.isLocal).catch(() => undefined);
    const length = rolled !== undefined && 'now' in seen ? (seen.now?.length ?? 0) : 0;
    const isOther = now?.about.ino !== ino || now.about.dev !== dev || now.about.size < length;
    const isReplaced = isOther || this.#readOther;
    this.#replaced = isReplaced ? this.#replaced + 1 : 0;
    return isReplaced && this.#replaced < REPLACED_TRIES;
  }

  /** Creates the archive watch during a look, so that an unusable expression is reported as an error of this file. */
  #archiveWatch({ expression, listing }: NonNullable<WatchedFile['rolled']>): ArchiveWatch {
    listing.add(expression);
    return new ArchiveWatch(
      (fresh) => listing.archives(expression, basename(this.#file.path), fresh),
      this.#file.reader,
      this.#clock,
    );
  }

  /** Compares the archives of a rolled file while the path has no regular file. */
  async #lookAtMissing({ memory, archives }: Known, what: string): Promise<Look> {
    const [archivesAt, isPending] = [this.#archivesAt, this.#archivesPending];
    const look = this.#gone(what);
    if (look.unsettled || memory.last === null || this.#archives === undefined) return look;
    if (this.#startedMs - archivesAt < ARCHIVE_LOOK_MS) {
      this.#archivesAt = archivesAt;
      this.#archivesPending = isPending;
      return look;
    }
    try {
      this.#archivesAt = this.#startedMs;
      const { lost, pending, faults } = await this.#archives.checkOfMissing(archives, memory.last);
      this.#archivesPending = pending;
      return { ...look, lost, faults };
    } catch (error) {
      // Without a folder there are no archives to list; the file's report says that it is gone.
      const isGone = codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
      return isGone ? look : this.#failed(error);
    }
  }

  #gone(what: string): Look {
    this.invalidate();
    this.#what = undefined;
    this.#racy = false;
    this.#unsettledSince ??= this.#clock.steadyMs();
    // A wait of its own: an archive may have been waited for before the path became empty.
    this.#goneSince ??= this.#clock.steadyMs();
    this.#isGone = this.#startedMs - this.#goneSince >= SETTLE_MS;
    if (!this.#isGone) return UNSETTLED;
    const attributes = this.#file.attributes === true ? nonRegularAttributes(what) : undefined;
    return { ...SAME, seen: { kind: 'missing', what, ...(attributes === undefined ? {} : { attributes }) } };
  }

  /**
   * Returns how long the file is unsettled, in ms, up to the look's start, because a slow look sees the state at its
   * start.
   */
  #unsettledFor(): number {
    this.#unsettledSince ??= this.#clock.steadyMs();
    return this.#startedMs - this.#unsettledSince;
  }

  /**
   * Reads the file. @param areChanged archives changed: only a rotation that left the last reported version
   * explains that
   */
  async #read(
    { memory, archives }: Known,
    about: Stats,
    what: string,
    { whole, areChanged }: { readonly whole: boolean; readonly areChanged: boolean },
  ): Promise<Look> {
    const { last } = memory;
    const resume = this.#resumable(about, whole);
    const { path, frequency, reader } = this.#file;
    const keepsRunning = frequency === 'FOLLOW' && about.size > LARGE_BYTES;
    const hashed = await reader.read(path, last?.length ?? null, {
      ...{ resume, keepsRunning, about },
      isLinked: what !== 'file',
    });
    this.#openedMs = this.#startedMs;
    if (resume === undefined) this.#readWhole();
    this.#readOther = hashed.about.ino !== about.ino || hashed.about.dev !== about.dev;
    const running = this.#readOther ? undefined : hashed.running;
    this.#running = running === undefined ? undefined : { hash: running, length: hashed.now.length };
    const prefix = hashed.prefix ?? (resume === undefined ? null : last);
    const rotated =
      last === null
        ? NOT_ROTATED
        : await this.#rotation(archives, last, prefix, { about, what, now: hashed.now, areChanged });
    if ('look' in rotated) return rotated.look;
    const archivesNow = last === null ? await this.#archives?.all() : undefined;
    const seen = { kind: 'file', what, now: hashed.now, prefix, reread: resume === undefined } as const;
    const torn = hashed.torn ? { torn: true } : {};
    const found = archivesNow === undefined ? seen : { ...seen, archivesNow };
    return { ...SAME, ...torn, faults: rotated.faults, seen: found };
  }

  #readWhole(): void {
    const share = this.#rereadAt === undefined ? this.#file.share : 1;
    this.#rereadAt = this.#clock.steadyMs() + REREAD_MS * share;
  }

  /** Returns the running hash to continue from, for a large followed file that kept its inode and did not shrink. */
  #resumable(about: Stats, whole: boolean): { running: Hash; length: number } | undefined {
    const running = this.#running;
    if (whole || running === undefined || this.#file.frequency !== 'FOLLOW') return undefined;
    if (about.size <= LARGE_BYTES || about.ino !== this.#seenInode || about.size < running.length)
      return undefined;
    return { running: running.hash, length: running.length };
  }

  /** Returns the look's result after a rotation, or what the search for a rotation found about the archives. */
  async #rotation(
    archives: readonly ArchiveMemory[],
    last: Version,
    prefix: Version | null,
    {
      about,
      what,
      now,
      areChanged,
    }: {
      readonly about: Stats;
      readonly what: string;
      readonly now: Version;
      readonly areChanged: boolean;
    },
  ): Promise<Rotated> {
    const replaced = this.#inode !== undefined && about.ino !== this.#inode;
    const sure = replaced || Math.min(about.size, now.length) < last.length;
    const differs = prefix !== null && prefix.hash !== last.hash;
    // Every file begins with nothing, so that an empty version shows its rotation by an archive alone.
    const isEmpty = last.length === 0 && !areChanged;
    if (this.#archives === undefined || !(sure || differs || isEmpty)) return NOT_ROTATED;
    const rotation = await this.#archives.rotation(archives, last, now, this.#inode);
    const { faults } = rotation;
    if (!(sure || differs) && !rotation.isOfText) return NOT_ROTATED;
    if (areChanged && !rotation.complete) return { faults };
    if (!(sure || differs) && rotation.isYoung) return { look: UNSETTLED };
    if (!sure && rotation.archives.length === 0 && !rotation.growing) return { faults };
    // The version that was last reported was rotated away before known archives changed, and is reported before them.
    if (!areChanged && !this.#isOver(rotation)) return { look: UNSETTLED };
    this.#archives.rotated(rotation);
    const seen: Observation = {
      kind: 'rolled',
      what,
      now,
      prefix: rotation.prefix,
      archives: rotation.archives,
      archivesNow: rotation.known,
    };
    return { look: { ...SAME, seen, faults } };
  }

  #isOver({ complete, growing, writtenMs }: Rotation): boolean {
    if (complete && writtenMs === 0) return true;
    this.#restUntil = this.#startedMs + writtenMs;
    if (growing) return this.#unsettledFor() >= ROTATION_MS;
    return this.#unsettledFor() >= (writtenMs > 0 ? GROW_MS : SETTLE_MS);
  }

  async #lookAtArchives({ memory, archives }: Known): Promise<Look> {
    const nowMs = this.#clock.steadyMs();
    if (this.#archives === undefined || memory.last === null || nowMs - this.#archivesAt < ARCHIVE_LOOK_MS)
      return SAME;
    this.#archivesAt = nowMs;
    const { known, changed, removed, pending, faults } = await this.#archives.check(archives, memory.last);
    this.#archivesPending = pending;
    if (changed.length === 0)
      return { ...SAME, removed, faults, ...(known === undefined ? {} : { archives: known }) };
    return {
      ...SAME,
      faults,
      seen: { kind: 'archive-changed', archives: changed, archivesNow: known ?? [] },
    };
  }
}

/** Returns the stats of a local regular file; undefined when a full look must tell what is there. */
function statsOfFile(path: string): Stats | undefined {
  try {
    const about = lstatSync(path, { throwIfNoEntry: false });
    return about?.isFile() === true ? about : undefined;
  } catch {
    return undefined;
  }
}

/** A file's stamp, and its number of names. */
type Signature = Stamp & Pick<Stats, 'nlink'>;

/** Returns only the needed stats, which saves memory for ten thousand files. */
const signatureOf = ({ dev, ino, size, mtimeMs, ctimeMs, nlink }: Stats): Signature => {
  return { dev, ino, size, mtimeMs, ctimeMs, nlink };
};

const isEqual = (a: Buffer | undefined, b: Buffer | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.equals(b);
