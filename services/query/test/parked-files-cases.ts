/** Which files are parked, as the counts of dashboards find them. The same over every back end. */
import type { Test } from 'tap';
import type { DocumentStore } from '@sentinel-node/platform';
import { PARKED_LIMITS } from '../src/dashboard/limits.ts';
import { ParkedFiles, type ParkedOf } from '../src/dashboard/parked-files.ts';
import { VIEW_COLLECTIONS, VIEWS, type FileParkingView } from '../src/views/index.ts';
import { uuid } from './chain-records.ts';

/** An empty store without collections, over one of the back ends. */
export type OpenStore = (t: Test) => Promise<{ readonly store: DocumentStore; close(): Promise<void> }>;

const [ONE, OTHER] = [uuid(1), uuid(2)];
const [DEVICE, SECOND] = [uuid(11), uuid(12)];

async function opened(t: Test, open: OpenStore): Promise<DocumentStore> {
  const { store, close } = await open(t);
  t.teardown(close);
  await store.ensure(VIEW_COLLECTIONS);
  return store;
}

/** Writes the views of files as far as it matters whose they are. */
async function files(store: DocumentStore, ids: readonly string[], orgId = ONE, deviceId = DEVICE) {
  await store.bulkUpsert<{ id: string; rev: number; orgId: string; deviceId: string }>(
    VIEWS.files,
    ids.map((id) => ({ id, rev: 1, orgId, deviceId })),
  );
}

/** @param waiting records of each file; 0: it is parked no longer */
async function park(store: DocumentStore, ids: readonly string[], waiting: number, rev = 1): Promise<void> {
  const views = ids.map((id): FileParkingView => ({ id, rev, parking: 0, judgedUntil: 0, waiting }));
  await store.bulkUpsert(VIEWS.fileParkings, views);
}

const fileIds = (count: number, from = 100): string[] =>
  Array.from({ length: count }, (_, at) => uuid(from + at));

const idsOf = ({ byDevice }: ParkedOf): string[] => [...byDevice.values()].flatMap((ids) => [...ids]).sort();

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Returns the store with the number of looks for parked files so far. */
function counting(store: DocumentStore) {
  const counted = { looks: 0, owners: 0, before: async (): Promise<void> => undefined };
  const find: DocumentStore['find'] = async (collection, query) => {
    counted.looks++;
    const found = await store.find(collection, query);
    await counted.before();
    return found as never;
  };
  const getMany: DocumentStore['getMany'] = async (collection, ids) => {
    counted.owners += ids.length;
    return store.getMany(collection, ids);
  };
  return { reads: { find, getMany }, counted };
}

export const parkedCases: Readonly<Record<string, (t: Test, open: OpenStore) => Promise<void>>> = {
  'each organisation has its own, and one look serves all for some seconds': async (t, open) => {
    const store = await opened(t, open);
    const [a, b, c, d, e] = fileIds(5) as [string, string, string, string, string];
    await files(store, [a, b, e]);
    await files(store, [c], ONE, SECOND);
    await files(store, [d], OTHER, uuid(13));
    await park(store, [a, c, d], 3);
    await park(store, [b], 0);
    const { reads, counted } = counting(store);
    let now = 0;
    const parked = new ParkedFiles(reads, () => now);
    const one = await parked.of(ONE);
    t.same([...one.byDevice.keys()].sort(), [DEVICE, SECOND]);
    t.same([idsOf(one), one.isWhole], [[a, c], true]);
    t.same(idsOf(await parked.of(OTHER)), [d]);
    t.same(idsOf(await parked.of(uuid(3))), []);
    t.equal(counted.looks, 1);
    t.equal(parked.used, 3);
    await park(store, [e], 1);
    now = PARKED_LIMITS.keptMs - 1;
    t.same(idsOf(await parked.of(ONE)), [a, c], 'nobody told of it');
    now = PARKED_LIMITS.keptMs;
    t.same(idsOf(await parked.of(ONE)), [a, c, e]);
    await park(store, [a], 0, 2);
    parked.forget();
    t.same(idsOf(await parked.of(ONE)), [c, e]);
    t.equal(counted.looks, 3);
    t.equal(counted.owners, 4, 'whose a file is, is read once');
    t.equal(parked.used, 3, 'those that are parked no longer are forgotten');
  },

  'who asks while a look is under way gets nothing older than what was told': async (t, open) => {
    const store = await opened(t, open);
    const [a, b] = fileIds(2) as [string, string];
    await files(store, [a, b]);
    await park(store, [a], 1);
    const { reads, counted } = counting(store);
    const parked = new ParkedFiles(reads, () => 0);
    const [reached, released] = [gate(), gate()];
    counted.before = async () => {
      reached.open();
      await released.opened;
    };
    const before = parked.of(ONE);
    await reached.opened;
    await park(store, [b], 1);
    parked.forget();
    const after = Promise.all([parked.of(ONE), parked.of(ONE), parked.of(ONE)]);
    released.open();
    t.same(idsOf(await before), [a]);
    for (const found of await after) t.same(idsOf(found), [a, b]);
    t.same(idsOf(await parked.of(ONE)), [a, b]);
    t.equal(counted.looks, 2, 'the later ones share a look');
  },

  'a look that fails is tried again by the next call': async (t, open) => {
    const store = await opened(t, open);
    const [a] = fileIds(1) as [string];
    await files(store, [a]);
    await park(store, [a], 1);
    const { reads, counted } = counting(store);
    const parked = new ParkedFiles(reads, () => 0);
    counted.before = () => Promise.reject(new Error('the store is away'));
    await t.rejects(parked.of(ONE), { message: 'the store is away' });
    counted.before = async () => undefined;
    t.same(idsOf(await parked.of(ONE)), [a]);
  },

  'a file that is projected after its parking is found by the next look': async (t, open) => {
    const store = await opened(t, open);
    const [a] = fileIds(1) as [string];
    await park(store, [a, DEVICE], 1);
    let now = 0;
    const parked = new ParkedFiles(store, () => now);
    t.same(idsOf(await parked.of(ONE)), []);
    await files(store, [a]);
    now += PARKED_LIMITS.keptMs;
    t.same(idsOf(await parked.of(ONE)), [a]);
  },

  'thousands are counted one by one, and more than are looked at are said': async (t, open) => {
    const store = await opened(t, open);
    const [many, few] = [fileIds(1_500), fileIds(3, 5_000)];
    await files(store, many);
    await files(store, few, OTHER, SECOND);
    await park(store, many, 1);
    await park(store, few, 2);
    const whole = new ParkedFiles(store);
    t.same([idsOf(await whole.of(ONE)).length, (await whole.of(ONE)).isWhole], [1_500, true]);
    for (const limit of [1_503, 1_000]) {
      const part = new ParkedFiles(store, undefined, limit);
      const [one, other] = [await part.of(ONE), await part.of(OTHER)];
      t.same([idsOf(one).length, one.isWhole], [limit - 3, false]);
      t.same([idsOf(other).length, other.isWhole], [3, false], 'those with most waiting first');
      t.equal((await part.of(uuid(3))).isWhole, false, 'nobody can say that none is parked');
    }
  },

  'views of earlier versions need no rebuild': async (t, open) => {
    const { store, close } = await open(t);
    t.teardown(close);
    const earlier = VIEW_COLLECTIONS.map((spec) =>
      spec.name === VIEWS.fileParkings ? { ...spec, indexes: [] } : spec,
    );
    await store.ensure(earlier);
    const ids = fileIds(20);
    await files(store, ids);
    await park(store, ids.slice(0, 8), 1);
    await park(store, ids.slice(8), 0);
    await store.ensure(VIEW_COLLECTIONS);
    t.same(idsOf(await new ParkedFiles(store).of(ONE)), ids.slice(0, 8));
  },
};

/** The read finds parked files by the index, also where most were parked once and are not now. */
export async function readsByIndex(t: Test, open: OpenStore): Promise<void> {
  const store = await opened(t, open);
  await park(store, fileIds(50), 0);
  const asked: [string, Parameters<DocumentStore['explain']>[1]][] = [];
  const find: DocumentStore['find'] = (collection, query) => {
    asked.push([collection, query]);
    return store.find(collection, query);
  };
  await new ParkedFiles({ find, getMany: store.getMany.bind(store) }).of(ONE);
  t.equal(asked.length, 1);
  for (const [collection, query] of asked) {
    const plan = await store.explain(collection, query);
    t.notOk(plan.fullScan, plan.detail);
  }
}
