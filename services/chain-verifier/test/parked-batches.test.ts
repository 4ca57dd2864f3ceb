import { COLLECTIONS, decodeChainBody, TOPICS, type ChainRecord } from '@sentinel-node/contracts';
import { CHECKPOINTS_COLLECTION, OverloadedError } from '@sentinel-node/platform';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { BatchVerifier, type BatchVerifierOptions } from '../src/consume.ts';
import { HeadCache } from '../src/head-cache.ts';
import { loadHeads } from '../src/head-store.ts';
import { Desk } from './doubles/desk.ts';
import { MemoryLog, MemoryStore } from './doubles/memory-ports.ts';
import { batchOf } from './doubles/world.ts';
import { FILE, first, LOG_ID, unchanged, version, type Made } from './dsl/records.ts';
import { given } from './dsl/story.ts';

const A = version('A');
const poison: Made = { key: FILE, id: 'poison', body: new TextEncoder().encode('{"kind":"riddle"}') };

function setUp() {
  const eventLog = new MemoryLog(1, () => 'none', [[]]);
  const store = new MemoryStore();
  const calls: string[] = [];
  const { append } = eventLog;
  eventLog.append = (topic, records) => {
    calls.push(topic);
    return append.call(eventLog, topic, records);
  };
  const { write } = store;
  store.write = (collection, documents) => {
    calls.push(collection);
    return write.call(store, collection, documents);
  };
  const once = async (call: () => Promise<unknown>) => void (await call());
  const newVerifier = (persist: BatchVerifierOptions['persist'] = once) =>
    new BatchVerifier({ eventLog, store, cache: new HeadCache({ heads: 10 }), logId: LOG_ID, persist });
  const batch = (records: readonly Made[], from = 0) =>
    batchOf(
      0,
      records.map((record, i) => ({ ...record, partition: 0, offset: from + i })),
    );
  return { calls, eventLog, store, newVerifier, batch };
}

t.test('dead letters are durable before the chain says so, heads follow, a checkpoint ends it', async (t) => {
  const { batch, calls, eventLog, newVerifier, store } = setUp();
  await newVerifier().handle(batch([...given({}, first(A)).teller.log, poison]));
  t.same(calls, [TOPICS.deadLetters, TOPICS.chain, COLLECTIONS.heads, CHECKPOINTS_COLLECTION.name]);
  t.same(
    eventLog.deadLetters.map(({ id, key }) => [id, key]),
    [[`${TOPICS.fileEvents}:0:1`, FILE]],
  );
  t.match(JSON.parse(store.heads.get(FILE)!), { shape: 2, rev: 2, parked: { letters: 1 } });
  t.match((await loadHeads(store, [FILE])).get(FILE)?.parked, { parking: 1, letters: 1, replayed: 0 });
});

t.test('what was found unjudgeable stays so for a later version that starts from the log', async (t) => {
  const { batch, eventLog, newVerifier } = setUp();
  const { log } = given({}, first(A), unchanged(A)).teller;
  // An older version could not judge the second record, and ended before it told the chain topic.
  const older = new Desk();
  older.put(log[0]!);
  older.put(log[1]!, 'rules that it had wrong');
  const body = new TextEncoder().encode(JSON.stringify(older.deadLetters[0]));
  await eventLog.append(TOPICS.deadLetters, [{ key: FILE, id: `${TOPICS.fileEvents}:0:1`, body }]);
  await newVerifier().handle(batch(log));
  const published = eventLog.partitions[0]!.map(({ body }) => decodeChainBody(body) as ChainRecord);
  matchList(t, published, [
    { rev: 1 },
    { rev: 2, parking: { outcome: 'PARKED', cause: 'rules that it had wrong', letters: 1 } },
  ]);
});

t.test('what stands among the dead letters and is none decides nothing', async (t) => {
  const { batch, eventLog, newVerifier } = setUp();
  const { log } = given({}, first(A)).teller;
  const body = new TextEncoder().encode('{"topic":"x","cause":"y"}');
  await eventLog.append(TOPICS.deadLetters, [{ key: FILE, id: 'x', body }]);
  await newVerifier().handle(batch(log));
  matchWhole(t, decodeChainBody(eventLog.partitions[0]![0]!.body), {
    entries: [{ kind: 'GENESIS' }, { kind: 'BASELINE' }],
  });
});

t.test('a store or a log that cannot be read for a while holds the batch back', async (t) => {
  const { batch, eventLog, store, newVerifier } = setUp();
  const { log } = given({}, first(A)).teller;
  const failing = <F extends (...args: never[]) => unknown>(times: number, call: F): F =>
    ((...args: never[]) => {
      if (times-- > 0) return Promise.reject(new OverloadedError('busy'));
      return call(...args);
    }) as F;
  store.getMany = failing(2, store.getMany.bind(store));
  eventLog.bounds = failing(2, eventLog.bounds.bind(eventLog));
  await newVerifier(again).handle(batch(log));
  t.equal(eventLog.partitions[0]!.length, 1);
});

async function again(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error;
    }
  }
}
