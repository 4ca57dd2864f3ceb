import { TOPICS } from '@sentinel-node/contracts';
import t, { type Test } from 'tap';
import {
  confirmStores,
  EMBEDDED_TOPICS,
  logKeyOf,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  STREAMS_COLLECTION,
  type DocumentStore,
  type EventLog,
} from '../src/index.ts';

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

/** A commit as it lies in the store after the log has taken it, or before. */
async function commit(store: DocumentStore, outbox: { unpublished?: 1 } = {}): Promise<void> {
  await store.ensure([STREAMS_COLLECTION]);
  await store.insertUnique(STREAMS_COLLECTION.name, { id: 'organization/1', at: 1, ...outbox });
}

t.test('new stores belong together, and so do those that were used together', async (t) => {
  const { store, eventLog } = await stores(t);
  await confirmStores(store, eventLog, KEY);
  await commit(store);
  await eventLog.append(TOPICS.registry, [RECORD]);
  await confirmStores(store, eventLog, KEY);
  await t.rejects(confirmStores(store, eventLog, logKeyOf('x'.repeat(32))), { code: 'LOG_KEY_CHANGED' });
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

t.test('what the log did not take yet is no sign of another one', async (t) => {
  const { store, eventLog } = await stores(t);
  await confirmStores(store, eventLog, KEY);
  await commit(store, { unpublished: 1 });
  await confirmStores(store, eventLog, KEY);
});

t.test('another process may begin while this one looks', async (t) => {
  const { store, eventLog } = await stores(t);
  const slow: EventLog = Object.create(eventLog) as EventLog;
  slow.bounds = async (topic) => {
    // Between the two looks the other one records the key, and publishes its first change.
    await confirmStores(store, eventLog, KEY);
    if ((await eventLog.bounds(topic)).every(({ end }) => end === 0))
      await eventLog.append(TOPICS.registry, [RECORD]);
    return eventLog.bounds(topic);
  };
  await confirmStores(store, slow, KEY);
});
