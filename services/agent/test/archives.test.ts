import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { gzipSync } from 'node:zlib';
import { FILE_MS, hashOf, stage, until, type Stage } from './agent-process.ts';
import { overwrite, put } from './put-file.ts';

t.setTimeout(FILE_MS);

const rolled = (rolledfilenameregexp: string) => ({ rolled: true, rolledfilenameregexp });
const ANY = rolled('0\\.log\\.[0-9]+(\\.(gz|xz|zst|bz2))?');
const EMPTY = hashOf('');

async function watched(t: Test, file: object): Promise<Stage> {
  const scene = await stage(t, file);
  writeFileSync(scene.path('0.log'), 'one\n');
  scene.start();
  await until('FIRST', () => scene.changes().includes('FIRST'));
  return scene;
}

/** Renames the log's archives up by one, as logrotate does, and writes a new log. */
async function rotate({ path, server, changes }: Stage, archives: number, ending = ''): Promise<void> {
  const before = changes().filter((one) => one === 'ROLLED').length;
  for (let n = archives; n >= 1; n -= 1)
    renameSync(path(`0.log.${n}${ending}`), path(`0.log.${n + 1}${ending}`));
  renameSync(path('0.log'), path(`0.log.1`));
  if (ending === '.gz') {
    put(path('0.log.1.gz'), gzipSync(readFileSync(path('0.log.1'))));
    rmSync(path('0.log.1'));
  }
  put(path('0.log'), `log after ${before}\n`);
  await until('ROLLED', () => changes().filter((one) => one === 'ROLLED').length === before + 1);
  t.equal(server.reports.findLast(({ change }) => change === 'ROLLED')?.archives?.length, 1);
}

const isRequired = (process.env['SENTINEL_TEST_REQUIRE'] ?? '').split(',').includes('archivers');

for (const [program, ending] of [
  ['xz', 'xz'],
  ['zstd', 'zst'],
  ['bzip2', 'bz2'],
] as const) {
  const isHere = spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
  const skip = isHere || isRequired ? false : `there is no ${program} on this machine`;
  t.test(`a rotation with ${program}`, { skip }, async (t) => {
    const { path, server, changes } = await watched(t, rolled(`0\\.log\\.1\\.${ending}`));
    appendFileSync(path('0.log'), 'two\n');
    await until('APPENDED', () => changes().includes('APPENDED'));
    renameSync(path('0.log'), path('0.log.1'));
    spawnSync(program, ['-q', ...(program === 'zstd' ? ['--rm'] : []), path('0.log.1')]);
    put(path('0.log'), 'new\n');
    await until('ROLLED', () => changes().includes('ROLLED'));
    matchWhole(t, server.reports.at(-1), {
      versions: [{ length: 8, hash: hashOf('one\ntwo\n') }, { hash: hashOf('new\n') }],
      archives: [{ name: `0.log.1.${ending}`, length: 8, hash: hashOf('one\ntwo\n') }],
    });
  });
}

t.test('an archive that no program of this machine reads is told beside the alert', async (t) => {
  const scene = await stage(t, rolled('0\\.log\\.1\\.xz'));
  const { path, server, changes } = scene;
  writeFileSync(path('0.log'), 'one\n');
  scene.start({ PATH: path('no-programs') });
  await until('FIRST', () => changes().includes('FIRST'));
  // The new file may get the inode of the old one, and be no rotation: the archive is told in either case.
  rmSync(path('0.log'));
  put(path('0.log.1.xz'), Buffer.from('fd377a585a000004e6d6b446', 'hex'));
  put(path('0.log'), 'new\n');
  await until('told', () => server.events().some(({ code }) => code === 'ARCHIVE_UNREADABLE'));
  const told = server.events().find(({ code }) => code === 'ARCHIVE_UNREADABLE');
  t.match(told?.message, /0\.log\.1\.xz: the program xz is not installed/);
});

t.test('an archive that still grows is waited for', async (t) => {
  const { path, server, changes } = await watched(t, rolled('0\\.log\\.1\\.gz'));
  const packed = gzipSync('one\nand the rest\n');
  renameSync(path('0.log'), path('0.log.1'));
  put(path('0.log'), 'new\n');
  writeFileSync(path('0.log.1.gz'), packed.subarray(0, 15));
  // Wait longer than any rotation takes to settle: the first heartbeat may come at once, the second is a whole interval later.
  const beats = server.heartbeats.length;
  await until('two heartbeats later', () => server.heartbeats.length >= beats + 2);
  t.same(changes(), ['FIRST']);
  appendFileSync(path('0.log.1.gz'), packed.subarray(15));
  await until('ROLLED', () => changes().includes('ROLLED'));
  matchWhole(t, server.reports.at(-1), {
    versions: [{ hash: hashOf('one\n') }, { hash: hashOf('new\n') }],
    archives: [{ hash: hashOf('one\nand the rest\n') }],
  });
});

t.test('every archive is known: an edited and a lost one are told, renames are not', async (t) => {
  const scene = await watched(t, ANY);
  const { path, server, changes } = scene;
  for (let n = 0; n < 3; n += 1) await rotate(scene, n, '.gz');
  t.notOk(changes().includes('ARCHIVE_CHANGED'));
  overwrite(path('0.log.2.gz'), gzipSync('another past\n'));
  await until('the edit', () => changes().includes('ARCHIVE_CHANGED'));
  t.same(server.reports.at(-1)?.archives, [
    { name: '0.log.2.gz', length: 13, hash: hashOf('another past\n') },
  ]);
  rmSync(path('0.log.1.gz'));
  await until('the loss', () => changes().filter((one) => one === 'ARCHIVE_CHANGED').length === 2);
  t.same(server.reports.at(-1)?.archives, [{ name: '0.log.1.gz', length: 0, hash: EMPTY }]);
  truncateSync(path('0.log.3.gz'), 5);
  await until('the cut', () => changes().filter((one) => one === 'ARCHIVE_CHANGED').length === 3);
});

t.test('a compressed archive of which nothing is written yet is no archive of nothing', async (t) => {
  const { path, server, changes } = await watched(t, ANY);
  const text = 'one\nand the rest\n';
  writeFileSync(path('0.log'), text);
  await until('the growth', () => changes().includes('APPENDED'));
  renameSync(path('0.log'), path('0.log.1'));
  writeFileSync(path('0.log.1.gz'), '');
  writeFileSync(path('0.log'), 'new\n');
  const begun = performance.now();
  await until('a time in which an archive counts', () => performance.now() >= begun + 5_000);
  overwrite(path('0.log.1.gz'), gzipSync(text));
  rmSync(path('0.log.1'));
  await until('the rotation', () => changes().includes('ROLLED'));
  matchList(t, server.reports.filter(({ change }) => change === 'ROLLED')[0]?.archives, [
    { hash: hashOf(text) },
  ]);
  t.notOk(changes().includes('ARCHIVE_CHANGED'));
});

t.test('the oldest archive may go: with a rotation silently, without one as an event', async (t) => {
  const scene = await watched(t, ANY);
  const { path, server, changes } = scene;
  for (let n = 0; n < 3; n += 1) await rotate(scene, n);
  rmSync(path('0.log.3'));
  await rotate(scene, 2);
  rmSync(path('0.log.3'));
  rmSync(path('0.log.2'));
  await until('told', () => server.events().some(({ code }) => code === 'ARCHIVE_REMOVED'));
  t.notOk(changes().includes('ARCHIVE_CHANGED'));
});
