import { createHash } from 'node:crypto';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import { LIMITS, type Archive, type Version } from '@sentinel-node/contracts';
import type { AgentClock } from '../clock.ts';
import { matchArchives, type PresentArchive } from '../domain/archive-match.ts';
import { areOldest, onlyOldestGone, ordered, successorsOf, withLearned } from '../domain/archive-order.ts';
import type { ArchiveMemory } from '../domain/memory.ts';
import { isRacy, isRacyElsewhere } from '../domain/watching.ts';
import { NO_UTF8, type ArchiveFile } from './archives.ts';
import { UnreadableArchiveError } from './decompress.ts';
import type { FileReader } from './file-reader.ts';
import { PoolClosedError } from './piece-reads.ts';

/** Time that a difference must last before it counts, in ms: a rotation takes several steps. */
export const SETTLE_MS = 2_000;
/** Longest wait for a growing archive, in ms. */
export const ROTATION_MS = 3_600_000;
/**
 * Time after the last change during which an archive without its end counts as still being written, in ms; also the
 * longest wait for what takes a known archive's place, or was the file just now, to stay as it is.
 */
export const GROW_MS = 60_000;
/** Time until an archive that cannot be read is read again as it is, in ms: what reads it may be there by then. */
const FAULT_MS = 600_000;
/** Most known archives of a file: the newest by the time of their last change. */
const KNOWN_ARCHIVES = 1_000;
const EMPTY_HASH = createHash('sha256').digest('hex');

interface Present extends ArchiveFile, PresentArchive {
  readonly content: Version | null;
  readonly prefix: Version | null;
  /** The archive lacks its end and changed recently. */
  readonly growing: boolean;
  /** The archive has had this signature for less than `SETTLE_MS`: it may be a step of a rotation. */
  readonly isYoung: boolean;
  /** Why the archive cannot be read. */
  readonly fault: string | undefined;
}

interface Read {
  readonly content: Version | null;
  readonly prefix: Version | null;
  readonly cut: boolean;
  readonly fault: string | undefined;
  /** Steady time of the reading's start, in ms. */
  readonly readMs: number;
}

/** Result of a check of the archives. */
export interface ArchiveCheck {
  /** The new list of known archives, when it changed. */
  readonly known?: readonly ArchiveMemory[];
  /** Changed archives; lost ones have length 0. */
  readonly changed: readonly Archive[];
  /** Names of old archives that disappeared without a rotation. */
  readonly removed: readonly string[];
  /** A change is in progress; a later check will show its kind. */
  readonly pending: boolean;
  /** Why archives cannot be read; undefined while one of them may still be written. */
  readonly faults: readonly string[] | undefined;
}

/** Result of a check of the archives of a file that is not there. */
export interface MissingCheck extends Pick<ArchiveCheck, 'pending' | 'faults'> {
  /** Names of known archives that are gone or changed, each once. */
  readonly lost: readonly string[];
}

/** The archives in the folder, oldest first, with the steady times around their listing, in ms. */
interface Listed {
  readonly files: readonly ArchiveFile[];
  readonly askedMs: number;
  readonly listedMs: number;
}

/** Comparison of the archives, before their faults are added. */
type Compared = Omit<ArchiveCheck, 'faults'>;

/** Archives after a rotation. */
export interface Rotation {
  /** Whether the rotation is over: an archive begins with the reported version, and none grows. */
  readonly complete: boolean;
  readonly growing: boolean;
  /**
   * Time until the archive that begins with the reported version counts as finished, in ms: it was the file just now, and
   * whoever writes to it may go on. 0: it is finished.
   */
  readonly writtenMs: number;
  /** An archive with content came after all known ones, and took the place of none. */
  readonly isOfText: boolean;
  /** An archive that came may be a step of a rotation. */
  readonly isYoung: boolean;
  /** The remembered version, read again; null when no archive could be read. */
  readonly prefix: Version | null;
  readonly archives: readonly Archive[];
  readonly known: readonly ArchiveMemory[];
  /** Why archives could not be read; undefined when the rotation is over and does not depend on them. */
  readonly faults: readonly string[] | undefined;
  /** Number of old archives that may go missing later without a loss: as many as came, or as went. */
  readonly mayRetire: number;
}

type ClockOfArchives = Pick<AgentClock, 'steadyMs' | 'wallMs'>;
type ReaderOfArchives = Pick<FileReader, 'archive' | 'isLocal' | 'rawArchive'>;

/** Tracks the archives of one rolled file by their content. */
export class ArchiveWatch {
  readonly #list: (fresh: boolean) => Promise<readonly ArchiveFile[]>;
  readonly #reader: ReaderOfArchives;
  readonly #clock: ClockOfArchives;
  /** Read archives by signature and prefix length; those with a fault by signature, as no prefix makes them readable. */
  #cache = new Map<string, Read>();
  /** Signatures of archives, known ones too, that may have changed since their reading without another time. */
  #racy: ReadonlySet<string> = new Set();
  /** Steady time of the first look at each signature, in ms. */
  #since = new Map<string, number>();
  /** Steady ms of the first look that did not find a known archive, by its signature. */
  #goneSince = new Map<string, number>();
  /** The archives of the last check when each was known, readable and unchanged: a check of the same finds nothing. */
  #quiet: { readonly files: readonly ArchiveFile[]; readonly known: readonly ArchiveMemory[] } | undefined;
  /** Steady time since when an archive that cannot be read was still being written at each check, in ms. */
  #unreadSince: number | undefined;
  /** Signatures of the lost archives that were told while the file was not there. */
  #toldLost: ReadonlySet<string> = new Set();
  /** Number of old archives that may go missing without a loss: as last saved, and as last seen. */
  #mayRetire = 0;
  #mayRetireNow = 0;

  /**
   * @param list returns the archives in the folder, oldest first, the same list again when nothing changed; `fresh` skips the cached listing
   */
  constructor(
    list: (fresh: boolean) => Promise<readonly ArchiveFile[]>,
    reader: ReaderOfArchives,
    clock: ClockOfArchives,
  ) {
    this.#list = list;
    this.#reader = reader;
    this.#clock = clock;
  }

  /** Records that the findings since the last call are durable. */
  confirmSaved(): void {
    this.#mayRetire = this.#mayRetireNow;
  }

  /** Drops the findings since the last `confirmSaved`, because saving failed; the next look finds them again. */
  discardUnsaved(): void {
    this.#mayRetireNow = this.#mayRetire;
  }

  /** Returns the readable archives in the folder that become known, oldest first. @throws Error of node:fs */
  async all(): Promise<ArchiveMemory[]> {
    return (await this.#present(await this.#listed({ fresh: true }), [], 0))
      .flatMap((one) => memoryOf(one) ?? [])
      .slice(-KNOWN_ARCHIVES);
  }

  /**
   * Compares the folder with the known archives. @param last the file's last reported version
   * @throws Error of node:fs
   */
  async check(known: readonly ArchiveMemory[], last: Version): Promise<ArchiveCheck> {
    const askedMs = this.#clock.steadyMs();
    this.#toldLost = new Set();
    const listed = await this.#listed();
    if (listed.files === this.#quiet?.files && known === this.#quiet.known) return NOTHING_NEW;
    const present = await this.#present(listed, known, last.length);
    const compared = await this.#compare(known, last, present, askedMs);
    const isAlert = compared.changed.length > 0;
    const isKnown = present.length === known.length && foundNothing(compared);
    if (isKnown && this.#racy.size === 0) this.#quiet = { files: listed.files, known };
    return {
      ...compared,
      faults: this.#mayBeWritten(present, askedMs) && !isAlert ? undefined : faultsOf(present),
    };
  }

  /**
   * Compares the folder with the known archives while the file is not there, perhaps in the middle of a rotation. What is
   * known stays, so that the file's return shows a rotation as ever. @throws Error of node:fs
   */
  async checkOfMissing(known: readonly ArchiveMemory[], last: Version): Promise<MissingCheck> {
    const askedMs = this.#clock.steadyMs();
    const present = await this.#present(await this.#listed(), known, last.length);
    const matched = matchArchives(known, present);
    const { gone, strange } = matched;
    this.#noteGone(gone);
    // Every archive begins with an empty version; one with the inode of a known archive was edited.
    const isOfFile = (one: Present): boolean =>
      begins(one, last) && (last.length > 0 || hasNewInode(one, known));
    const came = strange.filter((one) => one.growing || isOfFile(one));
    const others = strange.filter((one) => !came.includes(one));
    const successors = successorsOf({ ...matched, strange: others }, present);
    const waitMs = [...successors.values()].some(isOpen) ? GROW_MS : SETTLE_MS;
    const isRetention = successors.size === 0 && gone.length <= came.length && areOldest(known, matched);
    const missed = isRetention ? [] : gone.filter((one) => !this.#toldLost.has(one.signature));
    const lost = missed.filter((one) => this.#isMissingFor(waitMs, one, askedMs));
    const told = gone.filter((one) => lost.includes(one) || this.#toldLost.has(one.signature));
    this.#toldLost = new Set(told.map(({ signature }) => signature));
    return {
      lost: lost.map(({ name }) => name),
      pending: lost.length < missed.length || strange.some(isOpen),
      faults: this.#mayBeWritten(present, askedMs) ? undefined : faultsOf(present),
    };
  }

  /** Returns whether an archive that cannot be read may still be written, for `ROTATION_MS` at most. */
  #mayBeWritten(present: readonly Present[], askedMs: number): boolean {
    const isUnread = present.some((one) => one.fault !== undefined && isOpen(one));
    this.#unreadSince = isUnread ? (this.#unreadSince ?? askedMs) : undefined;
    return this.#unreadSince !== undefined && askedMs - this.#unreadSince < ROTATION_MS;
  }

  /** @param askedMs steady time of the look's start, in ms */
  async #compare(
    known: readonly ArchiveMemory[],
    last: Version,
    present: readonly Present[],
    askedMs: number,
  ): Promise<Compared> {
    const matched = matchArchives(known, present);
    const { gone, strange } = matched;
    this.#noteGone(gone);
    const successors = successorsOf(
      { ...matched, strange: strange.filter((one) => !isCopy(one, last)) },
      present,
    );
    const taken = new Set(successors.values());
    const others = strange.filter((one) => isNewArchive(one, last) && !taken.has(one));
    const learned = others.flatMap((one) => memoryOf(one) ?? []);
    const list = (): ArchiveMemory[] => ordered(known, matched, present, { learned });
    const pending = strange.some(isOpen);
    if (gone.length === 0) return { ...NOTHING_FOUND, pending, ...changedList(known, list()) };
    const isNew = [...taken].some(isOpen);
    if (!gone.every((one) => this.#isMissingFor(isNew ? GROW_MS : SETTLE_MS, one, askedMs)))
      return { ...LATER, ...changedList(known, withLearned(known, matched, present, learned)) };
    if (successors.size === 0 && onlyOldestGone(known, matched)) {
      const expected = gone.length <= this.#mayRetireNow;
      if (expected) this.#mayRetireNow -= gone.length;
      const removed = expected ? [] : gone.map(({ name }) => name);
      return { ...NOTHING_FOUND, pending, known: list(), removed };
    }
    const replaced = new Map<ArchiveMemory, Archive | ArchiveMemory>();
    for (const archive of gone)
      replaced.set(archive, await contentNow(this.#reader, archive, successors.get(archive)));
    const changed = [...replaced.values()].map(({ name, length, hash }) => ({ name, length, hash }));
    const inPlaceOf = (archive: ArchiveMemory): readonly ArchiveMemory[] => {
      const now = replaced.get(archive);
      return now !== undefined && 'signature' in now ? [now] : [];
    };
    return {
      ...NOTHING_FOUND,
      known: ordered(known, matched, present, { inPlaceOf }),
      changed: changed.slice(0, LIMITS.archivesPerReport),
    };
  }

  /**
   * Reads the archives after a rotation. @param last the file's last reported version
   * @param now the file's version as just read @param ino inode of the file that had the last version; undefined: unknown
   * @throws Error of node:fs
   */
  async rotation(
    known: readonly ArchiveMemory[],
    last: Version,
    now: Version,
    ino?: number,
  ): Promise<Rotation> {
    const askedMs = this.#clock.steadyMs();
    const askedWallMs = this.#clock.wallMs();
    const present = await this.#present(await this.#listed({ fresh: true }), known, last.length);
    const matched = matchArchives(known, present);
    const { gone, strange } = matched;
    this.#noteGone(gone);
    const strangers = present.filter((one) => strange.includes(one) && one.content !== null);
    const others = strangers.filter(({ content }) => now.length === 0 || !isSame(content, now));
    const newestKnown = present.findLastIndex((one) => !strange.includes(one));
    // Every archive begins with an empty version: take the oldest new archive.
    const isFirst = (one: Present): boolean =>
      (newestKnown >= 0 || known.length === 0) && present.indexOf(one) > newestKnown;
    const first =
      (last.length === 0 ? others.find(isFirst) : undefined) ??
      others.findLast((one) => begins(one, last)) ??
      strangers.findLast((one) => begins(one, last)) ??
      present.findLast((one) => begins(one, last) && hasNewInode(one, known));
    const place = first === undefined ? -1 : present.indexOf(first);
    const later = others.filter((one) => present.indexOf(one) > place);
    const fresh = first === undefined ? (known.length === 0 ? later.slice(-1) : later) : [first, ...later];
    const areAllGone = gone.length === known.length;
    const retired = areAllGone || onlyOldestGone(known, matched) ? gone : [];
    // A missing archive may only have been renamed during the listing: keep it until it stays missing. New
    // archives mean that names moved, so its name and inode may belong to another archive.
    const dropped =
      areAllGone && fresh.length === 0
        ? gone
        : retired.filter((one) => this.#isMissingFor(SETTLE_MS, one, askedMs));
    const inPlaceOf = (archive: ArchiveMemory): readonly ArchiveMemory[] => {
      if (dropped.includes(archive)) return [];
      return [fresh.length === 0 ? archive : { ...archive, isUnfound: true }];
    };
    const growing = present.some((one) => one.growing);
    const complete = first !== undefined && !growing;
    const wasFile = first?.isYoung === true && first.inode.endsWith(`:${ino}`);
    const writtenAgoMs = wasFile ? Math.abs(askedWallMs - first.modifiedAt) : Infinity;
    const successors = new Set(successorsOf(matched, present).values());
    const came = others.filter((one) => present.indexOf(one) > newestKnown && !successors.has(one));
    return {
      complete,
      growing,
      writtenMs: Math.max(0, SETTLE_MS - writtenAgoMs),
      isOfText: came.some(({ content }) => content !== null && content.length > 0),
      isYoung: came.some(({ isYoung }) => isYoung),
      prefix: fresh[0]?.prefix ?? null,
      archives: fresh.map((one) => ({ name: one.name, ...one.content! })).slice(0, LIMITS.archivesPerReport),
      known: [
        ...ordered(known, matched, present, { inPlaceOf }).filter(
          (one) => !fresh.some((other) => other.signature === one.signature),
        ),
        ...fresh.flatMap((one) => memoryOf(one) ?? []),
      ].slice(-KNOWN_ARCHIVES),
      faults: complete ? undefined : faultsOf(present),
      mayRetire: Math.max(retired.length, fresh.length) - dropped.length,
    };
  }

  /** Records that the rotation is reported. */
  rotated({ mayRetire }: Rotation): void {
    this.#mayRetireNow = mayRetire;
  }

  #noteGone(gone: readonly ArchiveMemory[]): void {
    const nowMs = this.#clock.steadyMs();
    this.#goneSince = new Map(
      gone.map(({ signature }) => [signature, this.#goneSince.get(signature) ?? nowMs]),
    );
  }

  /** Returns whether the archive was missing for `ms`. @param askedMs start of the look and its listing */
  #isMissingFor(ms: number, { signature }: ArchiveMemory, askedMs: number): boolean {
    return askedMs - (this.#goneSince.get(signature) ?? Infinity) >= ms;
  }

  /** @param options.fresh skips the cached listing */
  async #listed({ fresh = false } = {}): Promise<Listed> {
    const askedMs = this.#clock.steadyMs();
    const files = await this.#list(fresh);
    return { files, askedMs, listedMs: this.#clock.steadyMs() };
  }

  async #present(
    { files, askedMs, listedMs }: Listed,
    known: readonly ArchiveMemory[],
    prefixLength: number,
  ): Promise<Present[]> {
    this.#quiet = undefined;
    const bySignature = new Map(known.map((one) => [one.signature, one]));
    const cache = new Map<string, Read>();
    const since = new Map<string, number>();
    const racy = new Set<string>();
    const present: Present[] = [];
    for (const file of files) {
      const sinceMs = this.#since.get(file.signature) ?? listedMs;
      const key = `${file.signature}:${prefixLength}`;
      const before = bySignature.get(file.signature);
      const ageMs = askedMs - sinceMs;
      const mayChange = this.#reader.isLocal
        ? isRacy(file.changedAt, this.#clock.wallMs())
        : isRacyElsewhere(file.changedAt, this.#clock.wallMs(), ageMs);
      const isDoubtful = this.#racy.has(file.signature);
      const kept =
        isDoubtful && !mayChange
          ? undefined
          : before === undefined
            ? this.#cached(key, file, askedMs)
            : readBefore(before, askedMs);
      const read = kept ?? (await readArchive(this.#reader, file, prefixLength, askedMs));
      // Read again until the difference is told: by the signature alone it would be the known archive.
      const differs = before !== undefined && !isSame(read.content, before);
      if (differs || (mayChange && (kept === undefined || isDoubtful))) racy.add(file.signature);
      since.set(file.signature, sinceMs);
      if (before === undefined) cache.set(read.fault === undefined ? key : file.signature, read);
      const growing = read.cut && hasNewInode(file, known) && ageMs < GROW_MS;
      const isYoung = ageMs < SETTLE_MS;
      present.push({ ...file, ...read, growing, isYoung });
    }
    this.#cache = cache;
    this.#racy = racy;
    this.#since = since;
    return present;
  }

  #cached(key: string, { signature }: ArchiveFile, nowMs: number): Read | undefined {
    const failed = this.#cache.get(signature);
    return failed !== undefined && nowMs - failed.readMs < FAULT_MS ? failed : this.#cache.get(key);
  }
}

const NOTHING_FOUND: Compared = { changed: [], removed: [], pending: false };
const NOTHING_NEW: ArchiveCheck = { ...NOTHING_FOUND, faults: [] };
const LATER: Compared = { ...NOTHING_FOUND, pending: true };

/** Returns whether the known archives are there as they were. */
const foundNothing = ({ known, changed, pending }: Compared): boolean =>
  known === undefined && changed.length === 0 && !pending;

const readBefore = ({ length, hash }: ArchiveMemory, readMs: number): Read => {
  return { content: { length, hash }, prefix: null, cut: false, fault: undefined, readMs };
};

async function readArchive(
  reader: ReaderOfArchives,
  file: ArchiveFile,
  prefixLength: number,
  readMs: number,
): Promise<Read> {
  try {
    const { whole, prefix } = await reader.archive(file, prefixLength);
    return { content: whole, prefix, cut: false, fault: undefined, readMs };
  } catch (error) {
    if (error instanceof PoolClosedError) throw error;
    const cut = error instanceof UnreadableArchiveError && error.cut;
    // An archive that is no longer there is lost or renamed, not unreadable; one whose name is not UTF-8 never seems to be there.
    const isUnnamed = file.name.includes(NO_UTF8);
    const isGone = codeOf(error) === 'ENOENT' && !isUnnamed;
    const fault = isGone ? undefined : isUnnamed ? 'its name is not UTF-8' : messageOf(error);
    return { content: null, prefix: null, cut, fault, readMs };
  }
}

const faultsOf = (present: readonly Present[]): string[] =>
  present.flatMap(({ name, fault }) => (fault === undefined ? [] : [`${name}: ${fault}`]));

const isSame = (a: Version | null, b: Version): boolean => a?.hash === b.hash && a.length === b.length;

const begins = ({ prefix }: Present, last: Version): boolean => isSame(prefix, last);

/**
 * Returns whether the archive may be a copy made before the file is cut. Every archive begins with an empty
 * version, and an empty file is not cut.
 */
const isCopy = (one: Present, last: Version): boolean => last.length > 0 && begins(one, last);

/** Returns whether the archive may still be written. */
const isOpen = ({ isYoung, growing }: Present): boolean => isYoung || growing;

/** Returns whether the archive is readable, settled and no such copy. */
const isNewArchive = (one: Present, last: Version): boolean =>
  one.content !== null && !one.isYoung && !isCopy(one, last);

const memoryOf = ({ name, signature, content }: Present): ArchiveMemory | undefined =>
  content === null ? undefined : { name, signature, ...content };

/**
 * Returns the content in place of a known archive: other content, raw bytes when not decompressible, or empty when
 * lost.
 */
async function contentNow(
  reader: ReaderOfArchives,
  known: ArchiveMemory,
  now: Present | undefined,
): Promise<Archive | ArchiveMemory> {
  if (now === undefined) return { name: known.name, length: 0, hash: EMPTY_HASH };
  const content = now.content ?? (await reader.rawArchive(now));
  return { name: now.name, signature: now.signature, ...content };
}

/** Returns whether no known archive has this archive's inode. */
const hasNewInode = ({ inode }: Pick<ArchiveFile, 'inode'>, known: readonly ArchiveMemory[]): boolean =>
  !known.some(({ signature }) => signature.startsWith(`${inode}:`));

function changedList(
  before: readonly ArchiveMemory[],
  now: readonly ArchiveMemory[],
): { readonly known?: readonly ArchiveMemory[] } {
  const known = now.slice(-KNOWN_ARCHIVES);
  return JSON.stringify(known) === JSON.stringify(before) ? {} : { known };
}
