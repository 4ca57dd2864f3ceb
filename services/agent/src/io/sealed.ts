import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';

const sumOf = (json: string): string => createHash('sha256').update(json).digest('hex');

/** JSON in one line, and the SHA-256 of that line in the next. */
export function seal(value: unknown): string {
  const json = JSON.stringify(value);
  return `${json}\n${sumOf(json)}\n`;
}

/** The value that `seal` wrote; undefined: the text is not whole. A text without a sum, of an older agent, is taken. */
export function unseal(text: string): unknown {
  const [json = '', sum = ''] = text.split('\n');
  if (sum !== '' && sum !== sumOf(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Writes the file whole or not at all, synced. @throws Error of node:fs (ENOSPC, …): then nothing has changed */
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

/** The members of an object that an agent sealed; one of another version may have left out some. */
export function unsealParts<T extends object>(text: string): Partial<T> | undefined {
  const value = unseal(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}
