import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { runCommand } from './run-command.ts';

/** A virtual environment holds its own path: it is built where it stays and marked when it is whole. */
const COMPLETE = 'complete';

/** `requirement`: a package with its version, `name==1.2.3`. */
const folderOf = (requirement: string) => join(cacheFolder(), requirement.toLowerCase().replace('==', '-'));

/** Whether nothing has to be downloaded any more. */
export function isPythonPrepared(requirement: string): boolean {
  return existsSync(join(folderOf(requirement), COMPLETE));
}

/** Path of a Python that has the package; installed by pip once a version. Call under a lock. */
export async function preparePython(requirement: string): Promise<string> {
  const folder = folderOf(requirement);
  const python = join(folder, 'bin', 'python3');
  if (isPythonPrepared(requirement)) return python;
  rmSync(folder, { recursive: true, force: true });
  await runCommand('python3', ['-m', 'venv', folder]);
  await runCommand(join(folder, 'bin', 'pip'), ['install', '-q', requirement]);
  writeFileSync(join(folder, COMPLETE), '');
  return python;
}
