import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { FolderListing } from '../src/io/folder-listing.ts';

const ARCHIVES = '0\\.log\\.[0-9]+';
const OTHERS = '1\\.log\\.[0-9]+';

const changes: readonly (readonly [string, (path: (name: string) => string) => void])[] = [
  ['its bytes', (path) => appendFileSync(path('0.log.1'), 'more')],
  ['its time alone', (path) => utimesSync(path('0.log.1'), 1, 1)],
  ['its name', (path) => renameSync(path('0.log.1'), path('0.log.3'))],
  ['its place', (path) => renameSync(path('0.log.1'), path('elsewhere'))],
  [
    'its kind',
    (path) => {
      rmSync(path('0.log.1'));
      mkdirSync(path('0.log.1'));
    },
  ],
  [
    'its inode',
    (path) => {
      writeFileSync(path('new'), 'one');
      renameSync(path('new'), path('0.log.1'));
    },
  ],
  ['another one', (path) => writeFileSync(path('0.log.4'), 'four')],
];

for (const hasEvents of [true, false])
  t.test(`archives, ${hasEvents ? 'with' : 'without'} events`, async (t) => {
    for (const [what, change] of changes)
      t.test(`when ${what} changed, the list is another one, and the same again after it`, async (t) => {
        const folder = t.testdir({ '0.log': '', '0.log.1': 'one', '0.log.2': 'two', '1.log.1': 'other' });
        const path = (name: string): string => join(folder, name);
        let nowMs = 0;
        const listing = new FolderListing(folder, () => nowMs);
        listing.hasEvents = hasEvents;
        listing.add(ARCHIVES);
        listing.add(OTHERS);
        const listed = (expression = ARCHIVES) => {
          nowMs += 60_000;
          return listing.archives(expression, '0.log', false);
        };
        const [before, others] = [await listed(), await listed(OTHERS)];
        t.equal(await listed(), before);
        change(path);
        const after = await listed();
        t.not(after, before);
        t.strictNotSame(after, before);
        t.equal(await listed(), after);
        t.equal(await listed(OTHERS), others, 'those of another expression stay');
      });
  });

t.test('each rolled file has a list without itself', async (t) => {
  const folder = t.testdir({ 'a.1': 'one', 'a.2': 'two' });
  const listing = new FolderListing(folder, () => 0);
  listing.add('a\\.[0-9]');
  const namesFor = async (own: string) =>
    (await listing.archives('a\\.[0-9]', own, false)).map(({ name }) => name);
  for (let turn = 0; turn < 2; turn += 1) {
    t.same(await namesFor('a.1'), ['a.2']);
    t.same(await namesFor('a.2'), ['a.1']);
  }
});
