/** Tests that all reads of file contents share one rate, and that a long read keeps no other from its look. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { NO_MEMORY } from '../src/domain/memory.ts';
import { Gate } from '../src/gate.ts';
import { FileReader } from '../src/io/file-reader.ts';
import { FileWatch } from '../src/io/file-watch.ts';
import { FolderListing } from '../src/io/folder-listing.ts';
import { HashPool } from '../src/io/hash-pool.ts';
import { LARGE_BYTES } from '../src/io/piece-reads.ts';
import { FILE_MS, hashOf } from './agent-process.ts';

t.setTimeout(FILE_MS);

const MIB = 1_048_576;
/** What a read may begin with: the first piece is free, and so is a short credit. */
const FREE_MS = 350;

function stage(t: Test, bytesPerSecond: number) {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-read-rate-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const pool = new HashPool({ bytesPerSecond });
  t.teardown(() => pool.close());
  return { path: (name: string): string => join(folder, name), pool };
}

const optionsOf = (path: string, more: { keepsRunning?: boolean; isLinked?: boolean } = {}) => {
  return { resume: undefined, keepsRunning: false, isLinked: false, about: statSync(path), ...more };
};

async function msOf(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

t.test('a followed file, a link and a file of another machine are read at the rate', async (t) => {
  const { path, pool } = stage(t, MIB);
  writeFileSync(path('a'), randomBytes(MIB));
  symlinkSync(path('a'), path('link'));
  const reads = {
    followed: () =>
      new FileReader(pool, { isLocal: true }).read(
        path('a'),
        null,
        optionsOf(path('a'), { keepsRunning: true }),
      ),
    linked: () =>
      new FileReader(pool, { isLocal: true }).read(
        path('link'),
        null,
        optionsOf(path('link'), { isLinked: true }),
      ),
    remote: () => new FileReader(pool, { isLocal: false }).read(path('a'), null, optionsOf(path('a'))),
  };
  for (const [name, read] of Object.entries(reads)) {
    const ms = await msOf(read);
    t.ok(ms >= 1_000 - FREE_MS, `${name}: ${ms} ms for a second's bytes`);
  }
});

/** @param outside as in `ReaderPlace` */
function rolledWatch(
  { path, pool }: ReturnType<typeof stage>,
  outside?: <T>(act: () => Promise<T>) => Promise<T>,
): FileWatch {
  const clock = { steadyMs: () => performance.now(), wallMs: () => Date.now() };
  const reader = new FileReader(pool, { isLocal: true, ...(outside === undefined ? {} : { outside }) });
  const listing = new FolderListing(path('.'), clock.steadyMs);
  const rolled = { expression: 'a\\.[0-9](\\.gz)?', listing };
  return new FileWatch({ path: path('a'), frequency: 'PROBE', rolled, reader, share: 1 }, clock);
}

t.test('archives are read at the rate, compressed or not', async (t) => {
  const staged = stage(t, MIB);
  const { path } = staged;
  const text = randomBytes(MIB / 2);
  writeFileSync(path('a'), 'one');
  writeFileSync(path('a.1'), text);
  writeFileSync(path('a.2.gz'), gzipSync(text));
  const ms = await msOf(async () => {
    const { seen } = await rolledWatch(staged).look({ memory: NO_MEMORY, archives: [] }, false);
    t.equal(seen?.kind === 'file' ? seen.archivesNow?.length : 0, 2);
  });
  t.ok(ms >= 1_000 - FREE_MS, `${ms} ms for a second's bytes`);
});

t.test('all reads together keep to the rate', async (t) => {
  const { path, pool } = stage(t, 3 * MIB);
  const names = ['a', 'b', 'c'];
  for (const name of names) writeFileSync(path(name), randomBytes(3 * MIB));
  const reader = new FileReader(pool, { isLocal: true });
  const ms = await msOf(() =>
    Promise.all(
      names.map((name, n) => reader.read(path(name), null, optionsOf(path(name), { keepsRunning: n === 2 }))),
    ),
  );
  t.ok(ms >= 3_000 - FREE_MS, `${ms} ms for the bytes of three seconds`);
});

t.test('a short read does not wait for a long one', async (t) => {
  const { path, pool } = stage(t, MIB);
  writeFileSync(path('long'), '');
  truncateSync(path('long'), LARGE_BYTES + 1); // a minute and more at this rate
  writeFileSync(path('short'), 'one');
  const reader = new FileReader(pool, { isLocal: true });
  const read = (name: string) => reader.read(path(name), null, optionsOf(path(name), { keepsRunning: true }));
  let isRead = false;
  const long = [1, 2, 3].map(() =>
    t.rejects(
      read('long').finally(() => (isRead = true)),
      { code: 'POOL_CLOSED' },
    ),
  );
  t.match(await read('short'), { now: { length: 3, hash: hashOf('one') } });
  t.equal(isRead, false);
  await pool.close();
  await Promise.all(long);
});

t.test('a long read leaves its place among the looks', async (t) => {
  const staged = stage(t, MIB);
  const { path, pool } = staged;
  writeFileSync(path('a'), 'one');
  writeFileSync(path('a.1'), '');
  truncateSync(path('a.1'), LARGE_BYTES + 1);
  const gate = new Gate(1);
  const outside = <T>(act: () => Promise<T>): Promise<T> => gate.outside(act);
  const long = optionsOf(path('a.1'), { keepsRunning: true });
  const looks: Readonly<Record<string, () => Promise<unknown>>> = {
    'a followed file': () => new FileReader(pool, { isLocal: true, outside }).read(path('a.1'), null, long),
    'a remote file': () =>
      new FileReader(pool, { isLocal: false, outside }).read(path('a.1'), null, optionsOf(path('a.1'))),
    archives: () => rolledWatch(staged, outside).look({ memory: NO_MEMORY, archives: [] }, false),
  };
  const ended: string[] = [];
  const running = Object.entries(looks).map(([name, look]) =>
    gate
      .run(look)
      .catch(() => undefined)
      .finally(() => ended.push(name)),
  );
  await gate.run(async () => t.same(ended, [], 'another look has its turn before'));
  await pool.close();
  await Promise.all(running);
});
