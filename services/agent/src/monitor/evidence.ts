import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';
import { writeWhole } from '../io/sealed.ts';
import type { Result } from './judge-look.ts';

/**
 * Most evidence files per state file and result: unsigned results, which anybody can cause, leave room for signed
 * ones.
 */
const EVIDENCE_FILES = 100;
const NAME_DIGITS = 16;

export interface Evidence {
  readonly result: Result;
  readonly text: string;
  /** The log's note, unchanged. */
  readonly checkpoint: string;
  /** The kept signed note. */
  readonly kept: string | undefined;
  /** The wrong entry in hex. */
  readonly entry?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The path of a written file, or the code of the error of node:fs that kept it from being written. */
export type Written = { readonly path: string } | { readonly code: string };

/** Writes a file beside the state file. A finding is told also when nothing can be written. @throws errors not of node:fs */
export const written = (path: string, text: string): Promise<Written> =>
  tried(async () => {
    await writeWhole(path, text);
    return path;
  });

/**
 * Writes the evidence beside the state file: one file per result and checkpoint, `EVIDENCE_FILES` files at most.
 * @returns the file's path, also when the limit prevented writing it @throws errors not of node:fs
 */
export const keepEvidence = (state: string, { kept, at, ...found }: Evidence): Promise<Written> =>
  tried(async () => {
    const prefix = `${basename(state)}.evidence-${found.result.toLowerCase().replaceAll('_', '-')}-`;
    const hash = createHash('sha256').update(`${found.result}\n${found.checkpoint}`).digest('hex');
    const name = `${prefix}${hash.slice(0, NAME_DIGITS)}.json`;
    const folder = dirname(state);
    const there = (await readdir(folder)).filter((one) => one.startsWith(prefix));
    const path = join(folder, name);
    if (there.includes(name) || there.length >= EVIDENCE_FILES) return path;
    const said = { ...found, kept: kept ?? null, at: new Date(at).toISOString() };
    await writeWhole(path, `${JSON.stringify(said, null, 2)}\n`);
    return path;
  });

async function tried(write: () => Promise<string>): Promise<Written> {
  try {
    return { path: await write() };
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return { code };
  }
}
