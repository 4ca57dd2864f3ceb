import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

const MOUNTS = '/proc/self/mountinfo';
/** Field of a line with the mount point (proc(5)). */
const POINT_FIELD = 4;

/** A reading that is under way, which serves all folders that ask meanwhile. */
let reading: Promise<readonly string[]> | undefined;

/**
 * Returns the names in the folder over which something is mounted, such as one file of another file system. Events of the
 * folder do not tell of them, and a look at them may wait for another machine. @throws Error of node:fs: the folder's
 */
export async function mountedIn(folder: string): Promise<ReadonlySet<string>> {
  const real = await realpath(folder);
  reading ??= readMountPoints().finally(() => (reading = undefined));
  const points = await reading;
  return new Set(points.filter((point) => dirname(point) === real).map((point) => basename(point)));
}

/** Returns the places at which something is mounted; none where the system does not tell. */
async function readMountPoints(): Promise<readonly string[]> {
  const text = await readFile(MOUNTS, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const point = line.split(' ')[POINT_FIELD];
    // Blanks and the like are octal there.
    return (
      point?.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))) ?? []
    );
  });
}
