import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';

/** As long as a command may take: who holds a lock may download. */
const LOCK_DEADLINE_MS = 900_000;
const LOOK_AGAIN_MS = 50;
/** Place of the start in `/proc/<pid>/stat` among what follows the name. */
const START_AFTER_NAME = 19;

/**
 * Returns a folder outside the tree, so that a clean install downloads nothing again. `SENTINEL_TEST_CACHE` sets
 * another place.
 */
export function cacheFolder(...parts: readonly string[]): string {
  const base =
    process.env['SENTINEL_TEST_CACHE'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sentinel-node', 'test-servers');
  const folder = join(base, ...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Runs `work` while no other process of this machine holds the lock `name`. @throws Error after fifteen minutes */
export async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const file = join(cacheFolder(), `${name}.lock`);
  const deadline = Date.now() + LOCK_DEADLINE_MS;
  while (!tryHold(file)) {
    if (Date.now() > deadline) throw new Error(`the lock ${file} was not released in time`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  try {
    return await work();
  } finally {
    giveUp(file);
  }
}

/**
 * Takes `file` for this process, unless a process that runs has it. @returns whether the file is this process's from now
 * on
 */
export function tryHold(file: string): boolean {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, HOLDER);
  try {
    // A link appears together with its content, so no process reads a file without its holder.
    linkSync(mine, file);
    return true;
  } catch {
    removeIfAbandoned(file, mine);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

export const giveUp = (file: string): void => rmSync(file, { force: true });

function removeIfAbandoned(file: string, mine: string): void {
  try {
    const holder = readFileSync(file, 'utf8');
    if (isAlive(holder)) return;
    const taken = `${mine}.taken`;
    renameSync(file, taken);
    // Give the file back if another process took it between read and rename.
    if (readFileSync(taken, 'utf8') !== holder) linkSync(taken, file);
    rmSync(taken);
  } catch {
    // The file was removed meanwhile; the next round takes it.
  }
}

/** This process: its id, and where the platform tells it its start, as a later process may get the id. */
const HOLDER = `${process.pid} ${startOf(process.pid)}`;

function isAlive(holder: string): boolean {
  const [pid = '', start = ''] = holder.split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  const startNow = startOf(Number(pid));
  return start === '' || startNow === '' || start === startNow;
}

/** Returns the start of a process in ticks since the start of the machine (proc_pid_stat(5), field 22), or nothing. */
function startOf(pid: number): string {
  try {
    // The name, which is in brackets, may contain blanks and brackets.
    const [, afterName = ''] = /.*\)\s(.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return afterName.split(' ')[START_AFTER_NAME] ?? '';
  } catch {
    return '';
  }
}
