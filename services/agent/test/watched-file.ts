/** A rolled file in a folder of its own, looked at one look at a time, by a clock of the test's own. */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { NO_MEMORY } from '../src/domain/memory.ts';
import { FileWatch, type Known, type Look } from '../src/io/file-watch.ts';
import { FolderListing } from '../src/io/folder-listing.ts';
import { hashNow } from '../src/io/hash-now.ts';
import { nextTick } from './next-tick.ts';
import { readerBy } from './unlimited-reads.ts';

/** Time between two looks, in ms: archives have settled by the next. */
const APART_MS = 3_000;

/** On a busy machine so much time passes from one reading of the clock to the next, in ms: archives seem to have settled. */
const BUSY_MS = 3_000;

/** Parts of a look. */
type Moment = 'before the reading' | 'after the reading' | 'after the names';

/**
 * A watch of the file `a`, whose archives are `a.1` and so on; `look` keeps what it finds unless told not to. `restart`
 * goes on from what was kept, as an agent does that was killed. `at` does something once in the middle of the next look: before
 * or after the file's bytes are read, or when the names in the folder are, and nothing is known of them yet. `failListing` makes
 * later listings fail. `writtenAgo` sets the time of a file's last change by the test's clock.
 */
export function watched(t: Test, expression = 'a\\.[0-9]') {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-file-watch-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  let nowMs = 0;
  let passesMs = 0;
  const clock = { steadyMs: () => (nowMs += passesMs), wallMs: () => nowMs };
  const acts = new Map<Moment, () => void>();
  const at = (moment: Moment, act: () => void): void => void acts.set(moment, act);
  const pass = <T>(moment: Moment, found: T): T => {
    const act = acts.get(moment);
    acts.delete(moment);
    if (act !== undefined) nextTick();
    act?.();
    return found;
  };
  const hash = (file: string, prefix: number | null) => {
    pass('before the reading', undefined);
    return Promise.resolve(pass('after the reading', hashNow(file, prefix, Buffer.alloc(100))));
  };
  let listingFails: string | undefined;
  const failListing = (code: string): void => void (listingFails = code);
  const names = async (of: string): Promise<string[]> => {
    if (listingFails !== undefined) throw Object.assign(new Error(listingFails), { code: listingFails });
    return pass('after the names', await readdir(of));
  };
  const reader = readerBy(hash);
  const start = (): FileWatch => {
    const rolled = { expression, listing: new FolderListing(folder, clock.steadyMs, names) };
    return new FileWatch({ path: path('a'), frequency: 'PROBE', rolled, reader, share: 1 }, clock);
  };
  let watch = start();
  let known: Known = { memory: NO_MEMORY, archives: [] };
  const look = async (isKept = true, apartMs = APART_MS): Promise<Look> => {
    nowMs += apartMs;
    const found = await watch.look(known, false);
    if (isKept) {
      known = after(known, found);
      watch.confirmSaved();
    } else watch.invalidate();
    // What changes after the look gets another time than the look saw.
    nextTick();
    return found;
  };
  const restart = (): void => void (watch = start());
  const beBusy = (ms = BUSY_MS): void => void (passesMs = ms);
  const writtenAgo = (name: string, ms: number): void =>
    utimesSync(path(name), (nowMs - ms) / 1_000, (nowMs - ms) / 1_000);
  const isPending = (): boolean => watch.isUnsettled;
  return { path, look, restart, beBusy, at, failListing, isPending, writtenAgo };
}

function after({ memory, archives }: Known, { archives: listed, seen }: Look): Known {
  const now = seen !== undefined && 'now' in seen ? { ...memory, last: seen.now } : memory;
  const told = seen !== undefined && 'archivesNow' in seen ? seen.archivesNow : undefined;
  return { memory: now, archives: told ?? listed ?? archives };
}

/** Three archives, `a.3` the oldest, beside the file. */
export async function withArchives({ path, look }: ReturnType<typeof watched>, text: string): Promise<void> {
  for (const name of ['a.3', 'a.2', 'a.1']) {
    writeFileSync(path(name), name);
    const seconds = 1_000 - Number(name.slice(2));
    utimesSync(path(name), seconds, seconds);
  }
  writeFileSync(path('a'), text);
  await look();
}

/** The name of each archive goes up by one. */
export function shift(path: (name: string) => string): void {
  for (let n = 8; n >= 1; n -= 1)
    if (existsSync(path(`a.${n}`))) renameSync(path(`a.${n}`), path(`a.${n + 1}`));
}

/** Rotates by a rename. */
export function rotate(path: (name: string) => string, text: string): void {
  shift(path);
  renameSync(path('a'), path('a.1'));
  writeFileSync(path('a'), text);
}

/** Copies the file to the newest archive; `cut` empties it. */
export function copy(path: (name: string) => string): void {
  shift(path);
  copyFileSync(path('a'), path('a.1'));
}

export const cut = (path: (name: string) => string): void => truncateSync(path('a'));
