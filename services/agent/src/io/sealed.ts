import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

const sumOf = (json: string): string => createHash('sha256').update(json).digest('hex');

/** Returns the JSON in one line and the SHA-256 of that line in the next. */
export function seal(value: unknown): string {
  const json = JSON.stringify(value);
  return `${json}\n${sumOf(json)}\n`;
}

/**
 * Returns the value that `seal` wrote; undefined when the text is damaged. Accepts an older agent's text without a
 * sum.
 */
export function unseal(text: string): unknown {
  const [json = '', sum = ''] = text.split('\n');
  if (sum !== '' && sum !== sumOf(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * Writes and syncs the file, whole or not at all.
 * @param part where it is written first; one of its own where several processes may write the file
 * @throws Error of node:fs (ENOSPC, …), with the old file unchanged, and nothing of the new one on the disk
 */
export async function writeWhole(path: string, text: string, part = `${path}.part`): Promise<void> {
  try {
    await writeSynced(part, text);
    await rename(part, path);
  } catch (error) {
    await removed(part);
    throw error;
  }
}

/** Removes a file that could not be written whole, which is tried once: another error says why. */
export const removed = (part: string): Promise<void> => rm(part, { force: true }).catch(() => undefined);

/** Writes and syncs a file that only its owner may read. @throws Error of node:fs */
export async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns a sealed object; another version of the agent may have omitted members. */
export function unsealParts<T extends object>(text: string): Partial<T> | undefined {
  const value = unseal(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}
