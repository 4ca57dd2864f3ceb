import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const FILE_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Removes the state of files that the server names no more; nothing else in the folder is touched. */
export async function removeFolders(stateDir: string, kept: ReadonlySet<string>): Promise<void> {
  const names = await readdir(stateDir).catch(() => []);
  for (const name of names) {
    if (FILE_ID.test(name) && !kept.has(name))
      await rm(join(stateDir, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
