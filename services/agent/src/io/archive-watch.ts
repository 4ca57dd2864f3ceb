import { createHash } from 'node:crypto';
import { messageOf } from '@sentinel-node/contracts/thrown';
import { LIMITS, type Archive, type Version } from '@sentinel-node/contracts';
import { matchArchives, type PresentArchive } from '../domain/archive-match.ts';
import { onlyOldestGone, ordered, successorsOf } from '../domain/archive-order.ts';
import type { ArchiveMemory } from '../domain/memory.ts';
import { hashArchive, hashRaw, type ArchiveFile } from './archives.ts';
import { UnreadableArchiveError } from './decompress.ts';

/** Time that a difference must last before it counts, in ms: a rotation takes several steps. */
export const SETTLE_MS = 2_000;
/** Time after the last change during which an archive without its end counts as still being written, in ms. */
const GROW_MS = 60_000;
/** Most known archives of a file; the oldest are dropped first. */
const KNOWN_ARCHIVES = 1_000;
const EMPTY_HASH = createHash('sha256').digest('hex');

interface Present extends ArchiveFile, PresentArchive {
  readonly content: Version | null;
  readonly prefix: Version | null;
  /** The archive lacks its end and changed recently. */
  readonly growing: boolean;
  /** The archive has this signature for less than `SETTLE_MS`: it may be a step of a rotation. */
  readonly isYoung: boolean;
  /** Why the archive cannot be read. */
  readonly fault: string | undefined;
}

interface Read {
  readonly content: Version | null;
  readonly prefix: Version | null;
  readonly cut: boolean;
  readonly fault: string | undefined;
}

/** Result of a check of the archives. */
export interface ArchiveCheck {
  /** The new list of known archives, when it changed. */
  readonly known?: readonly ArchiveMemory[];
  /** Changed archives; lost ones have length 0. */
  readonly changed: readonly Archive[];
  /** Names of old archives that disappeared without a rotation. */
  readonly removed: readonly string[];
  /** A change is in progress; a later check will tell its kind. */
  readonly pending: boolean;
}

/** Archives after a rotation. */
export interface Rotation {
  /** Whether the rotation is over: an archive begins with the reported version, and none grows. */
  readonly complete: boolean;
  readonly growing: boolean;
  /** The remembered version, read again; null when no archive could be read. */
  readonly prefix: Version | null;
  readonly archives: readonly Archive[];
  readonly known: readonly ArchiveMemory[];
  /** Why archives could not be read. */
  readonly faults: readonly string[];
  readonly retired: number;
}

/** Tracks the archives of one rolled file by their content. */
export class ArchiveWatch {
  readonly #list: (fresh: boolean) => Promise<ArchiveFile[]>;
  readonly #steadyMs: () => number;
  /** Read archives by signature and prefix length. */
  #cache = new Map<string, Read>();
  /** Steady time of the first look at each signature, in ms. */
  #since = new Map<string, number>();
  #unsettled: { readonly what: string; readonly sinceMs: number } | undefined;
  /** Number of old archives that may disappear after a rotation added as many: as saved last, and as seen since. */
  #mayRetire = 0;
  #mayRetireNow = 0;

  /** @param list returns the archives in the folder, oldest first; `fresh` skips the cached listing */
  constructor(list: (fresh: boolean) => Promise<ArchiveFile[]>, steadyMs: () => number) {
    this.#list = list;
    this.#steadyMs = steadyMs;
  }

  /** Records that the findings since the last call are durable. */
  kept(): void {
    this.#mayRetire = this.#mayRetireNow;
  }

  /** Drops the findings since the last `kept`, because saving failed; the next look finds them again. */
  notKept(): void {
    this.#mayRetireNow = this.#mayRetire;
  }

  /** Returns all readable archives in the folder. @throws Error of node:fs */
  async all(): Promise<ArchiveMemory[]> {
    return (await this.#present([], 0, true)).flatMap((one) => memoryOf(one) ?? []);
  }

  /**
   * Compares the folder with the known archives. @param last the file's last reported version
   * @throws Error of node:fs
   */
  async check(known: readonly ArchiveMemory[], last: Version): Promise<ArchiveCheck> {
    const askedMs = this.#steadyMs();
    const present = await this.#present(known, last.length, false);
    if (present.some(({ growing }) => growing)) return LATER;
    const matched = matchArchives(known, present);
    const { gone, strange } = matched;
    if (gone.length === 0) {
      this.#unsettled = undefined;
      const pending = strange.some(({ isYoung }) => isYoung);
      const learned = strange.filter((one) => isOther(one, last)).flatMap((one) => memoryOf(one) ?? []);
      return {
        ...NOTHING_FOUND,
        pending,
        ...changedList(known, ordered(known, matched, present, { learned })),
      };
    }
    if (!this.#settled(gone, askedMs)) return LATER;
    const successors = successorsOf(matched, present);
    if (successors.size === 0 && onlyOldestGone(known, matched)) {
      const expected = gone.length <= this.#mayRetireNow;
      if (expected) this.#mayRetireNow -= gone.length;
      const removed = expected ? [] : gone.map(({ name }) => name);
      return { ...NOTHING_FOUND, known: ordered(known, matched, present), removed };
    }
    const replaced = new Map<ArchiveMemory, Archive | ArchiveMemory>();
    for (const archive of gone) replaced.set(archive, await nowOf(archive, successors.get(archive)));
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

  /** Finds the archives that a rotation made. @throws Error of node:fs */
  async rotation(known: readonly ArchiveMemory[], last: Version): Promise<Rotation> {
    const present = await this.#present(known, last.length, true);
    const matched = matchArchives(known, present);
    const { gone, strange } = matched;
    const begins = (one: Present): boolean =>
      one.prefix?.hash === last.hash && one.prefix.length === last.length;
    const strangers = present.filter((one) => strange.includes(one) && one.content !== null);
    const first =
      strangers.findLast(begins) ?? present.findLast((one) => begins(one) && isAnother(one, known));
    const later = strangers.filter(
      (one) => one !== first && (first === undefined || one.modifiedAt > first.modifiedAt),
    );
    const fresh = first === undefined ? (known.length === 0 ? later.slice(-1) : later) : [first, ...later];
    const dropped = gone.length === known.length || onlyOldestGone(known, matched) ? gone : [];
    const inPlaceOf = (archive: ArchiveMemory): readonly ArchiveMemory[] =>
      dropped.includes(archive) ? [] : [archive];
    const growing = present.some((one) => one.growing);
    return {
      complete: first !== undefined && !growing,
      growing,
      prefix: fresh[0]?.prefix ?? null,
      archives: fresh.map((one) => ({ name: one.name, ...one.content! })).slice(0, LIMITS.archivesPerReport),
      known: [
        ...ordered(known, matched, present, { inPlaceOf }).filter(
          (one) => !fresh.some((other) => other.signature === one.signature),
        ),
        ...fresh.flatMap((one) => memoryOf(one) ?? []),
      ].slice(-KNOWN_ARCHIVES),
      faults: present.flatMap(({ name, fault }) => (fault === undefined ? [] : [`${name}: ${fault}`])),
      retired: dropped.length,
    };
  }

  /** Records a reported rotation: as many old archives may disappear as new ones came. */
  rotated({ archives, retired }: Rotation): void {
    this.#mayRetireNow = Math.max(0, archives.length - retired);
    this.#unsettled = undefined;
  }

  /**
   * Returns whether the same archives have been gone for `SETTLE_MS`. @param askedMs start of the look, in steady ms
   */
  #settled(gone: readonly ArchiveMemory[], askedMs: number): boolean {
    const what = JSON.stringify(gone);
    if (this.#unsettled?.what !== what) this.#unsettled = { what, sinceMs: this.#steadyMs() };
    return askedMs - this.#unsettled.sinceMs >= SETTLE_MS;
  }

  async #present(known: readonly ArchiveMemory[], prefixLength: number, fresh: boolean): Promise<Present[]> {
    const askedMs = this.#steadyMs();
    const files = await this.#list(fresh);
    const listedMs = this.#steadyMs();
    const bySignature = new Map(known.map((one) => [one.signature, one]));
    const cache = new Map<string, Read>();
    const since = new Map<string, number>();
    const present: Present[] = [];
    for (const file of files) {
      const sinceMs = this.#since.get(file.signature) ?? listedMs;
      const key = `${file.signature}:${prefixLength}`;
      const before = bySignature.get(file.signature);
      const read =
        before !== undefined
          ? {
              content: { length: before.length, hash: before.hash },
              prefix: null,
              cut: false,
              fault: undefined,
            }
          : (this.#cache.get(key) ?? (await readArchive(file.path, prefixLength)));
      since.set(file.signature, sinceMs);
      if (before === undefined) cache.set(key, read);
      const isNew = !known.some((one) => one.signature.startsWith(`${file.inode}:`));
      const ageMs = askedMs - sinceMs;
      const growing = read.cut && isNew && ageMs < GROW_MS;
      const isYoung = read.content !== null && ageMs < SETTLE_MS;
      present.push({ ...file, ...read, growing, isYoung });
    }
    this.#cache = cache;
    this.#since = since;
    return present;
  }
}

const NOTHING_FOUND: ArchiveCheck = { changed: [], removed: [], pending: false };
const LATER: ArchiveCheck = { ...NOTHING_FOUND, pending: true };

async function readArchive(path: string, prefixLength: number): Promise<Read> {
  try {
    const { whole, prefix } = await hashArchive(path, prefixLength);
    return { content: whole, prefix, cut: false, fault: undefined };
  } catch (error) {
    const cut = error instanceof UnreadableArchiveError && error.cut;
    return { content: null, prefix: null, cut, fault: messageOf(error) };
  }
}

/** Returns whether a strange archive is settled and is no copy of the file before truncation (copytruncate). */
function isOther({ content, isYoung, prefix }: Present, last: Version): boolean {
  if (content === null || isYoung) return false;
  if (last.length === 0) return content.length > 0; // every content begins with an empty prefix
  return prefix?.hash !== last.hash || prefix.length !== last.length;
}

const memoryOf = ({ name, signature, content }: Present): ArchiveMemory | undefined =>
  content === null ? undefined : { name, signature, ...content };

/**
 * Returns the content in place of a known archive: other content, raw bytes when not decompressible, or empty when
 * lost.
 */
async function nowOf(known: ArchiveMemory, now: Present | undefined): Promise<Archive | ArchiveMemory> {
  if (now === undefined) return { name: known.name, length: 0, hash: EMPTY_HASH };
  const content = now.content ?? (await hashRaw(now.path));
  return { name: now.name, signature: now.signature, ...content };
}

/** Returns whether the archive's inode is none of the known archives'. */
const isAnother = (one: Present, known: readonly ArchiveMemory[]): boolean =>
  !known.some(({ signature }) => signature.startsWith(`${one.inode}:`));

function changedList(
  before: readonly ArchiveMemory[],
  now: readonly ArchiveMemory[],
): { readonly known?: readonly ArchiveMemory[] } {
  const known = now.slice(-KNOWN_ARCHIVES);
  return JSON.stringify(known) === JSON.stringify(before) ? {} : { known };
}
