import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';

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

/** Writes and syncs the file, whole or not at all. @throws Error of node:fs (ENOSPC, …), with the old file unchanged */
export async function writeWhole(path: string, text: string): Promise<void> {
  const part = `${path}.part`;
  const handle = await open(part, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(part, path);
}

/** Returns a sealed object; another version of the agent may have omitted members. */
export function unsealParts<T extends object>(text: string): Partial<T> | undefined {
  const value = unseal(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}
