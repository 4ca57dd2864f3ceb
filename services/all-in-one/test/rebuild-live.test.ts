/**
 * Tests rebuilding views while the projector writes them, on both document stores: nothing written is lost.
 */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { GROUPS, TOPICS, type HealthRecord } from '@sentinel-node/contracts';
import {
  EMBEDDED_TOPICS,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  replacedBy,
  silentLog,
  systemTimers,
  type Document,
  type DocumentStore,
  type EventLog,
} from '@sentinel-node/platform';
import { openMongoDocumentStore } from '@sentinel-node/platform/mongodb';
import { startMongo } from '@sentinel-node/test-kit/test-servers';
import { projectorService, rebuildViews, viewSourceEnds, type ViewName } from '@sentinel-node/query';
import { REBUILDS_COLLECTION, RebuildUnderWayError, TakenOverError } from '../src/rebuild/mark.ts';
import { rebuildInPlace, type RebuildDeps } from '../src/rebuild/rebuild-views.ts';
import { temporaryFolder } from './support/folder.ts';
import { FILE_MS, until } from './support/until.ts';

/** Views in the order of their switches. */
const VIEWS: readonly ViewName[] = ['device_activity', 'device_contacts'];
const DEVICES = Array.from({ length: 40 }, () => randomUUID());
const ORG = randomUUID();
const LONG_AGO_MS = 120_000;

interface World {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly scratch: DocumentStore;
  /** Appends a heartbeat of each device; resolves when the projector has written them. */
  beat(): Promise<void>;
  rebuild(onStep?: RebuildDeps['onStep']): Promise<void>;
  /** Checks that every view follows from the log and no remains are left. */
  isWhole(t: Test): Promise<void>;
}

async function world(t: Test, openStore: (t: Test) => Promise<DocumentStore>): Promise<World> {
  const folder = openDataFolder(temporaryFolder(t));
  t.teardown(() => folder.release());
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  t.teardown(() => eventLog.close());
  const scratch = await openEmbeddedDocumentStore({ folder, file: 'scratch.db' });
  t.teardown(() => scratch.close());
  const store = await openStore(t);
  const projector = projectorService({ eventLog, store, timers: systemTimers, log: silentLog() });
  await projector.start();
  t.teardown(() => projector.stop());
  let now = 1_000_000;
  const projected = () =>
    until('the projector', async () => {
      const committed = await eventLog.committed(TOPICS.deviceHealth, GROUPS.projector);
      const bounds = await eventLog.bounds(TOPICS.deviceHealth);
      return bounds.every(({ partition, end }) => (committed.get(partition) ?? 0) >= end) ? true : undefined;
    });
  const beat = async () => {
    const records = DEVICES.map((deviceId) => heartbeat(deviceId, (now += 1)));
    await eventLog.append(TOPICS.deviceHealth, records);
    await projected();
  };
  const rebuild: World['rebuild'] = (onStep) =>
    rebuildInPlace({ eventLog, store, writeLine: () => undefined, ...(onStep && { onStep }) }, VIEWS);
  const isWhole = async (t: Test) => {
    await projected();
    await rebuildViews(eventLog, scratch, await viewSourceEnds(eventLog));
    for (const view of VIEWS) {
      const found = await everything(store, view);
      t.equal(found.length, DEVICES.length);
      t.strictSame(found, await everything(scratch, view), view);
    }
    const left = (await store.collections()).filter((name) => replacedBy(name) !== undefined);
    t.strictSame(left, [], 'no replacement is left');
    t.strictSame(await everything(store, REBUILDS_COLLECTION.name), [], 'no mark is left');
  };
  return { eventLog, store, scratch, beat, rebuild, isWhole };
}

function heartbeat(deviceId: string, receivedAt: number) {
  const record: HealthRecord = {
    v: 1,
    orgId: ORG,
    deviceId,
    receivedAt,
    heartbeat: {
      timestamp: new Date(receivedAt).toISOString(),
      instanceId: 'one',
      agentVersion: '1.0.0',
      queue: receivedAt % 7,
      oldestUnsent: null,
      files: [],
    },
  };
  const body = new TextEncoder().encode(JSON.stringify(record));
  return { key: deviceId, id: `${deviceId}:${receivedAt}`, body };
}

/** Has the log read as if its heartbeats up to now were compacted away. */
async function loseHeartbeats(eventLog: EventLog): Promise<void> {
  const bounds = await eventLog.bounds(TOPICS.deviceHealth);
  const ends = new Map(bounds.map(({ partition, end }) => [partition, end]));
  const read = eventLog.read.bind(eventLog);
  eventLog.read = (topic, partition, from, ...rest) => {
    const end = topic === TOPICS.deviceHealth ? ends.get(partition)! : 0;
    return read(topic, partition, Math.max(from, end), ...rest);
  };
}

async function everything(store: DocumentStore, view: string): Promise<Document[]> {
  const found: Document[] = [];
  for await (const page of store.scan(view)) found.push(...page);
  return found;
}

const newest = async (store: DocumentStore) => (await store.get(VIEWS[0]!, DEVICES[0]!))?.rev ?? 0;

/** Ages the marks, as if their process had ended long ago. */
async function age(store: DocumentStore): Promise<void> {
  for (const mark of await store.find(REBUILDS_COLLECTION.name, { limit: 100 })) {
    const aliveAt = mark.aliveAt - LONG_AGO_MS;
    await store.update(REBUILDS_COLLECTION.name, { ...mark, rev: mark.rev + 1, aliveAt }, mark.rev);
  }
}

const cases: Readonly<Record<string, (t: Test, world: World) => Promise<void>>> = {
  'what is written until the switch, and after it': async (t, { store, beat, rebuild, isWhole }) => {
    await beat();
    let written = 0;
    await rebuild(async (step, view) => {
      if (step === 'filled') {
        await beat();
        written = await newest(store);
      } else if (view === VIEWS[0]) {
        t.ok((await newest(store)) < written, 'the new collection lacks what went into the old one');
        await beat();
      }
    });
    t.ok((await newest(store)) >= written);
    await isWhole(t);
  },

  'first contacts of which the log no longer has the heartbeat': async (t, { eventLog, store, beat }) => {
    const view = 'device_first_contacts';
    await beat();
    const before = await everything(store, view);
    await loseHeartbeats(eventLog);
    await beat();
    await store.bulkUpsert(view, [{ id: randomUUID(), rev: -1, orgId: ORG }]);
    const changed = { ...before[0]!, orgId: randomUUID() };
    await store.update(view, changed, changed.rev!);
    await rebuildInPlace({ eventLog, store, writeLine: () => undefined }, [view]);
    t.equal(before.length, DEVICES.length);
    t.strictSame(
      await everything(store, view),
      before,
      'no organisation but that of the log, and none that no record gives',
    );
  },

  'without a pause in the writes': async (t, { beat, rebuild, isWhole }) => {
    await beat();
    let ended = false;
    let beats = 0;
    const writing = (async () => {
      for (; !ended; beats += 1) await beat();
    })();
    // Repeat, because a fast machine finishes before anything is written.
    for (let round = 0; round < 3 || beats <= 3; round += 1) await rebuild();
    ended = true;
    await writing;
    t.ok(beats > 3);
    await isWhole(t);
  },

  'a rebuild that ends between the switch and the rest is made good by the next': async (t, world) => {
    const { store, beat, rebuild, isWhole } = world;
    await beat();
    const died = new Error('killed');
    const first = rebuild(async (step) => {
      if (step === 'filled') await beat();
      else throw died;
    });
    await t.rejects(first, died);
    const [mark] = await everything(store, REBUILDS_COLLECTION.name);
    t.equal(mark?.id, VIEWS[0], 'the view that was switched keeps its mark, the other one does not');
    const before = await newest(store);
    await t.rejects(rebuild(), RebuildUnderWayError);
    await age(store);
    let seen = 0;
    await rebuild(async (step) => {
      if (step === 'filled' && seen === 0) seen = await newest(store);
    });
    t.ok(seen > before, 'the records that the switch left out come first');
    await isWhole(t);
  },

  'a rebuild that was taken for dead puts nothing in place any more': async (t, world) => {
    const { store, beat, rebuild, isWhole } = world;
    await beat();
    let resume: () => void = () => undefined;
    const stalled = new Promise<void>((resolve) => (resume = resolve));
    let reached: () => void = () => undefined;
    const isFilled = new Promise<void>((resolve) => (reached = resolve));
    const first = rebuild((step) => {
      if (step === 'filled') reached();
      return stalled;
    });
    first.catch(() => undefined);
    await isFilled;
    await t.rejects(rebuild(), RebuildUnderWayError, 'while it lives nobody else begins');
    await age(store);
    await beat();
    await rebuild();
    resume();
    await t.rejects(first, TakenOverError);
    await isWhole(t);
  },
};

t.setTimeout(FILE_MS);
async function suite(t: Test, name: string, openStore: (t: Test) => Promise<DocumentStore>): Promise<void> {
  await t.test(name, { timeout: FILE_MS }, async (t) => {
    for (const [title, run] of Object.entries(cases))
      await t.test(title, async (t) => run(t, await world(t, openStore)));
  });
}

await suite(t, 'embedded document store', async (t) => {
  const folder = openDataFolder(temporaryFolder(t));
  t.teardown(() => folder.release());
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(() => store.close());
  return store;
});

const mongo = await startMongo(t);
if (mongo !== undefined) {
  await suite(t, 'MongoDB', async (t) => {
    const database = `test-${randomUUID()}`;
    const store = await openMongoDocumentStore({ url: mongo.url, database, log: silentLog() });
    t.teardown(() => store.close());
    return store;
  });
}
