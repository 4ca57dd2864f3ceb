/** Tests what a dashboard reads from the store, and the size of its answer. */
import { LIMITS, TOPICS } from '@sentinel-node/contracts';
import { readConfig, systemTimers, type Config, type Timers } from '@sentinel-node/platform';
import t from 'tap';
import { KnownOrganization } from '../src/dashboard/known-organization.ts';
import { checkAfterMs, knownFilesOf, SUMMARY_LIMITS } from '../src/dashboard/limits.ts';
import { summaryOf } from '../src/dashboard/summary.ts';
import { STREAM_TIMES } from '../src/stream/limits.ts';
import { appendChain, appendHeartbeat, FileHistory, heartbeat, uuid } from './chain-records.ts';
import { createPlace } from './place.ts';
import { secondProcess } from './second-process.ts';
import { createWorld, DEVICE, eventually, FILE, NO_LIMITS, type World } from './world.ts';

/** Timers by which a read waits long for the feed before it counts from the store, as it does on a busy machine. */
const PATIENT: Timers = {
  ...systemTimers,
  delay: (ms) => systemTimers.delay(ms === STREAM_TIMES.catchUp ? 30_000 : ms),
};

/** Counts the passes over an organisation's files since the last call. */
function surveysOf({ store }: World): () => number {
  let asked = 0;
  const find = store.find.bind(store);
  store.find = (collection, query) => {
    if (collection === 'files' && query.where?.['orgId'] !== undefined) asked++;
    return find(collection, query);
  };
  return () => {
    const before = asked;
    asked = 0;
    return before;
  };
}

t.test('a dashboard goes through the files once, and shows what a command did at once', async (t) => {
  const { world, admin, orgId, deviceId } = await createPlace(t);
  const surveys = surveysOf(world);
  const performance = async () => (await admin.call('GET', `/dashboard/${orgId}`)).body.performance;
  t.match(await performance(), { numberOfFilesDefined: 1, numberOfFilesWaiting: 1 });
  t.equal(surveys(), 1);
  const added = { files: [{ ...FILE, name: 'Second', path: 'second.log' }] };
  t.equal((await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, added)).status, 200);
  t.match(await performance(), { numberOfFilesDefined: 2, numberOfFilesWaiting: 2 });
  t.equal(surveys(), 0);
});

t.test('a summary that differs from the store is mended, and that is counted', async (t) => {
  const { world, admin, orgId, fileId } = await createPlace(t);
  const off = async () => (await admin.call('GET', `/dashboard/${orgId}`)).body.notMonitored.files;
  t.equal(await off(), 0);
  const file = (await world.store.get('files', fileId))!;
  await world.store.bulkUpsert('files', [{ ...file, rev: file.rev! + 1, enabled: false }]);
  t.equal(await off(), 0, 'nobody but the service writes views');
  world.clock.advance(SUMMARY_LIMITS.checkedEveryMs);
  await eventually(async () => ((await off()) === 1 ? true : undefined));
  t.match((await world.call('GET', '/metrics')).body, /query_summaries_mended_total\{[^}]*\} 1\n/);
});

t.test('what took long to load is loaded again later', async (t) => {
  t.equal(checkAfterMs(0), SUMMARY_LIMITS.checkedEveryMs);
  t.equal(checkAfterMs(6_000), SUMMARY_LIMITS.checkedEveryMs);
  t.equal(checkAfterMs(30_000), 3_000_000);
});

t.test('a larger heap keeps the counts of more files', async (t) => {
  const MIB = 2 ** 20;
  t.equal(knownFilesOf(64 * MIB), 200_000, 'a small one keeps what it always did');
  t.equal(knownFilesOf(600 * MIB), 204_800);
  t.ok(knownFilesOf(4_096 * MIB) > 1_010_000, 'a million files of ten thousand devices');
});

/** Returns a configuration for a store that several processes write. */
function shared(env: Readonly<Record<string, string>>): Config {
  const kafka = { brokers: ['localhost:1'], tls: false, sasl: undefined };
  const store = { kind: 'cluster', kafka, mongodbUrl: 'mongodb://localhost' } as unknown as Config['store'];
  return { ...readConfig(env), store };
}

t.test(
  'another process counts what this one was told to change, without going through the files',
  async (t) => {
    const config = shared(NO_LIMITS);
    const world = await createWorld(t, NO_LIMITS, { config, timers: PATIENT });
    const admin = await world.organization('Acme', 'ada@example.org');
    const { orgId } = admin;
    const elsewhere = await secondProcess(t, world, NO_LIMITS, { config, timers: PATIENT });
    const headers = { 'x-access-token': admin.token };
    const performance = async () =>
      (await elsewhere('GET', `/dashboard/${orgId}`, undefined, headers)).body.performance;
    const surveys = surveysOf(world);
    t.match(await performance(), { numberOfDevicesDefined: 0, numberOfFilesDefined: 0 });
    t.equal(surveys(), 1);
    const deviceId = (await admin.call('POST', `/devices/${orgId}`, DEVICE)).body.id as string;
    t.match(await performance(), { numberOfDevicesDefined: 1 }, 'of the command of a moment ago');
    const added = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: [FILE] });
    const fileId = added.body.files[0].id as string;
    t.match(await performance(), { numberOfFilesDefined: 1, numberOfFilesWaiting: 1 });
    const now = world.clock.now();
    const first = new FileHistory({ orgId, deviceId, fileId }, now - 1);
    await appendChain(world.eventLog, [first.baseline()]);
    await appendHeartbeat(
      world.eventLog,
      heartbeat({ orgId, deviceId }, now, [{ id: fileId, checkedAt: now }]),
    );
    await eventually(async () => ((await performance()).performance === 100 ? true : undefined));
    world.clock.advance(3 * DEVICE.healthInterval * 1_000);
    t.match(await performance(), { performance: 0, numberOfFilesWithoutContact: 1 });
    const parking = { parking: 7, offset: 7, index: 0, outcome: 'PARKED', letters: 1, replayed: 0 };
    const record = { v: 1, kind: 'parking', rev: 2, timestamp: now, parking };
    const body = Buffer.from(JSON.stringify(record));
    await world.eventLog.append(TOPICS.chain, [{ key: fileId, id: `${fileId}:2`, body }]);
    await eventually(async () => {
      const { notJudged } = (await elsewhere('GET', `/dashboard/${orgId}`, undefined, headers)).body;
      return notJudged?.files === 1 ? true : undefined;
    });
    t.equal(surveys(), 0);
  },
);

t.test(
  'an answer stays small, however many devices and files there are and however long their names',
  async (t) => {
    const known = new KnownOrganization();
    const name = 'ä'.repeat(LIMITS.nameCharacters);
    const [devices, files] = [200, 30];
    for (let n = 0; n < devices; n++) {
      const id = uuid(n);
      const of = { rev: 1, orgId: uuid(9_999), name, creationDate: 0, deleted: false };
      known.take('devices', [{ ...of, id, healthInterval: 60, enabled: true }], 'stored');
      known.take('device_activity', [{ id, rev: 1 }], 'stored');
      const own = Array.from({ length: files }, (_, at) => {
        const fileId = uuid(10_000 + n * files + at);
        return { ...of, id: fileId, deviceId: id, enabled: at % 2 === 0, monitoringFrequency: 'FOLLOW' };
      });
      known.take('files', own, 'stored');
    }
    const parked = Array.from({ length: devices }, (_, n): [string, ReadonlySet<string>] => [
      uuid(n),
      new Set(Array.from({ length: files }, (_, at) => uuid(10_000 + n * files + at))),
    ]);
    const summary = summaryOf(known.survey(1_000_000, { byDevice: new Map(parked), isWhole: true }));
    t.match(summary.notJudged, { files: devices * files, atLeast: false });
    const named = summary.notJudged?.named ?? [];
    t.match(summary.notMonitored, { devices: 0, files: (devices * files) / 2 });
    t.match(summary.performance, {
      numberOfDevicesDefined: devices,
      numberOfDevicesActive: 0,
      numberOfFilesWithoutContact: (devices * files) / 2,
    });
    for (const list of [
      summary.devices,
      summary.performance.noContactFiles,
      summary.performance.noContactDevices,
      named,
    ])
      t.ok(list.length > 0, 'some are named');
    const bytes = Buffer.byteLength(JSON.stringify(summary));
    t.ok(bytes <= 14_500, `${bytes} bytes`);
  },
);
