/** Tests the order of archives by age, and which archive took the place of a lost one. */
import t from 'tap';
import { matchArchives, type PresentArchive } from '../src/domain/archive-match.ts';
import {
  insertByAge,
  onlyOldestGone,
  ordered,
  successorsOf,
  withLearned,
} from '../src/domain/archive-order.ts';
import type { ArchiveMemory } from '../src/domain/memory.ts';

/** @param inode device and inode, the beginning of the signature @param at change time, its end */
const known = (name: string, text: string, inode: string, at = 'c'): ArchiveMemory => ({
  ...{ name, length: text.length, hash: text },
  signature: `${inode}:${at}`,
});
const present = (name: string, text: string, inode: string, at = 'c'): PresentArchive => ({
  ...{ name, inode, signature: `${inode}:${at}` },
  content: { length: text.length, hash: text },
});
const names = (archives: readonly { readonly name: string }[]): string =>
  archives.map(({ name }) => name).join(' ');

const old = known('log.3', 'one', '1:3');
const middle = known('log.2', 'two', '1:2');
const newest = known('log.1', 'three', '1:1');
const all = [old, middle, newest];

t.test(
  'after a rotation the known archives have their new names, oldest first, and the new one is last',
  (t) => {
    const now = [
      present('log.4', 'one', '1:3', 'd'),
      present('log.3', 'two', '1:2', 'd'),
      present('log.2', 'three', '1:1', 'd'),
      present('log.1', 'four', '1:9'),
    ];
    const learned = [known('log.1', 'four', '1:9')];
    const list = ordered(all, matchArchives(all, now), now, { learned });
    t.equal(names(list), 'log.4 log.3 log.2 log.1');
    t.equal(list[0]!.signature, '1:3:d', 'with their new signatures');
    t.equal(
      names(ordered(all, matchArchives(all, now), now)),
      'log.4 log.3 log.2',
      'nothing learned, nothing added',
    );
    t.end();
  },
);

t.test('one that is gone is left out, or its successors stand in its place', (t) => {
  const now = [present('log.3', 'one', '1:3'), present('log.1', 'three', '1:1')];
  const match = matchArchives(all, now);
  t.equal(names(ordered(all, match, now)), 'log.3 log.1');
  const edited = known('log.2', 'TWO', '1:2');
  const list = ordered(all, match, now, { inPlaceOf: (gone) => (gone === middle ? [edited] : []) });
  t.strictSame(list, [old, edited, newest]);
  t.end();
});

t.test('one that is another file by now stands where it is listed', (t) => {
  // Restored from elsewhere under another name: its own place says nothing of its age.
  const now = [
    present('log.2', 'two', '1:2'),
    present('log.1', 'three', '1:1'),
    present('copy', 'one', '1:9', 'd'),
  ];
  const match = matchArchives(all, now);
  t.strictSame([...match.elsewhere], [old]);
  t.equal(names(ordered(all, match, now)), 'log.2 log.1 copy');
  t.end();
});

t.test('what is learned before the rest is known leaves the rest as it was', (t) => {
  const now = [
    present('log.4', 'one', '1:3', 'd'),
    present('log.2', 'three', '1:1', 'd'),
    present('log.1', 'four', '1:9'),
  ];
  const match = matchArchives(all, now);
  const came = known('log.1', 'four', '1:9');
  t.equal(withLearned(all, match, now, []), all, 'the same list without anything learned');
  t.strictSame(withLearned(all, match, now, [came]), [old, middle, newest, came]);
  const between = known('log.3', 'other', '1:7');
  const listed = [now[0]!, present('log.3', 'other', '1:7'), now[1]!];
  t.strictSame(
    withLearned(all, matchArchives(all, listed), listed, [between]),
    [old, middle, between, newest],
    'one that is gone keeps its place',
  );
  t.end();
});

t.test('two archives of one age keep the order in which they are known', (t) => {
  const kept = known('a', 'a', '1:1');
  const other = known('b', 'b', '1:1');
  t.strictSame(insertByAge([kept], [other], [kept.signature]), [kept, other]);
  t.end();
});

t.test('nothing is retention that leaves no archive in its place', (t) => {
  t.ok(onlyOldestGone(all, { gone: [old], elsewhere: new Set() }));
  t.notOk(
    onlyOldestGone(all, { gone: [old, middle], elsewhere: new Set([newest]) }),
    'the last one is another file',
  );
  t.ok(onlyOldestGone(all, { gone: [old], elsewhere: new Set([newest]) }), 'the middle one remains');
  t.end();
});

t.test('an edited archive has its name, else its inode', (t) => {
  const stayed = present('log.1', 'three', '1:1');
  const successors = (...now: readonly PresentArchive[]) => {
    const found = successorsOf(matchArchives(all, now), now);
    return all.map((archive) => found.get(archive)?.name ?? '-').join(' ');
  };
  t.equal(
    successors(present('log.3', 'ONE', '1:8'), present('log.2', 'TWO', '1:7'), stayed),
    'log.3 log.2 -',
  );
  t.equal(
    successors(present('log.3', 'ONE', '1:2'), stayed),
    'log.3 - -',
    'the name comes before the inode, and one replaces one only',
  );
  t.equal(successors(present('other', 'ONE', '1:3'), stayed), 'other - -', 'its inode');
  t.equal(successors(present('other', 'ONE', '1:33'), stayed), '- - -', 'an inode that only begins alike');
  t.equal(successors(present('other', 'ONE', '9:3'), stayed), '- - -', 'one of another device');
  for (const end of ['gz', 'xz', 'zst', 'bz2'])
    t.equal(successors(present(`log.3.${end}`, 'ONE', '1:8'), stayed), `log.3.${end} - -`, end);
  t.equal(
    successors(present('log.3.gz.old', 'ONE', '1:8'), stayed),
    '- - -',
    'no suffix of a compression at the end',
  );
  t.equal(successors(present('logx3', 'ONE', '1:8'), stayed), '- - -');
  t.equal(
    successors(present('log.2', 'TWO', '1:3'), present('log.3', 'ONE', '1:2'), stayed),
    'log.3 log.2 -',
    'names first, for all of them',
  );
  t.end();
});

t.test('after a rotation only an older archive than those that are left is a successor', (t) => {
  const moved = [present('log.3', 'two', '1:2', 'd'), present('log.2', 'three', '1:1', 'd')];
  const of = (...now: readonly PresentArchive[]) => successorsOf(matchArchives(all, now), now).get(old)?.name;
  t.equal(of(...moved, present('log.1', 'new', '1:3', 'd')), undefined, 'a newer one has its inode by now');
  t.equal(of(present('log.4', 'ONE', '1:3', 'd'), ...moved), 'log.4');
  t.equal(
    of(moved[0]!, present('between', 'ONE', '1:3', 'd'), moved[1]!),
    undefined,
    'younger than the oldest left',
  );
  t.end();
});

t.test('one that a rotation did not find is looked for by age alone', (t) => {
  const unfound: ArchiveMemory = { ...old, isUnfound: true };
  const list = [unfound, middle, newest];
  const stayed = [present('log.2', 'two', '1:2'), present('log.1', 'three', '1:1')];
  const of = (...now: readonly PresentArchive[]) =>
    successorsOf(matchArchives(list, now), now).get(unfound)?.name;
  t.equal(
    of(...stayed, present('log.3', 'ONE', '1:3', 'd')),
    undefined,
    'its name and inode are another file’s by now',
  );
  t.equal(of(present('log.3', 'ONE', '1:3', 'd'), ...stayed), 'log.3');
  t.end();
});

t.test('without any archive left nothing was rotated: names tell', (t) => {
  const now = [present('log.3', 'ONE', '1:8')];
  const found = successorsOf(matchArchives([old], now), now);
  t.equal(found.get(old)?.name, 'log.3');
  t.equal(successorsOf(matchArchives([old], []), []).size, 0);
  t.end();
});
