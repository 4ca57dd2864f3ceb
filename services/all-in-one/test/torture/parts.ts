/** What of the machine the test can use, and why not when it cannot. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';

/** Another user than root, whom permissions hold for. */
export const NOBODY = 65_534;

const LIBRARIES = '/usr/lib';

const works = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** The command that runs another as a user whom permissions hold for; undefined: there is none, and this is root. */
export function otherUser(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return [];
  const command = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  return works('setpriv', ...command.slice(1), 'true') ? command : undefined;
}

/** The library that gives a process a wrong clock; undefined: it is not installed. */
export function faketimeLibrary(): string | undefined {
  const folders = existsSync(LIBRARIES) ? readdirSync(LIBRARIES).map((name) => join(LIBRARIES, name)) : [];
  return [LIBRARIES, ...folders]
    .map((folder) => join(folder, 'faketime', 'libfaketimeMT.so.1'))
    .find((file) => existsSync(file));
}

/** A file system of its own, of `mib` MiB, until the test is over. @returns false: mounting is not allowed */
export function mountSmall(t: Test, folder: string, mib: number): boolean {
  const owner = process.getuid?.() === 0 ? `,uid=${NOBODY},gid=${NOBODY}` : '';
  if (!works('mount', '-t', 'tmpfs', '-o', `size=${mib}m,mode=0700${owner}`, 'tmpfs', folder)) return false;
  t.teardown(() => works('umount', '-l', folder));
  return true;
}
