/** State files of agents, as a test makes them and as it finds them beside a running agent. */
import { existsSync } from 'node:fs';
import Database from 'libsql';
import { StateFile, stateFileIn, type StateFileOptions } from '../src/state/state-file.ts';

/** The state in a folder, which nobody else uses. */
export function openState(folder: string, options: Partial<StateFileOptions> = {}): StateFile {
  return new StateFile({
    folder,
    log: () => undefined,
    onBroken: () => undefined,
    steadyMs: () => performance.now(),
    ...options,
  });
}

/** How many rows of a part are kept, of one owner or of all; -1: there is no state yet. */
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
