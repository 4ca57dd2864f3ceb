import { dirname, resolve } from 'node:path';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { AgentClock } from '../clock.ts';
import { NO_MEMORY } from '../domain/memory.ts';
import type { Observation } from '../domain/observation.ts';
import { NOTHING } from '../domain/step.ts';
import { FileReader } from '../io/file-reader.ts';
import { FileWatch } from '../io/file-watch.ts';
import { FolderListing } from '../io/folder-listing.ts';
import { HashPool } from '../io/hash-pool.ts';

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
  /** Why archives of the file are not checked; null when all are. */
  readonly archiveFaults: string | null;
}

/** Most files read at the same time. */
const AT_ONCE = 32;
/** Looks at archives that may still be written, and the wait before each, in ms. */
const ARCHIVE_LOOKS = 40;
const ARCHIVE_LOOK_MS = 2_000;

/**
 * Looks at every file once, like an agent without state, and sends nothing.
 * @returns the results in the order of the files
 */
export async function dryRun(configuration: AgentConfiguration): Promise<DryLook[]> {
  const { files } = configuration;
  const looks: DryLook[] = [];
  let next = 0;
  const pool = new HashPool();
  const reader = new FileReader(pool, { isLocal: true });
  const work = async (): Promise<void> => {
    while (next < files.length) {
      const index = next++;
      looks[index] = await lookOnce(configuration, files[index]!, reader);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await pool.close();
  return looks;
}

async function lookOnce(
  { devId: device, workingDirectory }: AgentConfiguration,
  file: AgentConfiguration['files'][number],
  reader: FileReader,
): Promise<DryLook> {
  const path = resolve(workingDirectory, file.path);
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
      return { device, path, ...told(look.seen), archiveFaults: await archiveFaults(watch, look.seen) };
    // A missing file may be in the middle of a replacement, so look again as a running agent would.
    await new Promise((resolved) => setTimeout(resolved, 200));
  }
}

/** Looks again until the archives have settled. @returns why archives are not checked; null when all are */
async function archiveFaults(watch: FileWatch, seen: Observation): Promise<string | null> {
  if (seen.kind !== 'file') return null;
  const known = { memory: { ...NO_MEMORY, last: seen.now }, archives: seen.archivesNow ?? [] };
  let faults: readonly string[] = [];
  for (let looks = 0; watch.isUnsettled; looks += 1) {
    if (looks === ARCHIVE_LOOKS) return 'they change all the time';
    await new Promise((resolved) => setTimeout(resolved, ARCHIVE_LOOK_MS));
    ({ faults = faults } = await watch.look(known, false));
  }
  return faults.length === 0 ? null : faults.join('; ');
}

function told(seen: Observation): Omit<DryLook, 'device' | 'path' | 'archiveFaults'> {
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
