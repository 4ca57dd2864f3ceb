import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../test-servers/cache.ts';
import { runCommand } from '../test-servers/run-command.ts';

/** Sources of golang.org/x/mod in Debian's package; the copy in a Go installation is newer. */
const DEBIAN = '/usr/share/gocode/src/golang.org/x/mod';
const inside = (goroot: string): string => join(goroot, 'src/cmd/vendor/golang.org/x/mod');

/**
 * Builds a program that imports golang.org/x/mod; downloads nothing. Call under a lock.
 * @returns the program's path; a later call with unchanged sources reuses the program
 * @throws Error without Go, or without the sources of golang.org/x/mod
 */
export async function buildGoProgram(source: string): Promise<string> {
  const goroot = (await runCommand('go', ['env', 'GOROOT'])).trim();
  const sources = [inside(goroot), DEBIAN].find((path) => existsSync(join(path, 'sumdb/tlog')));
  if (sources === undefined) throw new Error('golang.org/x/mod is not installed');
  const hash = createHash('sha256').update(readFileSync(source)).update(sources).digest('hex').slice(0, 16);
  const folder = cacheFolder(`go-${hash}`);
  const program = join(folder, 'program');
  if (existsSync(program)) return program;
  const path = join(folder, 'path');
  rmSync(path, { recursive: true, force: true });
  mkdirSync(join(path, 'src/golang.org/x'), { recursive: true });
  symlinkSync(sources, join(path, 'src/golang.org/x/mod'));
  const offline = ['GO111MODULE=off', 'GOPROXY=off', 'GOFLAGS=', `GOPATH=${path}`];
  await runCommand('env', [...offline, 'go', 'build', '-buildvcs=false', '-o', `${program}.new`, source]);
  renameSync(`${program}.new`, program);
  return program;
}
