import { GROUPS, partitionOf, TOPICS, type ChainRecord } from '@sentinel-node/contracts';
import {
  EMBEDDED_TOPICS,
  createMetrics,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  silentLog,
  type EventLog,
} from '@sentinel-node/platform';
import tap from 'tap';
import { createChainVerifier } from '../src/index.ts';
import { dismiss, FILE, first, LOG_ID, report, unchanged, version } from './dsl/records.ts';
import { given } from './dsl/story.ts';

const A = version('A');
const B = version('B', 120);
const DEADLINE_MS = 10_000;

/** The embedded adapters in a folder of their own. */
async function ports(t: Pick<typeof tap, 'testdir' | 'teardown'>) {
  const folder = openDataFolder(t.testdir());
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await eventLog.close();
    await store.close();
    folder.release();
  });
  return { eventLog, store };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not come true');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function published(eventLog: EventLog): Promise<ChainRecord[]> {
  const { length } = await eventLog.bounds(TOPICS.chain);
  const records: ChainRecord[] = [];
  for await (const batch of eventLog.read(TOPICS.chain, partitionOf(FILE, length), 0))
    for (const { body } of batch.records)
      records.push(JSON.parse(new TextDecoder().decode(body)) as ChainRecord);
  return records;
}

async function committed(eventLog: EventLog): Promise<number> {
  const offsets = await eventLog.committed(TOPICS.fileEvents, GROUPS.verifier);
  return [...offsets.values()].reduce((sum, next) => sum + next, 0);
}

tap.test('what stands in file-events is judged into chain, over two lives of the service', async (t) => {
  const { eventLog, store } = await ports(t);
  const { teller } = given({}, first(A), report('APPENDED', [A, B]), unchanged(A), dismiss('HASH_BREACH'));
  const options = { log: silentLog(), eventLog, store, logId: LOG_ID };
  for (const half of [teller.log.slice(0, 2), teller.log.slice(2)]) {
    const verifier = createChainVerifier({
      ...options,
      metrics: createMetrics('test', { processMetrics: false }),
    });
    t.same(verifier.notReady(), ['chain-verifier']);
    await verifier.start();
    t.same(verifier.notReady(), []);
    const before = await committed(eventLog);
    await eventLog.append(TOPICS.fileEvents, half);
    await until(async () => (await committed(eventLog)) === before + half.length);
    await verifier.stop();
  }
  t.same(await published(eventLog), teller.published);
});

tap.test('a record that cannot be judged stops the service before it, with an alarm', async (t) => {
  const { eventLog, store } = await ports(t);
  const lines: { obj: Record<string, unknown>; text: string }[] = [];
  const log = silentLog();
  log.child = (() => ({
    fatal: (obj: Record<string, unknown>, text: string) => lines.push({ obj, text }),
  })) as never;
  const verifier = createChainVerifier({ log, eventLog, store, logId: LOG_ID });
  await verifier.start();
  const { teller } = given({}, first(A), unchanged(A));
  const foreign = { key: FILE, id: 'x', body: new TextEncoder().encode('{"kind":"riddle"}') };
  await eventLog.append(TOPICS.fileEvents, [...teller.log, foreign]);
  await t.rejects(verifier.failed, { code: 'UNJUDGEABLE_RECORD', offset: 2 });
  t.same(verifier.notReady(), ['chain-verifier']);
  t.match(lines, [{ obj: { alarm: true, code: 'UNJUDGEABLE_RECORD', topic: TOPICS.fileEvents, offset: 2 } }]);
  t.equal(await committed(eventLog), 0, 'nothing of the batch is committed');
  await verifier.stop();
});
