import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RE2JS } from 're2js';

export interface ArchiveFile {
  readonly name: string;
  readonly path: string;
  /** Milliseconds; a rename and gzip both keep it. */
  readonly modifiedAt: number;
}

/** A matcher of whole base names; RE2 so that no pattern can hang the agent. */
export function archivePattern(pattern: string): (name: string) => boolean {
  const compiled = RE2JS.compile(pattern);
  return (name) => compiled.matches(name);
}

/** Archives of a rolled file: regular files of its folder whose base name matches, oldest first. */
export async function findArchives(path: string, matches: (name: string) => boolean): Promise<ArchiveFile[]> {
  const folder = dirname(path);
  const own = basename(path);
  const names = (await readdir(folder)).filter((name) => name !== own && matches(name));
  const found: ArchiveFile[] = [];
  for (const name of names) {
    const file = join(folder, name);
    const about = await stat(file).catch(() => undefined); // gone meanwhile: a rotation is under way
    if (about?.isFile() === true) found.push({ name, path: file, modifiedAt: about.mtimeMs });
  }
  return found.sort((a, b) => a.modifiedAt - b.modifiedAt || (a.name < b.name ? 1 : -1));
}
