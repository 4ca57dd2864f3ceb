import { readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '@sentinel-node/contracts';
import { NO_MEMORY, type ArchiveMemory, type FileMemory } from '../domain/memory.ts';
import { unseal, unsealParts } from './sealed.ts';

export const ARCHIVES = 'archives.json';
const NAME = /^report-(\d{16})\.json$/;
/** Without a number: of an older agent. */
const ACCEPTED = /^accepted(?:-(\d{16}))?\.json$/;
const ASIDE = /^(refused|broken)-/;
/** What is kept of a file for a person to look at; the oldest go first. */
const ASIDE_FILES = 100;

/** A report that waits, with what is remembered once it is made. The sequence is in the name, not in the text. */
export interface Spooled {
  readonly report: Report;
  readonly memory: FileMemory;
}

export interface SpoolContents {
  readonly accepted: FileMemory;
  readonly archives: readonly ArchiveMemory[];
  readonly waiting: readonly { readonly sequence: number; readonly bytes: number; readonly entry: Spooled }[];
  /** Names of what could not be read and was set aside. */
  readonly broken: readonly string[];
}

const SEQUENCE_DIGITS = 16;
const numbered = (word: string, sequence: number): string =>
  `${word}-${String(sequence).padStart(SEQUENCE_DIGITS, '0')}.json`;
export const nameOf = (sequence: number): string => numbered('report', sequence);
export const acceptedName = (sequence: number): string => numbered('accepted', sequence);

/** Reads a report that waits; its sequence is that of its name. undefined: it is not whole. */
export function readReport(folder: string, sequence: number): { entry: Spooled; bytes: number } | undefined {
  const text = readFileSync(join(folder, nameOf(sequence)), 'utf8');
  const value = unsealParts<Spooled>(text);
  if (typeof value?.report !== 'object' || typeof value.memory !== 'object') return undefined;
  const report = { ...value.report, sequence };
  const memory = { ...NO_MEMORY, ...value.memory, sequence };
  return { entry: { report, memory }, bytes: text.length };
}

/**
 * Reads the folder of a file; makes the folder if it is missing. What is not whole is set aside, and with a report all
 * that builds on it: the file goes on from the last state that is sure.
 * @throws Error of node:fs
 */
export async function readFolder(folder: string): Promise<SpoolContents> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = (await readdir(folder)).sort();
  for (const name of names.filter((one) => one.endsWith('.part'))) rmSync(join(folder, name));
  const broken: string[] = [];
  const aside = (name: string): void => {
    renameSync(join(folder, name), join(folder, `broken-${name}`));
    broken.push(name);
  };
  const accepted = readMemory(folder, names, aside);
  const archives = readArchives(folder, names, aside);
  const waiting: { sequence: number; bytes: number; entry: Spooled }[] = [];
  for (const name of names.filter((one) => NAME.test(one))) {
    const sequence = Number(NAME.exec(name)?.[1]);
    if (sequence <= accepted.sequence) {
      rmSync(join(folder, name)); // answered already: the process ended before the file was removed
      continue;
    }
    const read = broken.some((one) => NAME.test(one)) ? undefined : readReport(folder, sequence);
    if (read === undefined) aside(name);
    else waiting.push({ sequence, ...read });
  }
  if (broken.length > 0 || names.some((name) => ASIDE.test(name))) await pruneAside(folder);
  return { accepted, archives, waiting, broken };
}

/** The newest accepted state; what is older was left by a process that ended before it was removed. */
function readMemory(folder: string, names: readonly string[], aside: (name: string) => void): FileMemory {
  const newestFirst = names.filter((one) => ACCEPTED.test(one)).reverse();
  for (const name of newestFirst) {
    const text = readFileSync(join(folder, name), 'utf8');
    // The report that was accepted last became this file by a rename.
    const value = unsealParts<FileMemory & Spooled>(text);
    const memory = value?.memory ?? value;
    if (typeof memory?.sequence === 'number') {
      const sequence = Number(ACCEPTED.exec(name)?.[1] ?? memory.sequence);
      return { ...NO_MEMORY, ...memory, sequence };
    }
    aside(name);
  }
  return NO_MEMORY;
}

function readArchives(
  folder: string,
  names: readonly string[],
  aside: (name: string) => void,
): ArchiveMemory[] {
  if (!names.includes(ARCHIVES)) return [];
  const value = unseal(readFileSync(join(folder, ARCHIVES), 'utf8'));
  if (Array.isArray(value)) return value;
  aside(ARCHIVES);
  return [];
}

/** Keeps the newest of what was set aside. */
export async function pruneAside(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => ASIDE.test(name));
  if (names.length <= ASIDE_FILES) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).ctimeMs })),
  );
  aged.sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1));
  for (const { name } of aged.slice(ASIDE_FILES)) rmSync(join(folder, name), { force: true });
}
