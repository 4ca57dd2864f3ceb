/** Archives that cannot be read, looked at one look at a time: each way to meet one says so. */
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { FileNotices } from '../src/file-notices.ts';
import { ArchiveWatch } from '../src/io/archive-watch.ts';
import type { ArchiveMemory } from '../src/domain/memory.ts';
import type { Look } from '../src/io/file-watch.ts';
import { hashOf } from './agent-process.ts';
import { readerBy } from './unlimited-reads.ts';
import { watched, withArchives } from './watched-file.ts';

/** Starts as gzip does and is none. */
const NO_GZIP = Buffer.from('1f8b08ff00000000', 'hex');
const FAULT = [/^a\.1: /];

/** Rotates the file into an archive that cannot be read; the new file is longer than the old one. */
function rotateUnreadably(path: (name: string) => string): void {
  writeFileSync(path('a.1'), NO_GZIP);
  writeFileSync(path('next'), 'three and more');
  renameSync(path('next'), path('a'));
}

t.test('beside a change that a rotation may explain, after a restart', async (t) => {
  const { path, look, restart } = watched(t);
  writeFileSync(path('a'), 'one');
  await look();
  rotateUnreadably(path);
  restart();
  t.match(await look(), { seen: { kind: 'file' }, faults: FAULT });
});

t.test('beside a change that a rotation may explain, when the new file has the old inode', async (t) => {
  const { path, look } = watched(t);
  writeFileSync(path('a'), 'one');
  await look();
  writeFileSync(path('a.1'), NO_GZIP);
  writeFileSync(path('a'), 'three and more');
  t.match(await look(), { seen: { kind: 'file' }, faults: FAULT });
});

t.test('beside the change of a known archive', async (t) => {
  const { path, look, restart } = watched(t);
  writeFileSync(path('a.1'), 'old');
  writeFileSync(path('a'), 'one');
  await look();
  restart();
  writeFileSync(path('a.1'), NO_GZIP);
  await look();
  t.match(await look(), { seen: { kind: 'archive-changed' }, faults: FAULT });
});

t.test('beside a file that goes on, once the archive stays as it is', async (t) => {
  const { path, look } = watched(t);
  writeFileSync(path('a'), 'one');
  await look();
  writeFileSync(path('a.1'), NO_GZIP);
  t.match(await look(), { faults: undefined }, 'it may still be written');
  appendFileSync(path('a'), ' and more');
  t.match((await look()).faults, FAULT);
  rmSync(path('a.1'));
  t.same((await look()).faults, []);
});

t.test('an archive whose name is no longer UTF-8 is lost', async (t) => {
  const stage = watched(t, 'a\\..');
  const { path, look } = stage;
  await withArchives(stage, 'one');
  await look();
  renameSync(path('a.2'), Buffer.concat([Buffer.from(path('a.')), Buffer.from([0xff])]));
  await look();
  matchWhole(t, await look(), { seen: { kind: 'archive-changed', archives: [{ name: 'a.2', length: 0 }] } });
});

t.test('of more than 1,000 archives the newest are known', async (t) => {
  const { path } = watched(t);
  writeFileSync(path('a.1'), 'old');
  const files = Array.from({ length: 1_001 }, (_, n) => ({
    ...{
      name: `a.${n}`,
      path: path('a.1'),
      size: 3,
      inode: `1:${n}`,
      modifiedAt: n,
      changedAt: n,
      signature: `1:${n}:3:${n}:${n}`,
    },
  }));
  let nowMs = 0;
  const archives = new ArchiveWatch(() => Promise.resolve(files), readerBy(), {
    steadyMs: () => nowMs,
    wallMs: () => nowMs,
  });
  const known = await archives.all();
  t.same([known.length, known[0]?.name, known.at(-1)?.name], [1_000, 'a.1', 'a.1000']);
  nowMs = 3_000;
  const later = await archives.check(known, { length: 3, hash: hashOf('one') });
  t.same([later.changed, later.removed, later.pending], [[], [], false]);
  t.equal(later.known, undefined, 'and stay known');
});

t.test('an archive that is gone before it is read is no unreadable one', async (t) => {
  const gone = {
    name: 'a.1',
    path: '/no/a.1',
    size: 3,
    inode: '1:1',
    modifiedAt: 0,
    changedAt: 0,
    signature: '1:1:3:0:0',
  };
  const archives = new ArchiveWatch(() => Promise.resolve([gone]), readerBy(), {
    steadyMs: () => 0,
    wallMs: () => 0,
  });
  const last = { length: 3, hash: hashOf('one') };
  t.same((await archives.rotation([], last, last)).faults, []);
});

t.test('an archive that cannot be read is not read at every look while the file grows', async (t) => {
  const { path } = watched(t);
  writeFileSync(path('broken'), NO_GZIP);
  writeFileSync(path('good'), 'zero');
  let [nowMs, at] = [0, path('broken')];
  const archive = { name: 'a.1', size: 8, inode: '1:1', modifiedAt: 0, changedAt: 0, signature: '1:1:8:0:0' };
  const archives = new ArchiveWatch(() => Promise.resolve([{ ...archive, path: at }]), readerBy(), {
    steadyMs: () => nowMs,
    wallMs: () => nowMs,
  });
  const faultsWith = async (length: number) =>
    (await archives.check([], { length, hash: hashOf(String(length)) })).faults;
  await faultsWith(3);
  nowMs = 3_000;
  t.match(await faultsWith(3), FAULT);
  at = path('good');
  t.match(await faultsWith(4), FAULT, 'it is not read again for a longer file');
  nowMs = 700_000;
  t.same(await faultsWith(5), [], 'later it is: its program may be there by then');
});

t.test('a fault is told once, and again when it comes back', (t) => {
  const told: string[] = [];
  const notices = new FileNotices({
    id: 'f',
    path: '/a',
    log: () => undefined,
    notice: (code) => void told.push(code),
  });
  const fault = ['a.1: no gzip'];
  for (const faults of [fault, undefined, fault]) notices.archivesUnreadable(faults);
  t.same(told, ['ARCHIVE_UNREADABLE']);
  for (const faults of [[], fault]) notices.archivesUnreadable(faults);
  t.same(told, ['ARCHIVE_UNREADABLE', 'ARCHIVE_UNREADABLE']);
  t.end();
});

/** Begins as gzip does and lacks its end. */
const CUT_GZIP = gzipSync('what a backup writes').subarray(0, 15);

t.test('an archive that grows for ever hides no change of the others', async (t) => {
  const scene = watched(t);
  const { path, look } = scene;
  await withArchives(scene, 'one');
  const told: Look[] = [];
  for (let n = 0; n < 8; n += 1) {
    writeFileSync(path('a.9'), CUT_GZIP);
    told.push(await look());
    if (n === 0) {
      writeFileSync(path('a.3'), 'edited');
      rmSync(path('a.1'));
    }
  }
  const seen = told.flatMap(({ seen }) => seen ?? []);
  matchList(t, seen, [
    {
      kind: 'archive-changed',
      archives: [
        { name: 'a.3', hash: hashOf('edited') },
        { name: 'a.1', length: 0 },
      ],
    },
  ]);
});

t.test('an archive that grows in the place of a known one is waited for a minute', async (t) => {
  const scene = watched(t, 'a\\.[0-9](\\.gz)?');
  const { path, look } = scene;
  await withArchives(scene, 'one');
  writeFileSync(path('a.2.gz'), CUT_GZIP); // before the inode of `a.2` is free
  rmSync(path('a.2'));
  let looks = 0;
  let told: Look['seen'];
  for (; looks < 60 && told === undefined; looks += 1) {
    writeFileSync(path('a.2.gz'), CUT_GZIP);
    told = (await look()).seen;
  }
  matchWhole(t, told, { kind: 'archive-changed', archives: [{ name: 'a.2.gz' }] });
  t.ok(looks >= 20, 'its writer has time to end');
});

t.test('an archive that grows for an hour is told as one that cannot be read', async (t) => {
  const { path } = watched(t);
  writeFileSync(path('a.1'), CUT_GZIP);
  let nowMs = 0;
  const archives = new ArchiveWatch(
    () =>
      Promise.resolve([
        {
          name: 'a.1',
          path: path('a.1'),
          size: 8,
          inode: '1:1',
          modifiedAt: nowMs,
          changedAt: nowMs,
          signature: `1:1:8:${nowMs}:0`,
        },
      ]),
    readerBy(),
    { steadyMs: () => nowMs, wallMs: () => nowMs },
  );
  const faultsAt = async (ms: number) => {
    nowMs = ms;
    return (await archives.check([], { length: 3, hash: hashOf('one') })).faults;
  };
  for (let ms = 0; ms < 3_600_000; ms += 30_000) t.equal(await faultsAt(ms), undefined);
  t.match(await faultsAt(3_600_000), FAULT);
});

t.test('an archive that was read in the tick of its change is read again, known or not', async (t) => {
  const { path } = watched(t);
  const changedAt = 1_000_000; // a whole second, as ext4 with small inodes has it
  const archive = { name: 'a.1', path: path('a.1'), size: 3, inode: '1:1', modifiedAt: changedAt, changedAt };
  let nowMs = changedAt;
  const archives = new ArchiveWatch(
    () => Promise.resolve([{ ...archive, signature: `1:1:3:${changedAt}:${changedAt}` }]),
    readerBy(),
    { steadyMs: () => nowMs, wallMs: () => nowMs },
  );
  const last = { length: 3, hash: hashOf('one') };
  const lookAt = (ms: number, known: readonly ArchiveMemory[]) => {
    nowMs = changedAt + ms;
    return archives.check(known, last);
  };
  writeFileSync(path('a.1'), 'one');
  nowMs = changedAt + 500;
  const { known } = await archives.rotation([], last, { length: 0, hash: hashOf('') });
  matchList(t, known, [{ hash: hashOf('one') }]);
  writeFileSync(path('a.1'), 'ONE');
  matchWhole(t, await lookAt(900, known), { changed: [] }, 'further changes may have that time');
  await lookAt(4_000, known);
  const told = await lookAt(6_100, known);
  matchWhole(t, told, { changed: [{ name: 'a.1', hash: hashOf('ONE') }] });
  await lookAt(8_000, told.known ?? []);
  writeFileSync(path('a.1'), 'two');
  matchWhole(t, await lookAt(9_000, told.known ?? []), { changed: [] }, 'it is not read at every look');
  await lookAt(12_000, told.known ?? []);
  t.equal((await lookAt(15_000, told.known ?? [])).changed.length, 0);
});

t.test('an archive of a machine with another clock that was just changed is read once more', async (t) => {
  const { path } = watched(t);
  const changedAt = 10_000_000; // a whole second, as some network file systems have it
  const archive = { name: 'a.1', path: path('a.1'), size: 3, inode: '1:1', modifiedAt: changedAt, changedAt };
  const changed = async (isLocal: boolean) => {
    let nowMs = 0;
    const archives = new ArchiveWatch(
      () => Promise.resolve([{ ...archive, signature: `1:1:3:${changedAt}:${changedAt}` }]),
      readerBy(undefined, true, undefined, isLocal),
      { steadyMs: () => nowMs, wallMs: () => changedAt + 3_600_000 + nowMs },
    );
    const last = { length: 3, hash: hashOf('one') };
    writeFileSync(path('a.1'), 'one');
    const { known } = await archives.rotation([], last, { length: 0, hash: hashOf('') });
    matchList(t, known, [{ hash: hashOf('one') }]);
    writeFileSync(path('a.1'), 'ONE'); // in the same second there
    for (; nowMs < 12_000; nowMs += 3_000) await archives.check(known, last);
    return (await archives.check(known, last)).changed;
  };
  matchList(t, await changed(false), [{ name: 'a.1', hash: hashOf('ONE') }]);
  t.same(await changed(true), [], 'the times of local archives are of this clock');
});

t.test('an archive whose name is not UTF-8 is told as one that cannot be read', async (t) => {
  const { path, look } = watched(t, 'a\\.[0-9].*');
  writeFileSync(path('a'), 'one');
  writeFileSync(Buffer.concat([Buffer.from(path('a.1')), Buffer.from([0xff])]), 'old');
  await look();
  matchList(t, (await look()).faults, [/^a\.1\ufffd: /]);
});

t.test('thousands of archives that cannot be read: the message says how many it leaves out', (t) => {
  const told: string[] = [];
  const logged: string[] = [];
  const path = `/var/log/${'a'.repeat(200)}`;
  const notices = new FileNotices({
    id: 'a',
    path,
    log: (_, message) => logged.push(message),
    notice: (_, message) => told.push(message),
  });
  const faults = Array.from({ length: 5_000 }, (_, n) => `a.${n}: the program zstd is not installed`);
  notices.archivesUnreadable(faults);
  t.equal(told.length, 1);
  const [, listed, left] = /cannot be read: (.*); and (\d+) others\.$/.exec(told[0] ?? '') ?? [];
  t.ok((told[0]?.length ?? Infinity) <= 500, 'a notice is no longer');
  t.same(listed?.split('; '), faults.slice(0, 5_000 - Number(left)));
  t.match(logged[0], /; and \d+ others$/);
  t.ok((notices.archiveFaults?.length ?? Infinity) <= 500);
  notices.archivesUnreadable([...faults.slice(0, -1), 'a.4999: it is broken']);
  t.equal(told.length, 2, 'one that is left out and changes is told, too');
  notices.archivesUnreadable(['x'.repeat(10_000), 'y'.repeat(10_000)]);
  t.match(told[2], /x…; and 1 other\.$/);
  t.ok((told[2]?.length ?? Infinity) <= 500);
  notices.archivesRemoved(faults);
  notices.archivesLost(faults);
  for (const message of told.slice(3)) {
    t.match(message, /, and \d+ others\.$/);
    t.ok(message.length <= 500);
  }
  t.equal(told.length, 5);
  notices.archivesUnreadable([]);
  t.equal(notices.archiveFaults, null);
  t.end();
});
