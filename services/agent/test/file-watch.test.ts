/** Looks at a rolled file and its archives, one at a time, by a clock of the test's own. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { NO_MEMORY } from '../src/domain/memory.ts';
import { FileReader } from '../src/io/file-reader.ts';
import { FileWatch, type Known, type Look } from '../src/io/file-watch.ts';
import { FolderListing } from '../src/io/folder-listing.ts';
import { hashNow } from '../src/io/hash-now.ts';
import { hashOf } from './agent-process.ts';

/** Time between two looks, in ms: archives have settled by the next. */
const APART_MS = 3_000;

/** A watch of the file `a`, whose archives are `a.1` and so on; `look` keeps what it finds unless told not to. */
function watched(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-file-watch-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  let nowMs = 0;
  const clock = { steadyMs: () => nowMs, wallMs: () => nowMs };
  const hash = (file: string, prefix: number | null) =>
    Promise.resolve(hashNow(file, prefix, Buffer.alloc(100)));
  const reader = new FileReader({ hash, isPaced: true }, { isLocal: true });
  const rolled = { expression: 'a\\.[0-9]', listing: new FolderListing(folder, clock.steadyMs) };
  const watch = new FileWatch({ path: path('a'), frequency: 'PROBE', rolled, reader, share: 1 }, clock);
  let known: Known = { memory: NO_MEMORY, archives: [] };
  const look = async (isKept = true): Promise<Look> => {
    nowMs += APART_MS;
    const found = await watch.look(known, false);
    if (isKept) {
      known = after(known, found);
      watch.kept();
    } else watch.invalidate();
    return found;
  };
  return { path, look };
}

function after({ memory, archives }: Known, { archives: listed, seen }: Look): Known {
  const now = seen !== undefined && 'now' in seen ? { ...memory, last: seen.now } : memory;
  const told = seen !== undefined && 'archivesNow' in seen ? seen.archivesNow : undefined;
  return { memory: now, archives: told ?? listed ?? archives };
}

t.test('a look that finds archives changed does not count as a look at the file', async (t) => {
  const { path, look } = watched(t);
  writeFileSync(path('a.1'), 'old');
  writeFileSync(path('a'), 'one');
  await look();
  writeFileSync(path('a.1'), 'OLD');
  t.equal((await look()).seen, undefined, 'archives have to stay as they are for a while');
  writeFileSync(path('a'), 'two');
  const found = await look();
  t.match(found.seen, { kind: 'archive-changed', archives: [{ name: 'a.1', hash: hashOf('OLD') }] });
  t.equal(found.unsettled, true, 'the file was not read');
  t.match((await look()).seen, { kind: 'file', now: { hash: hashOf('two') } });
});

t.test('a file that took the place is news again when the look could not be kept', async (t) => {
  const { path, look } = watched(t);
  writeFileSync(path('a'), 'one');
  await look();
  renameSync(path('a'), path('a.1'));
  // Begins with what was there, so that only the inode tells of the rotation.
  writeFileSync(path('a'), 'one and more');
  t.equal((await look(false)).seen?.kind, 'rolled');
  t.equal((await look()).seen?.kind, 'rolled');
  t.equal((await look()).seen, undefined);
});

t.test(
  'archives that a rotation lets go are expected once, and not less for a look that was not kept',
  async (t) => {
    const { path, look } = watched(t);
    writeFileSync(path('a.1'), 'old');
    writeFileSync(path('a'), 'one');
    await look();
    renameSync(path('a.1'), path('a.2'));
    renameSync(path('a'), path('a.1'));
    writeFileSync(path('a'), 'two');
    t.equal((await look()).seen?.kind, 'rolled');
    rmSync(path('a.2'));
    await look();
    t.same((await look(false)).removed, [], 'as many may go as came');
    t.same((await look()).removed, []);
  },
);
