import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { AgentClock } from '../clock.ts';
import { NO_MEMORY } from '../domain/memory.ts';
import type { Observation } from '../domain/observation.ts';
import { NOTHING } from '../domain/step.ts';
import { hasEvents } from '../domain/watching.ts';
import { FileReader } from '../io/file-reader.ts';
import { FileWatch } from '../io/file-watch.ts';
import { FolderListing } from '../io/folder-listing.ts';
import { HashPool } from '../io/hash-pool.ts';
import { lookAt } from '../io/kind.ts';
import { LIST_CHARACTERS, listOf } from '../list-of.ts';
import type { Log } from './log.ts';
import { NoAnswerError, type Patience } from './patience.ts';

/** Result of a first look at a file. Lengths in bytes, hashes SHA-256 hex. */
export interface DryLook {
  readonly device: string;
  readonly path: string;
  readonly length: number | null;
  readonly hash: string | null;
  /** Number of archives of a rolled file. */
  readonly archives: number;
  /** Why the file cannot be watched; null when it can. */
  readonly problem: string | null;
  /** Why archives of the file are not checked, in at most `LIST_CHARACTERS` with the number of those left out; null when all are. */
  readonly archiveFaults: string | null;
}

/** Most files read at the same time. */
const AT_ONCE = 32;
/** Looks at archives that may still be written, and the wait before each, in ms. */
const ARCHIVE_LOOKS = 40;
const ARCHIVE_LOOK_MS = 2_000;
/** Interval at which the files are named that take long, in ms. */
const NAME_MS = 10_000;
/** Longest wait for the threads to end, which may hang in the system, in ms. */
const CLOSE_MS = 1_000;

export interface DryRunOptions {
  readonly patience: Patience;
  /** Rate of all reads, in bytes a second; Infinity: not limited. */
  readonly readRate: number;
  /** Receives a line while a file takes long. */
  readonly log: Log;
  /** Receives the looks in the order of the files. */
  readonly tell: (look: DryLook) => void;
}

/**
 * Looks at every file once, like an agent without state, and sends nothing.
 * @returns the results in the order of the files
 */
export async function dryRun(
  configuration: AgentConfiguration,
  { patience, readRate, log, tell }: DryRunOptions,
): Promise<DryLook[]> {
  const { devId: device, files, workingDirectory } = configuration;
  const looks: DryLook[] = [];
  const running = new Map<string, number>();
  let [next, told] = [0, 0];
  const pool = new HashPool({ bytesPerSecond: readRate });
  const work = async (): Promise<void> => {
    while (next < files.length) {
      const index = next++;
      const path = resolve(workingDirectory, files[index]!.path);
      running.set(path, performance.now());
      looks[index] = { device, path, ...(await lookWith(patience, path, files[index]!, pool)) };
      running.delete(path);
      for (let look = looks[told]; look !== undefined; look = looks[told]) {
        tell(look);
        told += 1;
      }
    }
  };
  const naming = setInterval(() => nameLong(running, log), NAME_MS);
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  clearInterval(naming);
  await Promise.race([pool.close(), new Promise((resolved) => setTimeout(resolved, CLOSE_MS).unref())]);
  return looks;
}

function nameLong(running: ReadonlyMap<string, number>, log: Log): void {
  const long = [...running].filter(([, began]) => performance.now() - began >= NAME_MS);
  const [first] = long;
  if (first === undefined) return;
  const [path, began] = first;
  const others = long.length === 1 ? '' : `, and ${long.length - 1} others`;
  log('info', `still reading ${path} after ${Math.round((performance.now() - began) / 1_000)} s${others}`);
}

type Look = Omit<DryLook, 'device' | 'path'>;

async function lookWith(
  patience: Patience,
  path: string,
  file: AgentConfiguration['files'][number],
  pool: HashPool,
): Promise<Look> {
  try {
    const isLocal = await patience.answer(() => isOnLocal(path));
    return await patience.end(() => lookOnce(path, file, new FileReader(pool, { isLocal }), patience));
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return { length: null, hash: null, archives: 0, problem: error.message, archiveFaults: null };
  }
}

/** Returns whether path and folder are on a local file system; waits for the answer of one that may hang, also behind a link. */
async function isOnLocal(path: string): Promise<boolean> {
  const { type } = await statfs(dirname(path)).catch(() => ({ type: 0 }));
  // The look itself tells what is wrong with the file.
  await lookAt(path).catch(() => undefined);
  return hasEvents(type);
}

async function lookOnce(
  path: string,
  file: AgentConfiguration['files'][number],
  reader: FileReader,
  patience: Patience,
): Promise<Look> {
  const clock = new AgentClock();
  const rolled =
    file.rolled && file.rolledfilenameregexp !== undefined
      ? {
          expression: file.rolledfilenameregexp,
          listing: new FolderListing(dirname(path), () => clock.steadyMs()),
        }
      : undefined;
  const watch = new FileWatch({ path, frequency: file.type, rolled, reader, share: 1 }, clock);
  for (;;) {
    const look = await watch.look({ memory: NO_MEMORY, archives: [] }, true);
    if (look.seen !== undefined)
      return { ...told(look.seen), archiveFaults: await archiveFaults(watch, look.seen, patience) };
    // A missing file may be in the middle of a replacement, so look again as a running agent would.
    await new Promise((resolved) => setTimeout(resolved, 200));
    patience.check();
  }
}

/** Looks again until the archives have settled. @returns why archives are not checked; null when all are */
async function archiveFaults(
  watch: FileWatch,
  seen: Observation,
  patience: Patience,
): Promise<string | null> {
  if (seen.kind !== 'file') return null;
  const known = { memory: { ...NO_MEMORY, last: seen.now }, archives: seen.archivesNow ?? [] };
  let faults: readonly string[] = [];
  for (let looks = 0; watch.isUnsettled; looks += 1) {
    if (looks === ARCHIVE_LOOKS) return 'they change all the time';
    await new Promise((resolved) => setTimeout(resolved, ARCHIVE_LOOK_MS));
    patience.check();
    ({ faults = faults } = await watch.look(known, false));
  }
  return faults.length === 0 ? null : listOf(faults, '; ', LIST_CHARACTERS);
}

function told(seen: Observation): Omit<Look, 'archiveFaults'> {
  const nothing = { length: null, hash: null, archives: 0 };
  switch (seen.kind) {
    case 'file':
      return { ...seen.now, archives: seen.archivesNow?.length ?? 0, problem: null };
    case 'missing':
      return { ...nothing, problem: seen.what === NOTHING ? 'there is no such file' : `is a ${seen.what}` };
    case 'error':
      return { ...nothing, problem: `${seen.code}: ${seen.message}` };
    case 'rolled':
    case 'archive-changed':
      return { ...nothing, problem: 'was rotated while it was read; try again' };
  }
}
