import { stat } from 'node:fs/promises';
import type { Archive, Version } from '@sentinel-node/contracts';
import type { ArchiveMemory, FileMemory } from '../domain/memory.ts';
import type { Observation } from '../domain/observation.ts';
import { findArchives, type ArchiveFile } from './archives.ts';
import { hashArchive } from './hash-file.ts';

type Matches = (name: string) => boolean;

/** Archives that appeared since the last rotation, oldest first. */
export async function newArchives(
  path: string,
  matches: Matches,
  known: ArchiveMemory | null,
): Promise<ArchiveFile[]> {
  const all = await findArchives(path, matches);
  return all.filter((archive) => known === null || archive.modifiedAt > known.modifiedAt);
}

/** The newest archive as it is now; undefined when there is none. */
export async function newestArchive(path: string, matches: Matches): Promise<ArchiveMemory | undefined> {
  const newest = (await findArchives(path, matches)).at(-1);
  return newest === undefined ? undefined : remembered(newest, (await hashArchive(newest.path, 0)).whole);
}

/**
 * Reads what a rotation left: the remembered version again from the oldest new archive, and what each archive holds.
 * `complete` is false while the oldest one does not begin with the remembered version: it may still be written.
 */
export async function readRotation(
  path: string,
  matches: Matches,
  memory: FileMemory,
  now: Version,
): Promise<{ complete: boolean; observation: Observation }> {
  const last = memory.last;
  const archives: Archive[] = [];
  let prefix: Version | null = null;
  let newest: ArchiveMemory | null = null;
  let readable = true;
  for (const file of await newArchives(path, matches, memory.archive)) {
    const hashed = await hashArchive(file.path, last?.length ?? 0).catch(() => undefined);
    if (hashed === undefined) {
      readable = false;
      continue;
    }
    prefix ??= hashed.prefix;
    newest = remembered(file, hashed.whole);
    archives.push({ name: file.name, ...hashed.whole });
  }
  const complete = readable && prefix !== null && prefix.hash === last?.hash && prefix.length === last.length;
  return { complete, observation: { kind: 'rolled', now, prefix, archives, newest } };
}

/** Compares the newest archive with what was reported of it; it may have been renamed or compressed since. */
export async function changedArchive(
  path: string,
  matches: Matches,
  known: ArchiveMemory,
  checked: string | undefined,
): Promise<{ signature: string | undefined; changed?: ArchiveMemory }> {
  const all = await findArchives(path, matches);
  const file =
    all.find((archive) => archive.modifiedAt === known.modifiedAt) ??
    all.find((archive) => archive.name === known.name || archive.name === `${known.name}.gz`);
  if (file === undefined) return { signature: undefined };
  const about = await stat(file.path);
  const signature = `${about.ino}:${about.size}:${about.mtimeMs}:${about.ctimeMs}`;
  if (signature === checked) return { signature };
  const { whole } = await hashArchive(file.path, 0);
  if (whole.hash === known.hash && whole.length === known.length) return { signature };
  return { signature, changed: remembered(file, whole) };
}

const remembered = (file: ArchiveFile, whole: Version): ArchiveMemory => ({
  name: file.name,
  length: whole.length,
  hash: whole.hash,
  modifiedAt: file.modifiedAt,
});
