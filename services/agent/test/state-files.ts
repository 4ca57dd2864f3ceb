/** Opens, reads and damages agents' state files for tests. */
import { existsSync } from 'node:fs';
import Database from 'libsql';
import { StateFile, stateFileIn, type StateFileOptions } from '../src/state/state-file.ts';

/** Opens the state in a folder that no other process uses. */
export function openState(folder: string, options: Partial<StateFileOptions> = {}): StateFile {
  return new StateFile({
    folder,
    log: () => undefined,
    onBroken: () => undefined,
    steadyMs: () => performance.now(),
    ...options,
  });
}

/** Returns the number of rows of a part, of one owner or of all; -1 without a state file. */
export function rowsIn(folder: string, part: string, owner?: string): number {
  const path = existsSync(folder) ? stateFileIn(folder) : undefined;
  if (path === undefined) return -1;
  const database = new Database(path);
  try {
    const found = database
      .prepare('SELECT number FROM kept WHERE part = ? AND owner = coalesce(?, owner)')
      .all(part, owner ?? null);
    return found.length;
  } finally {
    database.close();
  }
}

/** Changes the state as a fault would. */
export function spoil(folder: string, sql: string): void {
  const database = new Database(stateFileIn(folder) ?? '');
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}
