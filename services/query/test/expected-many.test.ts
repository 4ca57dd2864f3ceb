/** Tests the reads of many lists of expected changes, straight in the views. */
import t from 'tap';
import { entriesOf } from '../src/maintenance/expected-entries.ts';
import { viewsOfTime } from '../src/maintenance/views-of-time.ts';
import { entryKey, type AlertMoment } from '../src/registry/set-aside.ts';
import { VIEWS, type ExpectedEntryView, type ExpectedView } from '../src/views/index.ts';
import { hash } from './chain-records.ts';
import { scratch } from './view-scratch.ts';

const ORG = 'org';
const DAY_MS = 24 * 3_600_000;
const listId = (n: number): string => `list${String(n).padStart(6, '0')}`;

const listOf = (n: number, more: Partial<ExpectedView> = {}): ExpectedView => ({
  id: listId(n),
  orgId: ORG,
  rev: 1,
  reason: 'Release',
  scope: { everything: true, deviceIds: [], files: [], labels: [] },
  entries: 1,
  creationDate: 0,
  createdBy: 'ada@example.org',
  end: DAY_MS,
  endedAt: null,
  overAt: DAY_MS,
  ...more,
});

const entryOf = (list: string, at: number, path: string): ExpectedEntryView => {
  const sha256 = hash(1);
  return {
    id: `${list}-${String(at).padStart(5, '0')}`,
    orgId: ORG,
    listId: list,
    key: entryKey(ORG, path, sha256),
    path,
    sha256,
  };
};

const momentOf = (path: string): AlertMoment => ({
  deviceId: 'device',
  fileId: 'file',
  timestamp: 1,
  lastTimestamp: 1,
  type: 'UNEXPECTED_CHANGE',
  occurrences: 1,
  labels: [],
  path,
  contentHash: hash(1),
});

t.test('contents that very many lists share are found in each of them', async (t) => {
  const store = await (await scratch(t)).open('views');
  const lists = Array.from({ length: 17_000 }, (_, n) => listOf(n + 1));
  const paths = Array.from({ length: 50 }, (_, n) => `/srv/${n}`);
  const shared = lists.slice(0, 210).flatMap(({ id }) => paths.map((path, at) => entryOf(id, at, path)));
  const last = lists.at(-1)!;
  const others = [listId(0), last.id, listId(20_000)].map((id) => entryOf(id, 0, '/srv/0'));
  await store.insertMissing(VIEWS.expectedEntries, [...shared, ...others]);
  const found = await entriesOf(store, ORG, lists, paths.map(momentOf));
  const sizes = lists.slice(0, 210).map(({ id }) => found.get(id)?.size ?? 0);
  t.strictSame(new Set(sizes), new Set([50]), 'no list is cut off');
  t.equal(found.get(last.id)?.size, 1);
  t.notOk(found.has(listId(0)) || found.has(listId(20_000)), 'lists of another time');
});

t.test('alerts of long ago ask only for the lists of their time', async (t) => {
  const store = await (await scratch(t)).open('views');
  const late = (n: number, creationDate: number): ExpectedView =>
    listOf(n, { creationDate, end: creationDate + 30 * DAY_MS, overAt: creationDate + 30 * DAY_MS });
  const lists = [
    late(1, DAY_MS),
    late(2, 2 * DAY_MS),
    ...Array.from({ length: 50 }, (_, n) => late(n + 3, (n + 40) * DAY_MS)),
  ];
  await store.bulkUpsert(VIEWS.expected, lists);
  let read = 0;
  const find = store.find.bind(store);
  store.find = async (collection, query) => {
    const documents = await find(collection, query);
    read += documents.length;
    return documents;
  };
  const time = { orgId: ORG, earliest: 2 * DAY_MS, latest: 2 * DAY_MS };
  const found = await viewsOfTime<ExpectedView>(store, VIEWS.expected, time);
  t.strictSame(
    found.map(({ id }) => id),
    [listId(1), listId(2)],
    'also one that ends at the last moment',
  );
  t.equal(read, 2);
});
