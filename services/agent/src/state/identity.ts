import { statSync } from 'node:fs';

/** Returns device and inode of the file at the path; undefined without a file. @throws Error of node:fs */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
