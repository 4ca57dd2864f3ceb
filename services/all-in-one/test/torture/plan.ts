/** Plans all operations on files and all disturbances, with their times, from the seed. Pure. */
import { bytesOf, canDo, FIRST_MODE, stepsOf, type Disk, type Kind, type Operation } from './disk.ts';
import { fileOf, type WatchedFile } from './policies.ts';
import { Random } from './random.ts';

export interface Wish {
  readonly seed: number;
  readonly files: number;
  readonly seconds: number;
  /** Whether files may be given to other users, which only root can do. */
  readonly canChown: boolean;
}

const MS_PER_SECOND = 1_000;
/** Seconds per change of a file; each file changes at least twice. */
const SECONDS_PER_CHANGE = 45;
/** Share of operations that another operation on the same file follows closely. */
const HURRY_SHARE = 0.15;
const HURRY_MS = 400;
/** Range of the number of written bytes. */
const SMALL = [1, 2_000] as const;
const LARGE = [20_000, 200_000] as const;
const LARGE_SHARE = 0.02;

/** Returns the state at the agent's first look. */
export function diskAtFirst(file: WatchedFile): Disk {
  const archives = file.rolled
    ? [2, 1].map((age) => ({ id: `${file.number}.archive.${age}`, content: archiveAtFirst(file, age) }))
    : [];
  const content = file.isMissingAtFirst ? null : bytesOf(`${file.number}.first`, 300 + (file.number % 700));
  return {
    content,
    inode: 'first',
    target: null,
    mode: FIRST_MODE,
    owner: null,
    archives: archives.toReversed(),
  };
}

const archiveAtFirst = ({ number }: WatchedFile, age: number): Buffer =>
  bytesOf(`${number}.archive.${age}`, 500 + age);

/** Returns all operations in the order of their times. */
export function operationsOf({ canChown, files, seconds, seed }: Wish): Operation[] {
  const all: Operation[] = [];
  for (let number = 0; number < files; number += 1)
    all.push(...ofFile(fileOf(number), new Random(Math.imul(seed, 31) + number), seconds, canChown));
  return all.sort((a, b) => a.atMs - b.atMs || a.file - b.file);
}

function ofFile(file: WatchedFile, random: Random, seconds: number, canChown: boolean): Operation[] {
  const changes = Math.max(2, Math.round(seconds / SECONDS_PER_CHANGE));
  const times: number[] = [];
  for (let n = 0; n < changes; n += 1) {
    const at = random.whole(0, seconds * MS_PER_SECOND);
    times.push(at, ...(random.share() < HURRY_SHARE ? [at + random.whole(0, HURRY_MS)] : []));
  }
  times.sort((a, b) => a - b);
  let disk = diskAtFirst(file);
  return times.flatMap((atMs, n): Operation[] => {
    const kind = random.oneOf(kindsFor(file));
    const size = random.share() < LARGE_SHARE ? LARGE : SMALL;
    const bytes = random.whole(size[0], size[1]);
    const isAble = canDo(kind, disk) && (canChown || kind !== 'chown');
    const able = isAble ? kind : disk.content === null ? 'create' : 'touch';
    const operation = {
      id: `${file.number}.${n}`,
      file: file.number,
      atMs,
      kind: able,
      bytes,
      share: random.share(),
    };
    disk = stepsOf(disk, operation).at(-1)!;
    return [operation];
  });
}

/**
 * Returns the operations for the file: without an alert for an honest file, else all that suit its policy.
 */
export function kindsFor({
  frequency,
  isHonest,
  modifiable,
  rolled,
  watchesAttributes,
}: WatchedFile): readonly Kind[] {
  const silent = watchesAttributes ? (['touch'] as const) : (['touch', 'chmod', 'chown'] as const);
  if (rolled) {
    if (isHonest && !modifiable) return [...silent, 'retire-archive'];
    const honest = [
      'append',
      'append',
      'rotate',
      'rotate',
      'copytruncate',
      'append-elsewhere',
      'chmod',
      'chown',
      'touch',
      'retire-archive',
    ] as const;
    if (isHonest) return honest;
    return [
      ...honest,
      'edit',
      'truncate',
      'rewrite',
      'replace',
      'link',
      'link-other',
      'delete',
      'edit-archive',
      'lose-archive',
    ];
  }
  const all = [
    'append',
    'rewrite',
    'edit',
    'truncate',
    'replace',
    'link',
    'link-other',
    'append-elsewhere',
    'flicker',
    'delete',
    'chmod',
    'chown',
    'touch',
  ] as const;
  if (!isHonest) return all;
  if (!modifiable) return watchesAttributes ? [...silent, 'flicker'] : [...silent, 'flicker', 'link'];
  return frequency === 'FOLLOW'
    ? ['append', 'append-elsewhere', 'chmod', 'chown', 'touch', 'link', 'flicker']
    : all.filter((kind) => kind !== 'delete');
}

/**
 * Disturbance of agent, server, disk, clock or folder; each begins when the one before in its track is over.
 */
export type Disturbance =
  | { readonly atMs: number; readonly kind: 'agent-killed'; readonly forMs: number }
  | { readonly atMs: number; readonly kind: 'agent-hangs'; readonly forMs: number }
  | { readonly atMs: number; readonly kind: 'twin' }
  | { readonly atMs: number; readonly kind: 'server-killed'; readonly forMs: number }
  | { readonly atMs: number; readonly kind: 'disk-full'; readonly forMs: number }
  | { readonly atMs: number; readonly kind: 'clock'; readonly forMs: number; readonly bySeconds: number }
  | { readonly atMs: number; readonly kind: 'folder-shut' };

export type Track = 'agent' | 'server' | 'disk' | 'clock' | 'folder';

const JUMPS_SECONDS = [3 * 86_400, -3 * 86_400, 3_600, -3_600, 40, -40];
/** Seconds of a run per disturbance of a kind; each kind comes at least once. */
const SECONDS_PER = { kill: 40, server: 60, disk: 120, clock: 75, folder: 150 } as const;

export function disturbancesOf({ seed, seconds }: Wish): Readonly<Record<Track, readonly Disturbance[]>> {
  const random = new Random(seed ^ 0x5eed);
  const times = (per: number, shift = 0): number[] => {
    const count = Math.max(1, Math.floor(seconds / per));
    const span = (seconds * MS_PER_SECOND) / count;
    return Array.from(
      { length: count },
      (_, n) => Math.floor((n + 0.1 + 0.5 * random.share()) * span) + shift,
    );
  };
  // A long run keeps the agent dead once, and hung once, until contact is lost.
  const isLong = seconds >= 200;
  const lasting = (ms: number, n: number): number => (isLong && n === 1 ? 40_000 : random.whole(0, ms));
  const agent: Disturbance[] = times(SECONDS_PER.kill).map((atMs, n) =>
    isLong && n === 3
      ? { atMs, kind: 'agent-hangs', forMs: 45_000 }
      : { atMs, kind: 'agent-killed', forMs: lasting(4_000, n) },
  );
  const twins = times(SECONDS_PER.disk, 3_000).map((atMs): Disturbance => ({ atMs, kind: 'twin' }));
  const short = Math.min(10_000, (seconds * MS_PER_SECOND) / 8);
  return {
    agent: [...agent, ...twins].sort((a, b) => a.atMs - b.atMs),
    server: times(SECONDS_PER.server).map((atMs, n) => ({
      atMs,
      kind: 'server-killed',
      forMs: isLong && n === 1 ? 25_000 : random.whole(0, 4_000),
    })),
    disk: times(SECONDS_PER.disk).map((atMs) => ({
      atMs,
      kind: 'disk-full',
      forMs: random.whole(short, 4 * short),
    })),
    clock: times(SECONDS_PER.clock).map((atMs) => ({
      atMs,
      kind: 'clock',
      forMs: random.whole(short, 2 * short),
      bySeconds: random.oneOf(JUMPS_SECONDS),
    })),
    folder: times(SECONDS_PER.folder).map((atMs) => ({ atMs, kind: 'folder-shut' })),
  };
}
