/** Looks at a rolled file and its archives, one at a time, by a clock of the test's own. */
import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { hashOf } from './agent-process.ts';
import type { Look } from '../src/io/file-watch.ts';
import { shift, watched, withArchives } from './watched-file.ts';

t.test('a look that finds archives changed does not count as a look at the file', async (t) => {
  const { path, look } = watched(t);
  writeFileSync(path('a.1'), 'old');
  writeFileSync(path('a'), 'one');
  await look();
  writeFileSync(path('a.1'), 'OLD');
  t.equal((await look()).seen, undefined, 'archives have to stay as they are for a while');
  writeFileSync(path('a'), 'two');
  const found = await look();
  matchWhole(t, found.seen, { kind: 'archive-changed', archives: [{ name: 'a.1', hash: hashOf('OLD') }] });
  t.equal(found.unsettled, true, 'the file was not read');
  t.match((await look()).seen, { kind: 'file', now: { hash: hashOf('two') } });
});

t.test('a file that took the place is news again when the look could not be kept', async (t) => {
  const { path, look } = watched(t);
  writeFileSync(path('a'), 'one');
  await look();
  renameSync(path('a'), path('a.1'));
  // The new file begins with the old content, so that only the inode shows the rotation.
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

/** Changes the file, rotates it away and writes another: no file begins with the last seen content. */
function changedAndRotated(path: (name: string) => string): void {
  writeFileSync(path('a'), 'two');
  renameSync(path('a'), path('a.1'));
  writeFileSync(path('a'), 'three');
}

const ROLLED = { kind: 'rolled', archives: [{ name: 'a.1', hash: hashOf('two') }] };

t.test('an archive counts as known only when it is listed again, however long reading takes', async (t) => {
  const { path, look, restart, beBusy } = watched(t);
  writeFileSync(path('a'), 'one');
  await look();
  changedAndRotated(path);
  restart();
  beBusy();
  t.equal((await look()).seen, undefined, 'an archive may still come');
  matchWhole(t, (await look()).seen, ROLLED);
});

t.test('a look that finds a rotation does not take its archives for known ones', async (t) => {
  const { path, look, restart } = watched(t);
  writeFileSync(path('a'), 'one');
  await look();
  changedAndRotated(path);
  restart();
  t.equal((await look()).seen, undefined, 'an archive may still come');
  matchWhole(t, (await look(false)).seen, ROLLED);
  const waiting = await look();
  t.equal(waiting.seen, undefined);
  t.equal(waiting.archives, undefined, 'the report could not be kept');
  matchWhole(t, (await look()).seen, ROLLED);
  t.equal((await look()).seen, undefined);
});

t.test('an archive that came beside a file which goes on is known', async (t) => {
  const { path, look } = watched(t);
  writeFileSync(path('a'), 'one');
  await look();
  writeFileSync(path('a.1'), 'from elsewhere');
  await look();
  writeFileSync(path('a'), 'two', { flag: 'a' });
  matchList(t, (await look()).archives, [{ name: 'a.1' }], 'although the file changes from look to look');
});

t.test('what is gone for a moment is not missing, however long looks take', async (t) => {
  const { path, look, beBusy } = watched(t);
  writeFileSync(path('a'), 'one');
  await look();
  beBusy();
  rmSync(path('a'));
  t.equal((await look()).seen, undefined);
  t.equal((await look()).seen?.kind, 'missing');
});

t.test('what is gone while an archive is waited for is missing only after a wait of its own', async (t) => {
  const { path, look } = watched(t);
  writeFileSync(path('a'), 'one');
  await look();
  writeFileSync(path('part'), 'two');
  renameSync(path('part'), path('a'));
  t.equal((await look(true, 100)).seen, undefined, 'an archive may still come');
  t.equal((await look(true, 1_800)).seen, undefined);
  rmSync(path('a'));
  t.equal((await look(true, 300)).seen, undefined, 'another rotation may have begun');
  writeFileSync(path('a'), '3');
  t.equal(
    (await look(true, 1_900)).seen?.kind,
    'rolled',
    'the wait for the archive began with the first change',
  );
  rmSync(path('a'));
  t.equal((await look(true, 300)).seen, undefined);
  t.equal((await look(true, 2_000)).seen?.kind, 'missing');
});

t.test(
  'rotations of an empty file that nobody saw are told as such, not as a change of archives',
  async (t) => {
    const scene = watched(t);
    const { path, look, restart } = scene;
    await withArchives(scene, '');
    restart();
    renameSync(path('a.1'), path('a.3'));
    rmSync(path('a.2'));
    renameSync(path('a'), path('a.2'));
    writeFileSync(path('a.1'), 'between');
    writeFileSync(path('a'), '');
    matchList(
      t,
      [await look(), await look()],
      [
        { seen: undefined, removed: [] },
        {
          seen: {
            kind: 'rolled',
            archives: [
              { name: 'a.2', length: 0 },
              { name: 'a.1', length: 7 },
            ],
          },
          removed: [],
        },
      ],
    );
    t.equal((await look()).seen, undefined);
    rmSync(path('a.3'));
    matchList(
      t,
      [await look(), await look()],
      [{}, { seen: undefined, removed: ['a.3'] }],
      'the others are known',
    );
  },
);

t.test('an archive that was older than those that a rotation leaves is changed, not retired', async (t) => {
  const scene = watched(t);
  const { path, look, restart } = scene;
  await withArchives(scene, '');
  restart();
  renameSync(path('a.2'), path('a.4'));
  renameSync(path('a.1'), path('a.3'));
  rmSync(path('a.3'));
  writeFileSync(path('a.5'), 'edited');
  utimesSync(path('a.5'), 900, 900);
  await look();
  t.match((await look()).seen, { kind: 'archive-changed' });
});

t.test('an archive that is lost beside a change of the file is told after it', async (t) => {
  const scene = watched(t);
  const { path, look } = scene;
  await withArchives(scene, 'one and more');
  rmSync(path('a.1'));
  writeFileSync(path('a'), 'two');
  await look();
  t.equal((await look()).seen?.kind, 'rolled');
  matchWhole(t, (await look()).seen, { kind: 'archive-changed', archives: [{ name: 'a.1', length: 0 }] });
});

t.test('an archive that was edited stays the oldest, and may go as such', async (t) => {
  const scene = watched(t);
  const { path, look } = scene;
  await withArchives(scene, 'one');
  writeFileSync(path('a.3'), 'edited');
  await look();
  matchWhole(t, (await look()).seen, { kind: 'archive-changed', archives: [{ name: 'a.3' }] });
  rmSync(path('a.3'));
  await look();
  matchWhole(t, await look(), { seen: undefined, removed: ['a.3'] });
});

/** Archives that looks told as lost while the file was not there. */
const lostIn = (looks: readonly Look[]): string[] => looks.flatMap(({ lost = [] }) => lost);

t.test('archives that are edited or gone while there is no file are told, once', async (t) => {
  for (const text of ['one', '']) {
    const scene = watched(t);
    const { path, look, restart } = scene;
    await withArchives(scene, text);
    rmSync(path('a'));
    await look();
    t.equal((await look()).seen?.kind, 'missing');
    writeFileSync(path('a.3'), 'edited');
    const first = [await look(), await look(), await look()];
    t.same(lostIn(first), ['a.3'], 'the oldest, which a rotation would let go');
    matchList(
      t,
      first.map(({ seen }) => seen),
      [{ kind: 'missing' }, { kind: 'missing' }, { kind: 'missing' }],
    );
    rmSync(path('a.1'));
    t.same(lostIn([await look(), await look(), await look()]), ['a.1']);
    restart();
    await look();
    await look();
    t.same(lostIn([await look(), await look()]), ['a.3', 'a.1'], 'a later run tells it again');
  }
});

t.test('an archive that is written while there is no file is waited for', async (t) => {
  const scene = watched(t);
  const { path, look, isPending } = scene;
  await withArchives(scene, 'one');
  rmSync(path('a'));
  await look();
  await look();
  t.notOk(isPending());
  writeFileSync(path('a.2'), 'edited');
  t.same(lostIn([await look()]), []);
  t.ok(isPending(), 'the next look comes soon');
  t.same(lostIn([await look()]), ['a.2']);
  t.notOk(isPending());
});

t.test('a rotation that leaves no file for a while is one, and tells nothing else', async (t) => {
  for (const text of ['one', '']) {
    const scene = watched(t);
    const { path, look } = scene;
    await withArchives(scene, text);
    shift(path);
    renameSync(path('a'), path('a.1'));
    rmSync(path('a.4'));
    const while_ = [await look(), await look(), await look(), await look()];
    t.same(lostIn(while_), []);
    writeFileSync(path('a'), 'two');
    matchWhole(t, (await look()).seen, {
      kind: 'rolled',
      archives: [{ name: 'a.1', length: text.length, hash: hashOf(text) }],
    });
    const after = [await look(), await look(), await look()];
    t.same([after.flatMap(({ removed }) => removed), after.flatMap(({ seen }) => seen ?? [])], [[], []]);
  }
});

t.test('a rotation with one archive only leaves no file for a while', async (t) => {
  for (const text of ['one', '']) {
    const { path, look } = watched(t);
    writeFileSync(path('a.1'), 'old');
    writeFileSync(path('a'), text);
    await look();
    rmSync(path('a.1'));
    renameSync(path('a'), path('a.1'));
    t.same(lostIn([await look(), await look(), await look(), await look()]), []);
    writeFileSync(path('a'), 'two');
    matchWhole(t, (await look()).seen, { kind: 'rolled', archives: [{ name: 'a.1', length: text.length }] });
  }
});

t.test('archives that cannot be listed while there is no file are no good look', async (t) => {
  const scene = watched(t);
  const { path, look, failListing } = scene;
  await withArchives(scene, 'one');
  rmSync(path('a'));
  await look();
  failListing('EACCES');
  matchWhole(t, (await look()).seen, { kind: 'error', code: 'EACCES' });
  failListing('ENOENT');
  t.equal((await look()).seen?.kind, 'missing', 'the folder is gone with the file');
});
