import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import {
  BACKUP_FORMAT,
  BackupManifestSchema,
  type BackupManifest,
  codeOf,
  isRecord,
} from '@sentinel-node/contracts';
import { compileChecker, type LogKey } from '@sentinel-node/platform';
import { BackupError } from './errors.ts';
import { factsOf, flush } from './line-file.ts';
import { SIGNATURE_FILE, writeSignature } from './signature.ts';

const FILE = 'manifest.json';
/** End of the names of the files that a manifest names. */
const LINES = '.ndjson.gz';

export type Manifest = BackupManifest;
const checker = compileChecker(BackupManifestSchema);

/** Returns the numbers of documents and records. */
export function totalsOf({ collections, partitions }: Pick<Manifest, 'collections' | 'partitions'>): {
  readonly documents: number;
  readonly records: number;
} {
  const sum = (files: readonly { readonly lines: number }[]) =>
    files.reduce((total, { lines }) => total + lines, 0);
  return { documents: sum(collections), records: sum(partitions) };
}

/** Creates the folder, which is on the disk then. @throws BackupError when the folder is not empty */
export async function emptyFolder(folder: string): Promise<void> {
  for (const made of await madeFolders(resolve(folder))) await flush(dirname(made));
  if ((await readdir(folder)).length > 0) throw new BackupError(`the folder ${folder} is not empty`);
}

/**
 * Makes the folders of a path that are not there, one after the other: `mkdir` of Node.js with `recursive` does not end in `/proc`,
 * where nothing can be made. @returns these, the outermost first @throws BackupError
 */
async function madeFolders(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = path; !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing)
    try {
      await mkdir(folder, { mode: 0o700 });
    } catch (cause) {
      const code = codeOf(cause);
      if (code === 'ENOENT') throw new BackupError(`the folder ${folder} cannot be made there`, { cause });
      if (code !== 'EEXIST') throw cause;
    }
  return missing;
}

/**
 * Signs and writes the manifest, the last file of a backup, after the names of the others are on the disk: a folder without it is
 * not a backup.
 */
export async function writeManifest(
  folder: string,
  written: Omit<Manifest, 'format'>,
  key: LogKey,
): Promise<void> {
  const manifest: Manifest = { format: BACKUP_FORMAT, ...written };
  await writeSignature(folder, manifest, key);
  await flush(join(folder, SIGNATURE_FILE));
  const beside = join(folder, `${FILE}.part`);
  await writeFile(beside, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await flush(beside);
  for (const name of foldersOf(manifest)) await flush(join(folder, name));
  await flush(folder);
  await rename(beside, join(folder, FILE));
  await flush(folder);
}

/** Returns the folders in which the files of a backup are, and those in which these folders are. */
function foldersOf({ collections, partitions }: Pick<Manifest, 'collections' | 'partitions'>): Set<string> {
  const folders = new Set<string>();
  for (const { file } of [...collections, ...partitions])
    for (let at = dirname(file); at !== '.'; at = dirname(at)) folders.add(at);
  return folders;
}

/** Reads the manifest and checks every file in it. @throws BackupError when a file is not as it was written */
export async function checkedManifest(folder: string, writeLine: (line: string) => void): Promise<Manifest> {
  const manifest = await readManifest(folder);
  for (const { file, bytes, sha256 } of [...manifest.collections, ...manifest.partitions]) {
    const found = await factsOf(join(folder, file));
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new BackupError(
        `${join(folder, file)} is not as it was written: ${found.bytes} bytes, SHA-256 ${found.sha256}`,
      );
  }
  const named = new Set([...manifest.collections, ...manifest.partitions].map(({ file }) => file));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/');
    if (entry.isFile() && file.endsWith(LINES) && !named.has(file))
      throw new BackupError(`${join(folder, file)} is there, and the manifest does not name it`);
  }
  if (totalsOf(manifest).documents === 0)
    throw new BackupError(`${folder} holds no document: it is no backup of a system`);
  writeLine(`${manifest.collections.length + manifest.partitions.length} files are as they were written`);
  return manifest;
}

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, FILE);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT') throw new BackupError(`${folder} holds no whole backup: ${FILE} is missing`);
    if (cause instanceof SyntaxError) throw new BackupError(`${path} is not JSON`, { cause });
    throw cause;
  }
  if (isRecord(value) && Number(value['format']) > BACKUP_FORMAT)
    throw new BackupError(
      `${folder} has the format ${Number(value['format'])}, and this version knows none above ${BACKUP_FORMAT}: restore it with the version that made it, or a later one`,
    );
  if (!checker.check(value))
    throw new BackupError(`${path} is not a manifest of this format (${BACKUP_FORMAT})`);
  return value;
}
