/** Finds the parts of the machine that the test can use. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';

/** User id without root's rights, so that permissions take effect. */
export const NOBODY = 65_534;

const LIBRARIES = '/usr/lib';

const works = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/**
 * Returns the command that runs another command as such a user: empty unless this process is root, undefined
 * when root has no such command.
 */
export function otherUser(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return [];
  const command = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  return works('setpriv', ...command.slice(1), 'true') ? command : undefined;
}

/** Returns the path of the library that gives a process a wrong clock; undefined when it is not installed. */
export function faketimeLibrary(): string | undefined {
  const folders = existsSync(LIBRARIES) ? readdirSync(LIBRARIES).map((name) => join(LIBRARIES, name)) : [];
  return [LIBRARIES, ...folders]
    .map((folder) => join(folder, 'faketime', 'libfaketimeMT.so.1'))
    .find((file) => existsSync(file));
}

/** Mounts a file system of `mib` MiB until the test ends. @returns false when mounting is not allowed */
export function mountSmall(t: Test, folder: string, mib: number): boolean {
  const owner = process.getuid?.() === 0 ? `,uid=${NOBODY},gid=${NOBODY}` : '';
  if (!works('mount', '-t', 'tmpfs', '-o', `size=${mib}m,mode=0700${owner}`, 'tmpfs', folder)) return false;
  t.teardown(() => works('umount', '-l', folder));
  return true;
}
