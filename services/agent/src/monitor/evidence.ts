import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';
import { writeWhole } from '../io/sealed.ts';
import type { Result } from './judge-look.ts';

/**
 * Most evidence files per state file and kind: what anybody can cause, such as unsigned results, leaves room for what only the
 * log's key can.
 */
const EVIDENCE_FILES = 100;
const NAME_DIGITS = 16;

export interface Evidence {
  readonly result: Result;
  readonly text: string;
  /** Whether the log signed another root of the kept size: evidence by itself, without a tile. */
  readonly isFork: boolean;
  /** Signed text of the note; undefined for a note that the log did not sign. */
  readonly signedText: string | undefined;
  /** The log's note, unchanged. */
  readonly checkpoint: string;
  /** The kept signed note. */
  readonly kept: string | undefined;
  /** The wrong entry in hex. */
  readonly entry?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The path of a written file, or why it was not written, such as the code of an error of node:fs. */
export type Written = { readonly path: string } | { readonly why: string };

/** Writes a file beside the state file. A finding is told also when nothing can be written. @throws errors not of node:fs */
export const written = (path: string, text: string): Promise<Written> =>
  tried(async () => {
    await writeWhole(path, text);
    return { path };
  });

/**
 * Writes the evidence beside the state file: one file per kind and signed text, `EVIDENCE_FILES` files of a kind at most.
 * @throws errors not of node:fs
 */
export const keepEvidence = (state: string, evidence: Evidence): Promise<Written> =>
  tried(async () => {
    const { isFork, kept, at, signedText, ...found } = evidence;
    const kind = isFork ? 'two-roots' : found.result.toLowerCase().replaceAll('_', '-');
    const prefix = `${basename(state)}.evidence-${kind}-`;
    const subject = `${found.result}\n${signedText ?? found.checkpoint}`;
    const hash = createHash('sha256').update(subject).digest('hex');
    const name = `${prefix}${hash.slice(0, NAME_DIGITS)}.json`;
    const folder = dirname(state);
    const there = (await readdir(folder)).filter((one) => one.startsWith(prefix));
    const path = join(folder, name);
    if (there.includes(name)) return { path };
    if (there.length >= EVIDENCE_FILES) return { why: `${EVIDENCE_FILES} files of such evidence are there` };
    const said = { ...found, kept: kept ?? null, at: new Date(at).toISOString() };
    await writeWhole(path, `${JSON.stringify(said, null, 2)}\n`);
    return { path };
  });

async function tried(write: () => Promise<Written>): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    const why = codeOf(error);
    if (why === undefined) throw error;
    return { why };
  }
}
