/**
 * Parses lines of `sha256sum` (GNU coreutils), and checks the entries of a list of expected changes. Pure.
 */
import { isWindowsPath, type CreateExpected, type ExpectedEntry } from '@sentinel-node/contracts';
import { invalid, type Refused } from './decision.ts';
import { normalisedPath } from './paths.ts';

/**
 * `HASH  PATH`, or `HASH *PATH` for a binary file. After a leading backslash, `\n`, `\r` and `\\` in the path
 * are escapes.
 */
const LINE = /^(\\?)([0-9a-fA-F]{64}) [ *](.+)$/;
const ESCAPED: Readonly<Record<string, string>> = { '\\n': '\n', '\\r': '\r', '\\\\': '\\' };

/** Parses the lines; empty lines and comments are skipped. */
export function checksumsOf(text: string): ExpectedEntry[] | Refused {
  const entries: ExpectedEntry[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, escape, hash = '', path = ''] = LINE.exec(line) ?? [];
    if (hash === '')
      return invalid({
        path: '/checksums',
        message: `line ${at + 1} is no SHA-256 (64 hex digits) with a path`,
      });
    const whole = escape === '' ? path : path.replaceAll(/\\[nr\\]/g, (found) => ESCAPED[found]!);
    entries.push({ path: whole, sha256: hash.toLowerCase() });
  }
  return entries.length === 0 ? invalid({ path: '/checksums', message: 'has no line' }) : entries;
}

/** Returns the entries with absolute paths, each path once. */
export function expectedEntries({
  entries,
  checksums,
  folder,
}: Pick<CreateExpected, 'entries' | 'checksums' | 'folder'>): ExpectedEntry[] | Refused {
  if ((entries === undefined) === (checksums === undefined))
    return invalid({ path: '', message: 'needs either entries or checksums' });
  const given = entries ?? checksumsOf(checksums ?? '');
  if ('kind' in given) return given;
  const where = (at: number): string => (entries === undefined ? '/checksums' : `/entries/${at}/path`);
  const hashes = new Map<string, string>();
  const whole: ExpectedEntry[] = [];
  for (const [at, { path, sha256 }] of given.entries()) {
    if (folder === undefined && !isWhole(path))
      return invalid({
        path: where(at),
        message: `${shortened(path)} is not a whole path, and there is no folder`,
      });
    const key = normalisedPath(folder ?? '/', path);
    if (hashes.has(key)) return invalid({ path: where(at), message: `${shortened(path)} stands twice` });
    hashes.set(key, sha256);
    whole.push({ path: key, sha256 });
  }
  return whole;
}

const isWhole = (path: string): boolean => path.startsWith('/') || isWindowsPath(path);

const SHOWN_CHARACTERS = 200;
const shortened = (path: string): string =>
  path.length <= SHOWN_CHARACTERS ? path : `${path.slice(0, SHOWN_CHARACTERS)}…`;
