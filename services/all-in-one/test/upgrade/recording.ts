/** What another version of the product left behind: its data folder, a backup, and its answers. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

export interface Recording {
  /** Commit of the version. */
  readonly version: string;
  /** Time of the recording, ISO 8601. */
  readonly recordedAt: string;
  readonly person: { readonly email: string; readonly name: string };
  readonly orgId: string;
  readonly deviceId: string;
  readonly apiKey: string;
  /** Files that were reported until the kill: ids, with the number of versions that were answered 202. */
  readonly busy: Readonly<Record<string, number>>;
  /** Answers with proofs as text, by their paths below /api/v1, once their transactions are so deep that nothing changes. */
  readonly proofs: Readonly<Record<string, string>>;
  /** Answers by their paths; a later version may add members. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Links of each quiet file by its id, newest first. */
  readonly chains: Readonly<Record<string, readonly unknown[]>>;
  /** The alert that nobody handled. */
  readonly open: { readonly id: string; readonly deviceId: string; readonly fileId: string };
  /** The trust file of `sentinel trust`. */
  readonly trust: string;
}

/** Returns the text of the n-th version of a busy file. */
export const nthText = (n: number): string => `version ${n}`;

/**
 * Returns the places at which an answer lacks what was recorded; empty when all is there. Objects may have more members,
 * lists may not have more items. @param passing members that change by themselves
 */
export function missing(found: unknown, recorded: unknown, passing: ReadonlySet<string>, at = ''): string[] {
  if (Array.isArray(recorded)) {
    if (!Array.isArray(found) || found.length !== recorded.length) return [`${at}: another list`];
    return recorded.flatMap((item, n) => missing(found[n], item, passing, `${at}/${n}`));
  }
  if (recorded === null || typeof recorded !== 'object') return found === recorded ? [] : [at];
  if (found === null || typeof found !== 'object') return [at];
  const members = new Map(Object.entries(found));
  return Object.entries(recorded).flatMap(([name, value]) =>
    passing.has(name) ? [] : missing(members.get(name), value, passing, `${at}/${name}`),
  );
}

/** Parts of a recording that are folders. */
type Part = 'data-folder' | 'backup';

const RECORDING = 'recording.json';
const PACKED = '.br';
/** The pages of a write-ahead log come again after megabytes. */
const PACKING = { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } };

export const readRecording = (folder: string): Recording =>
  JSON.parse(readFileSync(join(folder, RECORDING), 'utf8')) as Recording;

/** Writes a recording with its folders; replaces what was there. */
export function writeRecording(
  folder: string,
  recording: Recording,
  parts: Readonly<Record<Part, string>>,
): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, RECORDING), `${JSON.stringify(recording, null, 2)}\n`);
  for (const [part, from] of Object.entries(parts))
    for (const file of filesIn(from))
      write(
        join(folder, part, `${file}${PACKED}`),
        brotliCompressSync(readFileSync(join(from, file)), PACKING),
      );
}

/** Unpacks a folder of a recording into an empty one. */
export function unpack(folder: string, part: Part, to: string): void {
  const from = join(folder, part);
  for (const file of filesIn(from))
    write(join(to, file.slice(0, -PACKED.length)), brotliDecompressSync(readFileSync(join(from, file))));
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

function write(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}
