/** Tests the whole history of a file: bounded, with the breaks and who handled them. */
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { LIMITS, TOPICS, type File, type FileHistory as History } from '@sentinel-node/contracts';
import { appendHeartbeat, heartbeat } from './chain-records.ts';
import { placeIn, type Place } from './place.ts';
import { createWorld, eventually } from './world.ts';

const shared = await createWorld(t);

async function historyOf({ admin, orgId, deviceId, fileId }: Place): Promise<History> {
  const { status, body } = await admin.call('GET', `/files/history/${orgId}/${deviceId}/${fileId}`);
  t.equal(status, 200);
  return body as History;
}

const fileOf = async ({ admin, orgId, deviceId, fileId }: Place): Promise<File> =>
  (await admin.call('GET', `/files/${orgId}/${deviceId}/${fileId}`)).body as File;

t.test('a file without a report has an empty history', async (t) => {
  const here = await placeIn(shared);
  matchWhole(t, await historyOf(here), {
    deleted: false,
    device: { id: here.deviceId, name: 'Server 1', enabled: true },
    entries: 0,
    present: null,
    versions: [],
    whole: true,
    breaks: [],
    olderBreaks: false,
  });
});

t.test('a short chain is there as a whole, with breaks and handlings', async (t) => {
  const here = await placeIn(shared);
  const { history } = here;
  history.baseline();
  history.link();
  const [first] = history.breach('UNEXPECTED_CHANGE').alerts;
  history.again(first!.id);
  history.handled(first!.id, { id: here.fileId, email: 'bob@example.org', note: 'planned' });
  const [second] = history.breach('HASH_BREACH').alerts;
  await here.write();
  const shown = await historyOf(here);
  t.equal(shown.entries, 7);
  t.ok(shown.whole);
  t.same(
    shown.versions.map(({ number, type }) => `${number} ${type}`),
    ['1 BASELINE', '2 LINK', '3 OVERRIDEN', '4 OVERRIDEN', '6 BREAK'],
    'the oldest first, as the chain shows them',
  );
  t.match(shown.present, { length: 7, missing: false });
  matchList(t, shown.breaks, [
    { id: second!.id, type: 'HASH_BREACH', status: 'ACTIVE', handledAt: null, note: null },
    {
      id: first!.id,
      status: 'RESOLVED',
      occurrences: 2,
      overrideUserEmail: 'bob@example.org',
      note: 'planned',
      handledAt: /Z$/,
    },
  ]);
});

t.test('of a long chain and many breaks it names no more than its limits', async (t) => {
  const here = await placeIn(shared);
  const { history } = here;
  history.baseline();
  for (let n = 0; n <= LIMITS.historyBreaks; n++) {
    const [alert] = history.breach().alerts;
    history.handled(alert!.id, { id: here.fileId, email: 'bob@example.org', note: 'x', reset: n % 2 === 0 });
  }
  while (history.number < 5 * LIMITS.historyVersions) history.link();
  const entries = history.number;
  await here.write();
  const { versions, whole, breaks, olderBreaks, ...shown } = await historyOf(here);
  t.equal(shown.entries, entries);
  t.notOk(whole);
  t.equal(versions.length, LIMITS.historyVersions);
  const numbers = versions.map(({ number }) => number);
  t.equal(numbers[0], 1, 'the baseline follows the entry that begins the chain');
  t.equal(numbers.at(-1), entries - 1);
  t.same(
    numbers,
    numbers.toSorted((a, b) => a - b),
    'in the order of the chain',
  );
  const widest = Math.max(...numbers.slice(1).map((number, at) => number - numbers[at]!));
  t.ok(widest <= 10, `evenly: at most ${widest} entries lie between two`);
  t.match(versions.at(-1), { type: 'END' });
  t.equal(breaks.length, LIMITS.historyBreaks);
  t.ok(olderBreaks);
});

t.test('the history of a deleted file stays, and strangers have none', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, fileId } = here;
  here.history.baseline();
  await here.write();
  const eve = await world.organization('Other', 'eve@example.org');
  const path = `/files/history/${orgId}/${deviceId}/${fileId}`;
  t.equal((await eve.call('GET', path)).status, 404);
  t.equal((await eve.call('GET', `/files/history/${eve.orgId}/${deviceId}/${fileId}`)).status, 404);
  t.equal((await admin.call('GET', `/files/history/${orgId}/${fileId}/${fileId}`)).status, 404);
  await admin.call('DELETE', `/files/${orgId}/${deviceId}/${fileId}`);
  matchWhole(t, await historyOf(here), { deleted: true, entries: 2, versions: [{ type: 'END' }] });
});

t.test('a file that its agent does not look at says why, until it does', async (t) => {
  const here = await placeIn(shared);
  const { world, orgId, deviceId, fileId } = here;
  const began = world.clock.now();
  for (const [at, problem] of [
    [1, 'EACCES'],
    [2, undefined],
  ] as const) {
    const named = problem === undefined ? {} : { problem };
    const record = heartbeat({ orgId, deviceId }, began + at, [{ id: fileId, checkedAt: began }]);
    const files = record.heartbeat.files.map((file) => ({ ...file, ...named }));
    await appendHeartbeat(world.eventLog, { ...record, heartbeat: { ...record.heartbeat, files } });
    const told = await eventually(async () => {
      const heard = await world.store.get('device_contacts', deviceId);
      const file = await fileOf(here);
      return heard?.rev === began + at && file.problem === problem ? file : undefined;
    });
    t.equal(told.problem, problem);
  }
});

t.test('a parked file says since when and why, until all that waits is judged', async (t) => {
  const here = await placeIn(shared);
  const { world, fileId, history } = here;
  const timestamp = history.baseline().timestamp;
  await here.write();
  const parking = { parking: 7, offset: 7, index: 0, outcome: 'PARKED', letters: 1, replayed: 0 };
  const steps = [
    { ...parking, cause: 'it cannot be read' },
    { ...parking, offset: 8, index: 1, letters: 2 },
    { ...parking, offset: 9, outcome: 'REPLAYED', letters: 2, replayed: 1 },
    { ...parking, offset: 10, index: 1, outcome: 'SKIPPED', letters: 2, replayed: 2 },
  ];
  const since = new Date(timestamp).toISOString();
  const cause = 'it cannot be read';
  const shown = [
    { since, cause, waiting: 1 },
    { since, cause, waiting: 2 },
    { since, cause, waiting: 1 },
  ];
  for (const [at, step] of steps.entries()) {
    const rev = history.rev + 1 + at;
    const record = { v: 1, kind: 'parking', rev, timestamp, parking: step };
    const body = Buffer.from(JSON.stringify(record));
    await world.eventLog.append(TOPICS.chain, [{ key: fileId, id: `${fileId}:${rev}`, body }]);
    await eventually(async () => {
      const parked = await world.store.get('file_parkings', fileId);
      return parked?.rev === rev ? true : undefined;
    });
    t.strictSame((await fileOf(here)).parked, shown[at]);
  }
});
