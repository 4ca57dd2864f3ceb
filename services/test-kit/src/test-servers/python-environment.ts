import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { runCommand, runDownload } from './run-command.ts';

/**
 * Mark of a complete environment. A virtual environment contains its own path, so it cannot be built
 * elsewhere and moved.
 */
const COMPLETE = 'complete';

/** Returns the folder of a requirement: a package with its version, `name==1.2.3`. */
const folderOf = (requirement: string) => join(cacheFolder(), requirement.toLowerCase().replace('==', '-'));

/** Returns whether everything is downloaded. */
export function isPythonPrepared(requirement: string): boolean {
  return existsSync(join(folderOf(requirement), COMPLETE));
}

/** Returns the path of a Python with the package; pip installs each version once. Call under a lock. */
export async function preparePython(requirement: string): Promise<string> {
  const folder = folderOf(requirement);
  const python = join(folder, 'bin', 'python3');
  if (isPythonPrepared(requirement)) return python;
  rmSync(folder, { recursive: true, force: true });
  await runCommand('python3', ['-m', 'venv', folder]);
  await runDownload(join(folder, 'bin', 'pip'), ['install', '-q', requirement]);
  writeFileSync(join(folder, COMPLETE), '');
  return python;
}
