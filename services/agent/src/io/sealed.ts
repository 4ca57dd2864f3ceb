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

export interface WriteOptions {
  /** Where the file is written first; one of its own where several processes may write the file. Default: beside it. */
  readonly part?: string | undefined;
  /** Default: only the owner may read it. */
  readonly mode?: number | undefined;
  /** False for a file that is soon written again: a loss of power may leave an empty one. */
  readonly isSynced?: boolean | undefined;
}

/**
 * Writes the file, whole or not at all: readers see the old text or the new text, never a part.
 * @throws Error of node:fs (ENOSPC, …), with the old file unchanged, and nothing of the new one on the disk
 */
export async function writeWhole(path: string, text: string, options: WriteOptions = {}): Promise<void> {
  const { part = `${path}.part` } = options;
  try {
    // Whatever stands there is removed, not followed: in a folder that others may write to it can be a link to any file.
    await rm(part, { force: true });
    await writeNew(part, text, options);
    await rename(part, path);
  } catch (error) {
    await removed(part);
    throw error;
  }
}

/** Removes a file that could not be written whole, which is tried once: another error says why. */
export const removed = (part: string): Promise<void> => rm(part, { force: true }).catch(() => undefined);

/** Writes a file that is not there yet. @throws Error of node:fs */
export async function writeNew(
  path: string,
  text: string,
  { mode = 0o600, isSynced = true }: Omit<WriteOptions, 'part'> = {},
): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(text);
    if (isSynced) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns a sealed object; another version of the agent may have omitted members. */
export function unsealParts<T extends object>(text: string): Partial<T> | undefined {
  const value = unseal(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}
