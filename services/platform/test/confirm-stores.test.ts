import { readdirSync } from 'node:fs';
import { COLLECTIONS, GROUPS, TOPICS } from '@sentinel-node/contracts';
import t, { type Test } from 'tap';
import {
  beginRestore,
  CHECKPOINTS_COLLECTION,
  confirmCheckpoints,
  confirmLogKey,
  confirmStores,
  createLog,
  createMetrics,
  DEPLOYMENT_COLLECTION,
  EMBEDDED_TOPICS,
  endRestore,
  logKeyOf,
  MAX_CHECKPOINT_LAG,
  openDataFolder,
  openDocumentReader,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  openStores,
  readConfig,
  checkpointAt,
  checkpointBatch,
  STREAMS_COLLECTION,
  type DocumentStore,
  type EventLog,
  type Position,
  type RecordBatch,
} from '../src/index.ts';
import { NotDurableError } from '../src/ports/errors.ts';
import { KeptWatch } from '../src/stores/kept-watch.ts';
import { until } from '@sentinel-node/test-kit/contract-suites';

const KEY = logKeyOf('correct horse battery staple 123');
const RECORD = { key: 'organization', id: 'organization/1', body: new Uint8Array(1) };

async function stores(t: Test): Promise<{ store: DocumentStore; eventLog: EventLog }> {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  t.teardown(async () => {
    await eventLog.close();
    await store.close();
    folder.release();
  });
  return { store, eventLog };
}

/** Returns the log with some calls replaced. */
const withCalls = (eventLog: EventLog, calls: Partial<EventLog>): EventLog =>
  new Proxy(eventLog, {
    get: (target, name) =>
      calls[name as keyof EventLog] ?? (target[name as keyof EventLog] as () => unknown).bind(target),
  });

const HEADS = { name: COLLECTIONS.heads, indexes: [] };
const RESERVATIONS = { name: COLLECTIONS.reservations, indexes: [] };

/** Stores a commit as it is after, or before, its publication. */
async function commit(store: DocumentStore, outbox: { unpublished?: 1 } = {}): Promise<void> {
  await store.ensure([STREAMS_COLLECTION]);
  const anyName: string = STREAMS_COLLECTION.name;
  await store.insertUnique(anyName, { id: 'organization/1', at: 1, ...outbox });
  await store.ensure([RESERVATIONS]);
  await store.insertUnique(RESERVATIONS.name, { id: 'name:organization', rev: 1 });
}

t.test('new stores belong together, and so do those that were used together', async (t) => {
  const { store, eventLog } = await stores(t);
  await confirmStores(store, eventLog, KEY);
  await commit(store);
  await eventLog.append(TOPICS.registry, [RECORD]);
  await confirmStores(store, eventLog, KEY);
  await t.rejects(confirmStores(store, eventLog, logKeyOf('x'.repeat(32))), { code: 'LOG_KEY_CHANGED' });
});

t.test('a command may not begin on stores that no system was started on', async (t) => {
  const { store, eventLog } = await stores(t);
  await t.rejects(confirmStores(store, eventLog, KEY, { mayBegin: false }), { code: 'NOTHING_STARTED' });
  await t.rejects(
    confirmStores(store, eventLog, KEY, { mayBegin: false }),
    { code: 'NOTHING_STARTED' },
    'nor the second time',
  );
  await confirmStores(store, eventLog, KEY);
  await confirmStores(store, eventLog, KEY, { mayBegin: false });
});

t.test('stores into which a restore was begun are refused until it has ended', async (t) => {
  const { store, eventLog } = await stores(t);
  await beginRestore(store);
  await t.rejects(confirmStores(store, eventLog, KEY), { code: 'RESTORE_UNFINISHED' });
  await commit(store);
  await eventLog.append(TOPICS.registry, [RECORD]);
  await t.rejects(
    confirmStores(store, eventLog, KEY),
    { code: 'RESTORE_UNFINISHED' },
    'with a part of it too',
  );
  await confirmLogKey(store, KEY);
  await endRestore(store);
  await confirmStores(store, eventLog, KEY);
});

t.test('an empty store beside a log in use is refused, and stays empty', async (t) => {
  const { store, eventLog } = await stores(t);
  await eventLog.append(TOPICS.registry, [RECORD]);
  for (let start = 0; start < 2; start++)
    await t.rejects(confirmStores(store, eventLog, KEY), {
      code: 'STORE_IS_NEW',
      message: /name of the database, right\? If it was lost, restore a backup/,
    });
});

t.test('an empty log beside a store that was used with another is refused', async (t) => {
  const { store, eventLog } = await stores(t);
  await confirmStores(store, eventLog, KEY);
  await commit(store);
  await t.rejects(confirmStores(store, eventLog, KEY), { code: 'LOG_IS_NEW' });
});

for (const name of [STREAMS_COLLECTION.name, RESERVATIONS.name])
  t.test(`a store without any document of ${name}, beside a log that has commits, is refused`, async (t) => {
    const { store, eventLog } = await usedStores(t);
    await store.drop([name]);
    await t.rejects(confirmStores(store, eventLog, KEY), {
      code: 'COLLECTION_LOST',
      message: new RegExp(`^the collection ${name} is empty, but the log .* restore the newest backup$`),
    });
  });

t.test('a store whose heads are gone, with the checkpoints of them, is refused', async (t) => {
  const { store, eventLog } = await usedStores(t);
  await eventLog.append(VERIFIER.topic, [RECORD]);
  await store.writeBatches([checkpointAt({ ...VERIFIER, partition: 0 }, 0)]);
  await confirmStores(store, eventLog, KEY);
  await store.drop([HEADS.name]);
  await t.rejects(confirmStores(store, eventLog, KEY), {
    code: 'COLLECTION_LOST',
    message: /^the collection heads is empty, .* judged again, to the same result/,
  });
  await store.remove(CHECKPOINTS_COLLECTION.name, [`${VERIFIER.group}/${VERIFIER.topic}/0`]);
  await confirmStores(store, eventLog, KEY);
});

t.test('a collection that is dropped while services run keeps them from being ready', async (t) => {
  const filled = new Set<string>([
    STREAMS_COLLECTION.name,
    RESERVATIONS.name,
    HEADS.name,
    CHECKPOINTS_COLLECTION.name,
  ]);
  const state = { isAway: false };
  const lines: string[] = [];
  let look = (): Promise<void> => Promise.resolve();
  const watch = new KeptWatch({
    store: {
      find: async (collection: string) => {
        if (state.isAway) throw new NotDurableError('away');
        return (filled.has(collection) ? [{ id: 'one' }] : []) as never;
      },
    },
    eventLog: { bounds: async () => [{ partition: 0, start: 0, end: 1 }] },
    timers: {
      every: (_ms, task) => (
        (look = task),
        { stop: async () => undefined, failed: new Promise(() => undefined) }
      ),
    },
    log: createLog({
      level: 'info',
      service: 'test',
      destination: { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) },
    }),
  });
  watch.start();
  await look();
  t.strictSame([watch.notReady(), lines], [[], []]);
  for (const name of [STREAMS_COLLECTION.name, RESERVATIONS.name, HEADS.name]) {
    filled.delete(name);
    for (let again = 0; again < 2; again++) await look();
    t.strictSame(watch.notReady(), [`documents of the collection ${name}`]);
    state.isAway = true;
    await look();
    t.strictSame(watch.notReady(), [`documents of the collection ${name}`], 'what was found stays');
    state.isAway = false;
    filled.add(name);
    await look();
    t.strictSame(watch.notReady(), []);
    const [told, back, ...more] = lines.splice(0);
    t.match(told, new RegExp(`^the collection ${name} is empty, but .* Stop all services`));
    t.strictSame([back, more], ['the collection is there again', []]);
  }
  filled.delete(CHECKPOINTS_COLLECTION.name);
  filled.delete(HEADS.name);
  await look();
  t.strictSame(watch.notReady(), [], 'no report was judged yet');
});

t.test('what the log did not take yet is no sign of another one', async (t) => {
  const { store, eventLog } = await stores(t);
  await confirmStores(store, eventLog, KEY);
  await commit(store, { unpublished: 1 });
  await confirmStores(store, eventLog, KEY);
});

t.test('another process may begin while this one looks', async (t) => {
  const { store, eventLog } = await stores(t);
  const bounds: EventLog['bounds'] = async (topic) => {
    // Between the two checks the other process records the key and publishes its first change.
    await confirmStores(store, eventLog, KEY);
    if ((await eventLog.bounds(TOPICS.registry)).every(({ end }) => end === 0)) {
      await commit(store);
      await eventLog.append(TOPICS.registry, [RECORD]);
    }
    return eventLog.bounds(topic);
  };
  await confirmStores(store, withCalls(eventLog, { bounds }), KEY);
});

const PROJECTOR = { group: GROUPS.projector as string, topic: TOPICS.chain as string };
const VERIFIER = { group: GROUPS.verifier, topic: TOPICS.fileEvents };

/** Lets a group finish all current records of its topic. */
async function finish(
  eventLog: EventLog,
  handler: (batch: RecordBatch) => Promise<void>,
  { group, topic } = PROJECTOR,
): Promise<void> {
  const subscription = await eventLog.consume([topic], group, handler);
  await until('the group is at the end', async () => {
    const committed = await eventLog.committed(topic, group);
    const bounds = await eventLog.bounds(topic);
    return bounds.every(({ partition, end }) => (committed.get(partition) ?? 0) === end);
  });
  await subscription.stop();
}

const saveCheckpoint = (store: DocumentStore, batch: RecordBatch) =>
  store.writeBatches([checkpointBatch(PROJECTOR.group, batch)]);

const batchAt = ({ offset, partition }: Position): RecordBatch => ({
  topic: PROJECTOR.topic,
  partition,
  records: [{ ...RECORD, partition, offset }],
});

/** Returns used stores with three reports whose consequences are all written. */
async function usedStores(t: Test): Promise<{ store: DocumentStore; eventLog: EventLog }> {
  const { store, eventLog } = await stores(t);
  await confirmStores(store, eventLog, KEY);
  await commit(store);
  await eventLog.append(TOPICS.registry, [RECORD]);
  await store.ensure([HEADS]);
  await store.insertUnique(HEADS.name, { id: 'file', rev: 1 });
  await eventLog.append(PROJECTOR.topic, [RECORD, RECORD, RECORD]);
  await finish(eventLog, (batch) => saveCheckpoint(store, batch));
  await confirmStores(store, eventLog, KEY);
  return { store, eventLog };
}

t.test('a store that is older than what a group has finished is refused', async (t) => {
  const { store, eventLog } = await usedStores(t);
  const snapshot = await store.find(CHECKPOINTS_COLLECTION.name, { limit: 10 });
  await eventLog.append(PROJECTOR.topic, [RECORD]);
  await finish(eventLog, (batch) => saveCheckpoint(store, batch));
  await confirmStores(store, eventLog, KEY);
  const later = await store.find(CHECKPOINTS_COLLECTION.name, { limit: 10 });
  await store.remove(
    CHECKPOINTS_COLLECTION.name,
    later.map(({ id }) => id),
  );
  await store.insertMissing(CHECKPOINTS_COLLECTION.name, snapshot);
  await t.rejects(confirmStores(store, eventLog, KEY), {
    code: 'STORE_IS_OLDER',
    message: /projector has finished sentinel\.chain\.v1 partition \d up to offset 4, .* up to 3\./,
  });
});

t.test('a checkpoint without a position is refused, whose comparisons would all pass', async (t) => {
  const { store, eventLog } = await usedStores(t);
  const [found] = await store.find(CHECKPOINTS_COLLECTION.name, { limit: 1 });
  for (const rev of [NaN, '3', 2.5, -1, null]) {
    const find = async () => [{ ...found!, rev }];
    const damaged = new Proxy(store, {
      get: (target, name) =>
        name === 'find' ? find : (target[name as keyof DocumentStore] as () => unknown).bind(target),
    });
    await t.rejects(confirmCheckpoints(damaged, eventLog), {
      code: 'CHECKPOINT_UNUSABLE',
      message: new RegExp(
        `^the checkpoint ${found!.id} of .* has no position but .*restore the newest backup`,
      ),
    });
  }
});

t.test('a log that ends before what the store has of it is refused', async (t) => {
  const { store, eventLog } = await usedStores(t);
  const [kept] = await eventLog.append(PROJECTOR.topic, [RECORD]);
  await saveCheckpoint(store, batchAt({ ...kept!, offset: kept!.offset + 1 }));
  await t.rejects(confirmStores(store, eventLog, KEY), {
    code: 'LOG_IS_OLDER',
    message: /partition \d ends at offset 4, the store has what follows up to 5\./,
  });
});

t.test('a group that has finished what neither the log nor the store has is named', async (t) => {
  const { store, eventLog } = await usedStores(t);
  const moved = withCalls(eventLog, {
    committed: async (topic, group) =>
      topic === PROJECTOR.topic && group === PROJECTOR.group
        ? new Map((await eventLog.bounds(topic)).map(({ partition }) => [partition, 50]))
        : eventLog.committed(topic, group),
  });
  await t.rejects(confirmStores(store, moved, KEY), {
    code: 'GROUP_MOVED',
    message:
      /^the positions of the group query-projector .* up to offset 50, the log ends at offset \d, .* delete the group \(kafka-consumer-groups\.sh --delete --group query-projector\)/,
  });
});

t.test('a group that is behind its checkpoint is none the worse: the records come again', async (t) => {
  const { store, eventLog } = await usedStores(t);
  const [appended] = await eventLog.append(PROJECTOR.topic, [RECORD]);
  await saveCheckpoint(store, batchAt(appended!));
  await confirmStores(store, eventLog, KEY);
});

t.test('services may go on while another one compares', async (t) => {
  const { store, eventLog } = await usedStores(t);
  const committed: EventLog['committed'] = async (topic, group) => {
    const before = await eventLog.committed(topic, group);
    await eventLog.append(PROJECTOR.topic, [RECORD]);
    await finish(eventLog, (batch) => saveCheckpoint(store, batch));
    return before;
  };
  await confirmStores(store, withCalls(eventLog, { committed }), KEY);
});

t.test('the verifier may have finished more than its checkpoint says, up to a limit', async (t) => {
  const { store, eventLog } = await usedStores(t);
  const append = (count: number) =>
    eventLog.append(
      VERIFIER.topic,
      Array.from({ length: count }, () => RECORD),
    );
  const noCheckpoint = () => Promise.resolve();
  await append(MAX_CHECKPOINT_LAG);
  await finish(eventLog, noCheckpoint, VERIFIER);
  await confirmStores(store, eventLog, KEY);
  const [last] = await append(1);
  await finish(eventLog, noCheckpoint, VERIFIER);
  await t.rejects(confirmStores(store, eventLog, KEY), { code: 'STORE_IS_OLDER' });
  await store.writeBatches([checkpointAt({ ...VERIFIER, partition: last!.partition }, 1)]);
  await confirmStores(store, eventLog, KEY);
});

t.test(
  'a log that ends before what a group has finished is refused, wherever its checkpoint is, also if it has none',
  async (t) => {
    const { store, eventLog } = await usedStores(t);
    for (const place of [VERIFIER, { ...PROJECTOR, topic: TOPICS.deviceHealth }]) {
      const [, last] = await eventLog.append(place.topic, [RECORD, RECORD]);
      await finish(eventLog, () => Promise.resolve(), place);
      const bounds: EventLog['bounds'] = async (topic) => {
        const found = await eventLog.bounds(topic);
        if (topic !== place.topic) return found;
        return found.map((one) => (one.partition === last!.partition ? { ...one, end: one.end - 1 } : one));
      };
      await confirmStores(store, eventLog, KEY);
      await t.rejects(
        confirmStores(store, withCalls(eventLog, { bounds }), KEY),
        { code: 'LOG_IS_OLDER' },
        place.topic,
      );
    }
  },
);

t.test('a log that begins after what a reader needs next is refused', async (t) => {
  const { store, eventLog } = await usedStores(t);
  const [, last] = await eventLog.append(VERIFIER.topic, [RECORD, RECORD]);
  await finish(eventLog, () => Promise.resolve(), VERIFIER);
  const { partition, offset } = last!;
  const beginning = (start: number) => {
    const bounds: EventLog['bounds'] = async (topic) => {
      const found = await eventLog.bounds(topic);
      if (topic !== VERIFIER.topic) return found;
      return found.map((one) => (one.partition === partition ? { ...one, start } : one));
    };
    return confirmStores(store, withCalls(eventLog, { bounds }), KEY);
  };
  await t.rejects(beginning(1), {
    code: 'LOG_START_LOST',
    message: new RegExp(
      `${VERIFIER.topic} partition ${partition} begins at offset 1, ${VERIFIER.group} needs the records from 0 on, of which 1 are gone`,
    ),
  });
  await store.writeBatches([checkpointAt({ ...VERIFIER, partition }, offset)]);
  await beginning(offset);
  await t.rejects(beginning(offset + 1), { code: 'LOG_START_LOST' }, 'its position does not help');
});

const CONFIG = readConfig({});
const QUIET = createLog({ level: 'silent', service: 'test' });

t.test('data of a form that a later version brought is opened by nobody, and stays as it is', async (t) => {
  const dir = t.testdir();
  const at = { ...CONFIG, dataDir: dir };
  const open = async () => (await openStores(at, QUIET, createMetrics('test'))).close();
  const read = async () => (await openDocumentReader(at, QUIET, [])).close();
  const record = async (form: unknown) => {
    const folder = openDataFolder(dir);
    const store = await openEmbeddedDocumentStore({ folder });
    await store.ensure([DEPLOYMENT_COLLECTION]);
    const anyName: string = DEPLOYMENT_COLLECTION.name;
    await store.remove(anyName, ['data-form']);
    await store.insertMissing(anyName, [{ id: 'data-form', form: form as number }]);
    await store.close();
    folder.release();
  };
  await open();
  await read();
  await record(1);
  await open();
  await read();
  for (const form of [2, '2', null, 1.5]) {
    await record(form);
    const before = readdirSync(dir).toSorted();
    for (const opens of [open, read])
      await t.rejects(opens(), {
        code: 'DATA_FORM_UNKNOWN',
        message: `the data has the form ${JSON.stringify(form)}, and this version knows none above 1: a later version wrote it. Start that version, or restore a backup from before the upgrade into empty stores`,
      });
    t.strictSame(readdirSync(dir).toSorted(), before);
  }
});
