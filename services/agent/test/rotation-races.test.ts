/** Rotations that fall into the middle of a look, or that a look sees in part. */
import { copyFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import type { Look } from '../src/io/file-watch.ts';
import { hashOf } from './agent-process.ts';
import { copy, cut, rotate, shift, watched, withArchives } from './watched-file.ts';

/** Looks until no more than the last one is to be told. */
async function looks(look: () => Promise<Look>, count = 4): Promise<Look[]> {
  const all: Look[] = [];
  for (let n = 0; n < count; n += 1) all.push(await look());
  return all;
}

/** A look after a restart reads the file. */
const seenIn = (all: readonly Look[]) =>
  all.flatMap(({ seen }) => (seen === undefined || seen.kind === 'file' ? [] : seen));
/** `t.match` takes a list that is longer than what it has to match. */
function tells(t: Test, seen: ReturnType<typeof seenIn>, expected: readonly object[]): void {
  t.equal(seen.length, expected.length, 'nothing more is told');
  t.match(seen, expected);
}

const archive = (name: string, text: string) => ({ name, length: text.length, hash: hashOf(text) });

t.test('a copy that is cut while the look is under way is found by the next look', async (t) => {
  const scene = watched(t);
  const { path, look, at } = scene;
  await withArchives(scene, 'one');
  rotate(path, 'two');
  at('after the reading', () => {
    copy(path);
    cut(path);
  });
  tells(t, seenIn(await looks(look)), [
    { kind: 'rolled', now: { length: 0 }, archives: [archive('a.2', 'one'), archive('a.1', 'two')] },
  ]);
});

t.test('a copy that is cut after the look is no archive yet', async (t) => {
  const scene = watched(t);
  const { path, look, at } = scene;
  await withArchives(scene, 'one');
  rotate(path, 'two');
  at('after the reading', () => copy(path));
  matchWhole(t, (await look()).seen, { kind: 'rolled', archives: [archive('a.2', 'one')] });
  cut(path);
  tells(t, seenIn(await looks(look)), [
    { kind: 'rolled', now: { length: 0 }, archives: [archive('a.1', 'two')] },
  ]);
});

t.test('a file that is cut before it is read was rotated, when the copy comes', async (t) => {
  const scene = watched(t);
  const { path, look, at } = scene;
  await withArchives(scene, 'one');
  writeFileSync(path('a'), ' and more', { flag: 'a' });
  at('before the reading', () => {
    copy(path);
    renameSync(path('a.1'), path('hidden'));
    cut(path);
  });
  t.equal((await look()).seen, undefined);
  renameSync(path('hidden'), path('a.1'));
  matchWhole(t, (await look()).seen, { kind: 'rolled', archives: [archive('a.1', 'one and more')] });
});

t.test('archives that are renamed while they are listed are listed again', async (t) => {
  const scene = watched(t);
  const { path, look, at } = scene;
  writeFileSync(path('a'), 'one');
  await look();
  writeFileSync(path('hidden'), 'one');
  cut(path);
  t.equal((await look()).seen, undefined, 'an archive may still come');
  renameSync(path('hidden'), path('a.1'));
  at('after the names', () => shift(path));
  matchWhole(t, (await look()).seen, { kind: 'rolled', archives: [archive('a.2', 'one')] });
});

t.test('an archive that is not there for a moment of a rotation is known as before', async (t) => {
  const scene = watched(t);
  const { path, look } = scene;
  await withArchives(scene, 'one');
  rotate(path, 'two');
  renameSync(path('a.4'), path('hidden'));
  matchWhole(t, (await look()).seen, { kind: 'rolled', archives: [archive('a.1', 'one')] });
  renameSync(path('hidden'), path('a.4'));
  rmSync(path('a.3'));
  tells(t, seenIn(await looks(look)), [{ kind: 'archive-changed', archives: [{ name: 'a.3', length: 0 }] }]);
});

t.test('archives that a rotation removes are expected to be gone', async (t) => {
  const scene = watched(t);
  const { path, look } = scene;
  await withArchives(scene, 'one');
  rotate(path, 'two');
  rmSync(path('a.4'));
  rmSync(path('a.3'));
  const all = await looks(look);
  tells(t, seenIn(all), [{ kind: 'rolled' }]);
  t.same(
    all.flatMap(({ removed }) => removed),
    [],
  );
  rmSync(path('a.2'));
  t.same(
    (await looks(look)).flatMap(({ removed }) => removed),
    ['a.2'],
    'one more is none of them',
  );
});

t.test('an archive by the name of one that retired is the rotation’s', async (t) => {
  const scene = watched(t);
  const { path, look } = scene;
  await withArchives(scene, 'one');
  rmSync(path('a.3'));
  await look();
  renameSync(path('a'), path('a.3'));
  writeFileSync(path('a'), 'two');
  tells(t, seenIn(await looks(look)), [{ kind: 'rolled', archives: [archive('a.3', 'one')] }]);
});

t.test('a copy by the name of an archive that retired took no place', async (t) => {
  const scene = watched(t);
  const { path, look } = scene;
  await withArchives(scene, 'one');
  rmSync(path('a.3'));
  copyFileSync(path('a'), path('a.3'));
  const all = await looks(look);
  t.same(seenIn(all), []);
  t.same(
    all.flatMap(({ removed }) => removed),
    ['a.3'],
  );
  cut(path);
  tells(t, seenIn(await looks(look)), [{ kind: 'rolled', archives: [archive('a.3', 'one')] }]);
});

t.test('an archive that replaced another is told, although it is changed again and again', async (t) => {
  const scene = watched(t);
  const { path, look } = scene;
  await withArchives(scene, 'one');
  let told: Look['seen'];
  for (let n = 0; n < 60 && told === undefined; n += 1) {
    writeFileSync(path('a.2'), `edited ${n}`);
    told = (await look()).seen;
  }
  matchWhole(t, told, { kind: 'archive-changed', archives: [{ name: 'a.2' }] });
});

t.test('two archives with the same time are two', async (t) => {
  const scene = watched(t);
  const { path, look } = scene;
  writeFileSync(path('a'), 'one');
  await look();
  copy(path);
  cut(path);
  rotate(path, 'three');
  for (const name of ['a.2', 'a.1']) utimesSync(path(name), 1_000, 1_000);
  matchWhole(t, (await look()).seen, {
    kind: 'rolled',
    archives: [archive('a.2', 'one'), archive('a.1', '')],
  });
  rmSync(path('a.1'));
  tells(t, seenIn(await looks(look)), [{ kind: 'archive-changed', archives: [{ name: 'a.1' }] }]);
});

t.test('an archive that came is known although an old one went', async (t) => {
  const scene = watched(t);
  const { path, look, restart } = scene;
  await withArchives(scene, 'one');
  writeFileSync(path('a.0'), 'from elsewhere');
  rmSync(path('a.3'));
  await look();
  matchWhole(t, await look(), {
    removed: ['a.3'],
    archives: [{ name: 'a.2' }, { name: 'a.1' }, { name: 'a.0' }],
  });
  restart();
  rmSync(path('a.0'));
  tells(t, seenIn(await looks(look)), [{ kind: 'archive-changed', archives: [{ name: 'a.0' }] }]);
});

t.test('empty archives of an empty file are known', async (t) => {
  const scene = watched(t);
  const { path, look, restart } = scene;
  await withArchives(scene, '');
  copy(path);
  await looks(look, 2);
  restart();
  copy(path);
  for (const name of ['a.3', 'a.4', 'a.5']) rmSync(path(name));
  const all = await looks(look);
  t.same(seenIn(all), []);
  t.same(
    all.flatMap(({ removed }) => removed),
    ['a.4', 'a.3', 'a.2'],
  );
});

t.test('an archive that was seen twice is known, whatever else is under way', async (t) => {
  const scene = watched(t);
  const { path, look, restart } = scene;
  await withArchives(scene, 'one');
  writeFileSync(path('a.0'), 'from elsewhere');
  await look();
  rmSync(path('a.3'));
  matchWhole(t, await look(), { archives: [{}, {}, {}, { name: 'a.0' }] });
  restart();
  rmSync(path('a.0'));
  tells(t, seenIn(await looks(look)), [
    { kind: 'archive-changed', archives: [{ name: 'a.3' }, { name: 'a.0' }] },
  ]);
});

t.test('a rotation whose report could not be kept is told before archives that went with it', async (t) => {
  const scene = watched(t);
  const { path, look } = scene;
  await withArchives(scene, 'one');
  rotate(path, 'two');
  for (const name of ['a.2', 'a.3', 'a.4']) rmSync(path(name));
  t.equal((await look(false)).seen?.kind, 'rolled');
  const all = await looks(look);
  tells(t, seenIn(all), [{ kind: 'rolled', archives: [archive('a.1', 'one')] }]);
  t.same(
    all.flatMap(({ removed }) => removed),
    [],
  );
});

t.test(
  'what took an archive’s place is not known before that is told, whatever passes within a look',
  async (t) => {
    const scene = watched(t);
    const { path, look, beBusy } = scene;
    await withArchives(scene, 'one');
    writeFileSync(path('a.3'), 'edited');
    beBusy(450);
    const changed = { kind: 'archive-changed', archives: [archive('a.3', 'edited')] };
    const all = [await look(), await look(true, 0), ...(await looks(look))];
    tells(t, seenIn(all), [changed]);
  },
);

t.test('archives that came since the file was empty are all told, the empty one among them', async (t) => {
  const scene = watched(t);
  const { path, look, restart } = scene;
  await withArchives(scene, '');
  copy(path);
  writeFileSync(path('a'), 'more');
  rotate(path, '');
  matchWhole(t, (await look()).seen, {
    kind: 'rolled',
    archives: [archive('a.2', ''), archive('a.1', 'more')],
  });
  restart();
  for (const name of ['a.3', 'a.4', 'a.5']) rmSync(path(name));
  copy(path);
  t.same(seenIn(await looks(look)), [], 'it took no place of those that retired');
});

t.test('text of a file that was empty is told when it was rotated away unseen', async (t) => {
  for (const now of ['', 'after']) {
    const scene = watched(t);
    const { path, look, restart } = scene;
    await withArchives(scene, '');
    restart();
    writeFileSync(path('a'), 'between');
    rotate(path, now);
    const all = await looks(look);
    tells(t, seenIn(all), [
      { kind: 'rolled', now: { length: now.length }, archives: [archive('a.1', 'between')] },
    ]);
  }
  const alone = watched(t);
  writeFileSync(alone.path('a'), '');
  await alone.look();
  alone.restart();
  for (const text of ['one', 'two']) {
    writeFileSync(alone.path('a'), text);
    rotate(alone.path, '');
  }
  tells(t, seenIn(await looks(alone.look)), [
    { kind: 'rolled', archives: [archive('a.2', 'one'), archive('a.1', 'two')] },
  ]);
});

t.test('an archive that was edited while its file is empty is changed, not rotated', async (t) => {
  for (const name of ['a.1', 'a.3']) {
    const scene = watched(t);
    await withArchives(scene, '');
    scene.restart();
    writeFileSync(scene.path(name), 'edited');
    tells(t, seenIn(await looks(scene.look)), [
      { kind: 'archive-changed', archives: [archive(name, 'edited')] },
    ]);
  }
});

t.test('a copy of what an empty file got is told when it is cut, once', async (t) => {
  const scene = watched(t);
  const { path, look, restart } = scene;
  await withArchives(scene, '');
  restart();
  writeFileSync(path('a'), 'two');
  copy(path);
  t.same(seenIn(await looks(look, 2)), [], 'it is not cut yet');
  cut(path);
  tells(t, seenIn(await looks(look)), [
    { kind: 'rolled', now: { length: 0 }, archives: [archive('a.1', 'two')] },
  ]);
});

t.test('an archive that came unseen did not replace the one that a rotation no longer found', async (t) => {
  const scene = watched(t);
  const { path, look, restart } = scene;
  await withArchives(scene, '');
  restart();
  // The file goes on from nothing, so that only the archive shows this rotation, and that only for a moment.
  rotate(path, 'two');
  rmSync(path('a.4'));
  t.equal((await look()).seen?.kind, 'file');
  restart();
  rotate(path, 'three');
  rotate(path, 'four');
  // `a.3` was the name of the archive that is gone, and is now that of the one that came unseen.
  tells(t, seenIn(await looks(look)), [
    { kind: 'rolled', archives: [archive('a.2', 'two'), archive('a.1', 'three')] },
  ]);
});

t.test('an agent that was started anew tells an edited archive by the second look', async (t) => {
  const scene = watched(t);
  const { path, look, restart } = scene;
  await withArchives(scene, 'one');
  writeFileSync(path('a.1'), 'A.1');
  copyFileSync(path('a'), path('copy'));
  renameSync(path('copy'), path('a'));
  restart();
  t.equal((await look()).seen?.kind, 'file', 'the inode of before is not known any more');
  tells(t, seenIn(await looks(look)), [{ kind: 'archive-changed', archives: [archive('a.1', 'A.1')] }]);
});

t.test('an archive that got the inode of one that was removed stands for itself alone', async (t) => {
  const { path, look } = watched(t);
  writeFileSync(path('a.2'), 'the oldest');
  writeFileSync(path('a.1'), 'the newest');
  writeFileSync(path('a'), 'one');
  await look();
  // As when the oldest is removed and the newest written anew: file systems give a free inode away at once.
  writeFileSync(path('a.2'), 'the NEWEST');
  renameSync(path('a.2'), path('a.1'));
  const archives = [archive('a.2', ''), archive('a.1', 'the NEWEST')];
  tells(t, seenIn(await looks(look, 6)), [{ kind: 'archive-changed', archives }]);
});

t.test('an archive to which its writer goes on writing is told when that ends', async (t) => {
  const scene = watched(t);
  const { path, look, writtenAgo } = scene;
  await withArchives(scene, 'one');
  await looks(look);
  rotate(path, 'new');
  writtenAgo('a.1', -50);
  t.equal((await look(true, 100)).seen, undefined, 'its writer may still have it open');
  writeFileSync(path('a.1'), ', and the rest', { flag: 'a' });
  writtenAgo('a.1', -50);
  t.equal((await look(true, 100)).seen, undefined);
  t.equal((await look(true, 1_900)).seen, undefined);
  matchWhole(t, (await look(true, 200)).seen, {
    kind: 'rolled',
    archives: [archive('a.1', 'one, and the rest')],
  });
  tells(t, seenIn(await looks(look)), []);
});

t.test('while its writer may go on, an archive is not listed and read at every look', async (t) => {
  const scene = watched(t);
  const { path, look, writtenAgo, at } = scene;
  await withArchives(scene, 'one');
  rotate(path, 'new');
  writtenAgo('a.1', 0);
  await look(true, 100);
  let isListed = false;
  at('after the names', () => (isListed = true));
  for (let n = 0; n < 7; n += 1) t.equal((await look(true, 250)).seen, undefined);
  t.notOk(isListed);
  t.equal((await look(true, 250)).seen?.kind, 'rolled');
  t.equal((await look(true, 250)).unsettled, false, 'the next look is a whole one');
});

t.test('an archive to which its writer goes on for ever is told after a minute', async (t) => {
  const scene = watched(t);
  const { path, look, writtenAgo } = scene;
  await withArchives(scene, 'one');
  rotate(path, 'new');
  let waitedMs = 0;
  for (; waitedMs < 90_000; waitedMs += 1_000) {
    writeFileSync(path('a.1'), '.', { flag: 'a' });
    writtenAgo('a.1', 0);
    if ((await look(true, 1_000)).seen?.kind === 'rolled') break;
  }
  t.equal(waitedMs, 60_000);
});

t.test('a copy, which nobody writes to any more, is told at once', async (t) => {
  const scene = watched(t);
  const { path, look, writtenAgo } = scene;
  await withArchives(scene, 'one');
  copy(path);
  cut(path);
  writtenAgo('a.1', 0);
  t.equal((await look(true, 100)).seen?.kind, 'rolled');
});
