/**
 * Changes of watched files that no look sees half done: `writeFile` over a file empties the file first, and a look
 * in between finds one change more than the test made.
 */
import { closeSync, fstatSync, openSync, renameSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Puts a new file, whole, in the place of `path`; the old one keeps its inode until it is gone. */
export function put(path: string, content: string | Buffer, modified?: Date): void {
  const beside = join(dirname(path), 'being-put');
  writeFileSync(beside, content);
  if (modified !== undefined) utimesSync(beside, modified, modified);
  renameSync(beside, path);
}

/** Writes over the whole of a file, whose inode stays. @throws Error when the file would have to become shorter */
export function overwrite(path: string, content: string | Buffer): void {
  const bytes = Buffer.from(content);
  const file = openSync(path, 'r+');
  try {
    const { size } = fstatSync(file);
    if (size > bytes.length) throw new Error(`${path} has ${size} bytes, more than ${bytes.length}`);
    writeSync(file, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(file);
  }
}
