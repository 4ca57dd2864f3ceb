import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';

const LOCK_DEADLINE_MS = 300_000;
const LOOK_AGAIN_MS = 50;

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

/** Runs `work` while no other process of this machine holds the lock `name`. @throws Error after five minutes */
export async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const file = join(cacheFolder(), `${name}.lock`);
  const deadline = Date.now() + LOCK_DEADLINE_MS;
  while (!tryLock(file)) {
    if (Date.now() > deadline) throw new Error(`the lock ${file} was not released in time`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file: string): boolean {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    // A link appears together with its content, so no process reads a lock without its holder's id.
    linkSync(mine, file);
    return true;
  } catch {
    removeIfAbandoned(file, mine);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

function removeIfAbandoned(file: string, mine: string): void {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    if (isAlive(holder)) return;
    const taken = `${mine}.taken`;
    renameSync(file, taken);
    // Give the lock back if another process took the lock between read and rename.
    if (Number(readFileSync(taken, 'utf8')) !== holder) linkSync(taken, file);
    rmSync(taken);
  } catch {
    // The lock was removed meanwhile; the next round takes it.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
