/** Tests the projector with records of parked files, with unreadable records, and with large batches. */
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import {
  createMetrics,
  encodeRegistryRecord,
  NotDurableError,
  silentLog,
  systemTimers,
  type DocumentStore,
  type LogRecord,
  type Position,
} from '@sentinel-node/platform';
import { CONSUMED, GROUPS, TOPICS } from '@sentinel-node/contracts';
import {
  LOG_START,
  rebuildViews,
  replayViews,
  VIEW_COLLECTIONS,
  VIEW_SOURCES,
  VIEWS,
  viewSourceEnds,
} from '../src/views/index.ts';
import { decideDevice } from '../src/registry/device.ts';
import { PROJECTOR_LIMITS, projectorService } from '../src/views/projector.ts';
import { FileHistory, uuid } from './chain-records.ts';
import { everything, scratch } from './view-scratch.ts';
import { DEVICE, eventually, FILE } from './world.ts';

type Batches = Parameters<DocumentStore['writeBatches']>[0];

/** Returns a record of the registry with a new device and its files. */
async function deviceRecord(n: number, files: number): Promise<LogRecord> {
  const [id, orgId, at] = [uuid(n), uuid(500), 1];
  const changes = Array.from({ length: files }, (_, file) => {
    const path = `/srv/${'x'.repeat(200)}-${file}`;
    return { id: uuid(1_000 * (n + 1) + file), isNew: true, input: { ...FILE, path } };
  });
  const stamp = { at, version: 1, by: null };
  const decision = decideDevice(
    { type: 'CREATE', id, orgId, fields: DEVICE, files: changes },
    undefined,
    stamp,
  );
  if (decision.kind !== 'changed') throw new Error(`a device is ${decision.kind}`);
  const { entity } = decision;
  const body = await encodeRegistryRecord({
    ...stamp,
    v: 1,
    stream: `device:${id}`,
    orgId,
    entity,
    events: [],
  });
  return { key: orgId, id, body };
}

/** Starts a projector on its own log and keeps its fatal lines. */
async function projecting(t: Test, limits: { readonly pendingBytes?: number } = {}) {
  const { log, open } = await scratch(t);
  const lines: object[] = [];
  const errors: object[] = [];
  const fatal = (line: object) => void lines.push(line);
  const store = await open('live.db', limits);
  const metrics = createMetrics('test', { processMetrics: false });
  const faults = { write: (write: () => Promise<void>, _batches: Batches) => write() };
  const time = { now: 0 };
  const projector = projectorService({
    store,
    views: { writeBatches: (batches) => faults.write(() => store.writeBatches(batches), batches) },
    metrics,
    now: () => time.now,
    eventLog: log,
    timers: systemTimers,
    log: Object.assign(silentLog(), { fatal, error: (line: object) => void errors.push(line) }),
  });
  await projector.start();
  return { log, store, open, projector, lines, errors, metrics, faults, time };
}

t.test('what the group is said to consume is what views are made from', async (t) => {
  const said = CONSUMED.filter(({ group }) => group === GROUPS.projector).map(({ topic }) => topic);
  t.strictSame(new Set(said), new Set(VIEW_SOURCES.keys()));
});

for (const topic of [TOPICS.chain, TOPICS.registry]) {
  t.test(`the projection stops with an alarm at a record of ${topic} that it cannot read`, async (t) => {
    const { log, projector, lines } = await projecting(t);
    t.same(projector.notReady(), []);
    await log.append(topic, [{ key: 'x', id: 'x', body: Buffer.from('{"v":2}') }]);
    await t.rejects(projector.failed, { name: 'UnreadableRecordError' });
    t.same(projector.notReady(), ['projector']);
    matchList(t, lines, [{ err: { name: 'UnreadableRecordError' } }]);
    t.equal((await log.committed(topic, 'query-projector')).size, 0, 'nothing was passed over');
    await projector.stop();
  });
}

t.test('a heartbeat that nobody can read is passed over with an alarm, also by a rebuild', async (t) => {
  const { log, projector, errors, open } = await projecting(t);
  const [{ partition }] = (await log.append(TOPICS.deviceHealth, [
    { key: 'x', id: 'x', body: Buffer.from('foreign') },
  ])) as [Position];
  await eventually(
    async () =>
      (await log.committed(TOPICS.deviceHealth, 'query-projector')).get(partition) === 1 || undefined,
  );
  t.same(projector.notReady(), []);
  const message = `the record at ${TOPICS.deviceHealth}/${partition}/0 cannot be read`;
  t.same(errors, [{ topic: TOPICS.deviceHealth, partition, offset: 0 }]);
  await projector.stop();
  const told: string[] = [];
  const rebuilt = await open('rebuilt.db');
  await rebuilt.ensure(VIEW_COLLECTIONS);
  const ends = await viewSourceEnds(log);
  await replayViews(
    log,
    LOG_START,
    ends,
    async () => undefined,
    (error) => void told.push(error.message),
  );
  t.same(told, [message]);
});

t.test('a view that somebody dropped is an alarm at the start, a new system is none', async (t) => {
  const { log, projector, errors, store } = await projecting(t);
  t.same(errors, []);
  await log.append(TOPICS.registry, [await deviceRecord(1, 1)]);
  await eventually(
    async () => (await log.committed(TOPICS.registry, 'query-projector')).get(0) === 1 || undefined,
  );
  await projector.stop();
  await store.drop([VIEWS.alerts]);
  const again = Object.assign(silentLog(), { error: (line: object) => void errors.push(line) });
  for (let start = 0; start < 2; start += 1) {
    const next = projectorService({ store, eventLog: log, timers: systemTimers, log: again });
    await next.start();
    await next.stop();
  }
  matchList(t, errors, [{ views: [VIEWS.alerts] }]);
});

t.test('a projection that fails again and again shows old data, and is not ready', async (t) => {
  const { log, projector, metrics, faults, time } = await projecting(t);
  const held = async () => /^sentinel_projector_held_seconds\{.*\} (.+)$/m.exec(await metrics.text())?.[1];
  let attempts = 0;
  faults.write = () => {
    attempts++;
    return Promise.reject(new NotDurableError('no room'));
  };
  t.equal(await held(), '0');
  const history = new FileHistory({ orgId: uuid(1), deviceId: uuid(2), fileId: uuid(3) }, 1_700_000_000_000);
  await log.append(TOPICS.chain, [
    { key: uuid(3), id: 'a', body: Buffer.from(JSON.stringify(history.baseline())) },
  ]);
  await eventually(() => Promise.resolve(attempts > 1 || undefined));
  time.now += PROJECTOR_LIMITS.failingSeconds * 1_000;
  t.strictSame(projector.notReady(), [], 'a short fault is waited out');
  time.now += 1_000;
  t.strictSame(projector.notReady(), ['projector']);
  t.equal(await held(), String(PROJECTOR_LIMITS.failingSeconds + 1));
  faults.write = (write) => write();
  await eventually(() => Promise.resolve(projector.notReady().length === 0 || undefined));
  t.equal(await held(), '0', 'nothing is in hand');
  await projector.stop();
});

t.test('a batch whose views are larger than what the store takes at once is projected', async (t) => {
  const [devices, files, pendingBytes] = [15, 20, 65_536];
  const { log, store, projector, faults } = await projecting(t, { pendingBytes });
  const bytes: number[] = [];
  const { write } = faults;
  faults.write = (work, batches) => {
    bytes.push(JSON.stringify(batches).length);
    return write(work, batches);
  };
  await log.append(
    TOPICS.registry,
    await Promise.all(Array.from({ length: devices }, (_, n) => deviceRecord(n, files))),
  );
  const projected = eventually(async () => {
    const committed = await log.committed(TOPICS.registry, GROUPS.projector);
    return committed.size > 0 || undefined;
  });
  await Promise.race([projected, projector.failed]);
  t.ok(bytes.length === 1 && bytes[0]! > 2 * pendingBytes, `${bytes.join()} bytes at once`);
  t.equal(await store.count(VIEWS.devices), devices);
  t.equal(await store.count(VIEWS.files), devices * files);
  await projector.stop();
});

t.test('a projection that takes long without a fault stays ready', async (t) => {
  const { log, projector, metrics, faults, time } = await projecting(t);
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let isBegun = false;
  faults.write = async (write) => {
    isBegun = true;
    await released;
    return write();
  };
  const history = new FileHistory({ orgId: uuid(1), deviceId: uuid(2), fileId: uuid(3) }, 1_700_000_000_000);
  await log.append(TOPICS.chain, [
    { key: uuid(3), id: 'a', body: Buffer.from(JSON.stringify(history.baseline())) },
  ]);
  await eventually(() => Promise.resolve(isBegun || undefined));
  time.now += 600_000;
  t.strictSame(projector.notReady(), []);
  t.match(await metrics.text(), /^sentinel_projector_held_seconds\{.*\} 600$/m);
  release();
  await projector.stop();
});

t.test(
  'that a file is parked, and its verdicts afterwards, leave the views as a rebuild gives them',
  async (t) => {
    const { log, store, open, projector } = await projecting(t);
    const key = { orgId: uuid(1), deviceId: uuid(2), fileId: uuid(3) };
    const history = new FileHistory(key, 1_700_000_000_000);
    const [first, second] = [history.baseline(), history.link()];
    const parked = {
      parking: 7,
      offset: 7,
      index: 0,
      outcome: 'PARKED',
      cause: 'x',
      letters: 1,
      replayed: 0,
    };
    const parking = { v: 1, kind: 'parking', rev: 2, timestamp: first.timestamp, parking: parked };
    const replayed = { ...parked, offset: 8, outcome: 'REPLAYED', replayed: 1 };
    const records = [first, parking, { ...second, rev: 3, parking: replayed }];
    await log.append(
      TOPICS.chain,
      records.map((record) => ({
        key: key.fileId,
        id: `${key.fileId}:${record.rev}`,
        body: Buffer.from(JSON.stringify(record)),
      })),
    );
    await eventually(async () => {
      const [next] = (await log.committed(TOPICS.chain, 'query-projector')).values();
      return next === records.length ? true : undefined;
    });
    await projector.stop();
    const rebuilt = await open('rebuilt.db');
    await rebuildViews(log, rebuilt, await viewSourceEnds(log));
    const live = await everything(store);
    matchList(t, live[VIEWS.fileStates], [{ id: key.fileId, rev: 3, number: second.file!.number }]);
    t.equal(live[VIEWS.links]!.length, 2);
    t.same(await everything(rebuilt), live);
  },
);

t.test('what only looks like a parking stops the projection', async (t) => {
  const { log, projector } = await projecting(t);
  const body = Buffer.from('{"v":1,"kind":"parking","rev":1,"timestamp":0,"entries":[]}');
  await log.append(TOPICS.chain, [{ key: 'x', id: 'x', body }]);
  await t.rejects(projector.failed, { name: 'UnreadableRecordError' });
  await projector.stop();
});
