import {
  decodeChainBody,
  GROUPS,
  partitionOf,
  TOPICS,
  type ChainRecord,
  type DeadLetter,
} from '@sentinel-node/contracts';
import {
  EMBEDDED_TOPICS,
  createMetrics,
  LogUnavailableError,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  silentLog,
  systemTimers,
  type EventLog,
} from '@sentinel-node/platform';
import tap from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { createChainVerifier, readDeadLetter, replayRecordOf } from '../src/index.ts';
import { dismiss, FILE, first, LOG_ID, report, unchanged, version } from './dsl/records.ts';
import { given } from './dsl/story.ts';

const A = version('A');
const B = version('B', 120);
const DEADLINE_MS = 60_000;

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
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function published(eventLog: EventLog): Promise<ChainRecord[]> {
  const { length } = await eventLog.bounds(TOPICS.chain);
  const records: ChainRecord[] = [];
  for await (const batch of eventLog.read(TOPICS.chain, partitionOf(FILE, length), 0))
    for (const { body } of batch.records) records.push(decodeChainBody(body) as ChainRecord);
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

tap.test('the number of parked files is not told before somebody has looked', async (t) => {
  const { eventLog, store } = await ports(t);
  const metrics = createMetrics('test', { processMetrics: false });
  const told = async () => /^sentinel_verifier_parked_files\{.*\} (.+)$/m.exec(await metrics.text())?.[1];
  const isAway = { now: true };
  const unread: EventLog = Object.assign(Object.create(eventLog) as EventLog, {
    append: eventLog.append.bind(eventLog),
    consume: eventLog.consume.bind(eventLog),
    bounds: (topic: string) =>
      isAway.now && topic === TOPICS.deadLetters
        ? Promise.reject(new LogUnavailableError('away'))
        : eventLog.bounds(topic),
    read: eventLog.read.bind(eventLog),
  });
  const looks: (() => Promise<void>)[] = [];
  const every = (_ms: number, task: () => Promise<void>) => {
    looks.push(task);
    return systemTimers.every(3_600_000, () => Promise.resolve());
  };
  const timers = { ...systemTimers, every };
  const options = { log: silentLog(), eventLog: unread, store, logId: LOG_ID, metrics, timers };
  const verifier = createChainVerifier(options);
  t.equal(await told(), undefined, 'before the start');
  await verifier.start();
  t.equal(await told(), undefined, 'the first look failed');
  isAway.now = false;
  for (const look of looks) await look();
  t.equal(await told(), '0');
  isAway.now = true;
  for (const look of looks) await look();
  t.equal(await told(), '0', 'what was known stays');
  await verifier.stop();
});

tap.test('a batch that is not done shows by its age, and no batch by none', async (t) => {
  const { eventLog, store } = await ports(t);
  const metrics = createMetrics('test', { processMetrics: false });
  const held = async () => /^sentinel_verifier_held_seconds\{.*\} (.+)$/m.exec(await metrics.text())?.[1];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let isBegun = false;
  const slow: EventLog = Object.assign(Object.create(eventLog) as EventLog, {
    append: async (...given: Parameters<EventLog['append']>) => {
      isBegun = true;
      await released;
      return eventLog.append(...given);
    },
    consume: eventLog.consume.bind(eventLog),
    bounds: eventLog.bounds.bind(eventLog),
    read: eventLog.read.bind(eventLog),
  });
  const time = { now: 0 };
  const options = { log: silentLog(), eventLog: slow, store, logId: LOG_ID, metrics };
  const verifier = createChainVerifier({ ...options, now: () => time.now });
  await verifier.start();
  t.equal(await held(), '0');
  const { teller } = given({}, first(A));
  await eventLog.append(TOPICS.fileEvents, teller.log);
  await until(() => Promise.resolve(isBegun));
  time.now += 400_000;
  t.equal(await held(), '400');
  release();
  await until(async () => (await committed(eventLog)) === teller.log.length);
  t.equal(await held(), '0');
  await verifier.stop();
});

tap.test('a record that cannot be judged parks its file, with an alarm; the others go on', async (t) => {
  const { eventLog, store } = await ports(t);
  const lines: { level: string; obj: Record<string, unknown> }[] = [];
  const log = silentLog();
  const say = (level: string) => (obj: Record<string, unknown>) => void lines.push({ level, obj });
  log.child = (() => ({ error: say('error'), warn: say('warn'), info: say('info') })) as never;
  const metrics = createMetrics('test', { processMetrics: false });
  const verifier = createChainVerifier({ log, eventLog, store, logId: LOG_ID, metrics });
  await verifier.start();
  const { teller } = given({}, first(A), unchanged(A));
  const foreign = { key: FILE, id: 'x', body: new TextEncoder().encode('{"kind":"riddle"}') };
  const [before, after] = teller.log;
  await eventLog.append(TOPICS.fileEvents, [before!, foreign, after!]);
  await until(async () => (await committed(eventLog)) === 3);
  t.same(verifier.notReady(), []);
  matchList(t, lines, [
    { level: 'error', obj: { code: 'FILE_PARKED', fileId: FILE, offset: 1, parking: 1 } },
  ]);
  t.notMatch(JSON.stringify(lines), /riddle/);
  t.match(await metrics.text(), /sentinel_verifier_parked_files\{[^}]*\} 1\n/);
  t.match(await metrics.text(), /sentinel_verifier_parked_records_total\{outcome="PARKED"[^}]*\} 2\n/);
  const later = createMetrics('test', { processMetrics: false });
  const second = createChainVerifier({ log, eventLog, store, logId: LOG_ID, metrics: later });
  await second.start();
  t.match(await later.text(), /sentinel_verifier_parked_files\{[^}]*\} 1\n/, 'a later start counts it too');
  await second.stop();
  const deadLetters: DeadLetter[] = [];
  for await (const { records } of eventLog.read(TOPICS.deadLetters, 0, 0))
    for (const record of records) deadLetters.push(readDeadLetter(record)!);
  matchList(t, deadLetters, [{ kind: 'POISON' }, { kind: 'FOLLOWER' }]);
  const replays = [
    replayRecordOf(deadLetters[0]!),
    replayRecordOf(deadLetters[0]!, true),
    replayRecordOf(deadLetters[1]!),
  ];
  await eventLog.append(TOPICS.fileEvents, replays);
  await until(async () => (await committed(eventLog)) === 6);
  matchList(t, lines.slice(1), [
    { level: 'error', obj: { code: 'REPLAY_REFUSED' } },
    { level: 'warn' },
    { level: 'info', obj: { letters: 2, replayed: 2 } },
  ]);
  t.match(await metrics.text(), /sentinel_verifier_parked_files\{[^}]*\} 0\n/);
  await verifier.stop();
});
