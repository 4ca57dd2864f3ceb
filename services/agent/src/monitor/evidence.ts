import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeWhole } from '../io/sealed.ts';
import type { Result } from './judge-look.ts';

/** Beside one state file, of one result: what anybody can send leaves room for what the log signed. */
const EVIDENCE_FILES = 100;
const NAME_DIGITS = 16;

export interface Evidence {
  readonly result: Result;
  readonly text: string;
  /** Signed note, as the log gave it. */
  readonly checkpoint: string;
  /** Signed note that was kept. */
  readonly kept: string | undefined;
  /** Hex of the entry that does not fit. */
  readonly entry?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Keeps it beside the state file: one file for what is the same, none beyond `EVIDENCE_FILES`.
 * @returns its path; of the file that would hold it, when there are too many
 */
export async function keepEvidence(state: string, { kept, at, ...found }: Evidence): Promise<string> {
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
}
