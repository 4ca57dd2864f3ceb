import t, { type Test } from 'tap';
import {
  COLLECTIONS,
  HealthRecordSchema,
  KEY_ENDED,
  LIMITS,
  TOPICS,
  type HealthRecord,
  type NoticeRecord,
} from '@sentinel-node/contracts';
import { compileChecker, OverloadedError } from '@sentinel-node/platform';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { REFUSED_FILES_COLLECTION } from '../src/own-collections.ts';
import { fileEntity, HASH, newId, NOW, report, startWorld, type World } from './support.ts';

const records = compileChecker(HealthRecordSchema);
const heartbeat = (changes: object = {}) => ({
  timestamp: '2026-11-21T09:59:59.000Z',
  instanceId: 'one',
  agentVersion: '1.0.0',
  queue: 0,
  oldestUnsent: null,
  files: [],
  ...changes,
});
const notices = async (world: World) =>
  (await world.records()).filter(({ header }) => header.kind === 'notice');

t.test('keeps the heartbeat and answers where the files stand', async (t) => {
  const files = [fileEntity(), fileEntity({ path: 'b' }), fileEntity({ path: 'c' })];
  const world = await startWorld(t, { device: { files, configVersion: 7 } });
  const state = {
    id: files[0]!.id,
    rev: 3,
    length: 10,
    hash: HASH,
    missing: false,
    sequence: 42,
    configVersion: 7,
    number: 5,
    linkHash: 'b'.repeat(64),
    lastLinkId: null,
    activeAlerts: 0,
    checkedAt: NOW,
    contactAt: NOW,
  };
  await world.store.bulkUpsert(COLLECTIONS.fileStates, [state, { ...state, id: newId() }]);
  const sent = heartbeat({
    oldestUnsent: '2026-11-21T09:00:00.000Z',
    setAside: 1,
    files: [
      { id: files[1]!.id, checkedAt: null },
      { id: files[0]!.id, checkedAt: '2026-11-21T09:59:00.000Z' },
      { id: files[0]!.id, checkedAt: '2026-11-21T09:59:00.000Z' },
      { id: newId(), checkedAt: null },
    ],
  });
  const answer = await world.health(sent);
  t.equal(answer.statusCode, 200);
  t.same(answer.json(), {
    configVersion: 7,
    serverTime: '2026-11-21T10:00:00.000Z',
    files: [
      { id: files[1]!.id, lastSequence: 0, length: null, hash: null, number: null, linkHash: null },
      { id: files[0]!.id, lastSequence: 42, length: 10, hash: HASH, number: 5, linkHash: 'b'.repeat(64) },
    ],
  });
  const [record, ...others] = await world.raw(TOPICS.deviceHealth);
  t.same(others, []);
  t.equal(record!.key, world.device.id);
  const value: unknown = JSON.parse(Buffer.from(record!.body).toString());
  t.ok(records.check(value));
  t.same(value, {
    v: 1,
    orgId: world.device.orgId,
    deviceId: world.device.id,
    receivedAt: NOW,
    heartbeat: sent,
  });
});

t.test('works when monitoring is off, and tells the new configuration at once', async (t) => {
  const world = await startWorld(t, { device: { enabled: false } });
  t.equal((await world.health(heartbeat())).json().configVersion, 1);
  await world.change({ healthInterval: 120 }, { published: false });
  t.equal((await world.health(heartbeat())).json().configVersion, 2);
});

t.test('401, 413, 415, 422', async (t) => {
  const world = await startWorld(t);
  t.equal((await world.health(heartbeat(), { key: 'sk1.no' })).statusCode, 401);
  t.equal((await world.health(' '.repeat(LIMITS.heartbeatBytes + 1))).statusCode, 413);
  const url = `/api/v1/devices/health/${world.device.orgId}/${world.device.id}`;
  t.equal((await world.post(url, heartbeat(), { type: 'text/plain' })).statusCode, 415);
  const wrong = [
    '',
    'no',
    heartbeat({ queue: -1 }),
    `{"queue":0,${JSON.stringify(heartbeat()).slice(1)}`,
    heartbeat({ more: 1 }),
    heartbeat({ timestamp: '2026-02-30T00:00:00.000Z' }),
    heartbeat({ oldestUnsent: '2026-02-30T00:00:00.000Z' }),
    heartbeat({ files: [{ id: newId(), checkedAt: '2026-02-30T00:00:00.000Z' }] }),
    heartbeat({ files: [{ id: 'x', checkedAt: null }] }),
    heartbeat({ files: Array(LIMITS.heartbeatFiles + 1).fill({ id: newId(), checkedAt: null }) }),
  ];
  for (const body of wrong) {
    const answer = await world.health(body);
    t.equal(answer.statusCode, 422);
    t.ok(answer.json().errors.length > 0);
  }
  t.same(await world.raw(TOPICS.deviceHealth), []);
  t.same(await world.records(), []);
});

t.test('the most files that a heartbeat can name', async (t) => {
  const world = await startWorld(t);
  const files = Array(LIMITS.heartbeatFiles).fill({ id: world.file.id, checkedAt: null });
  const answer = await world.health(heartbeat({ files }));
  t.equal(answer.statusCode, 200);
  t.equal(answer.json().files.length, 1);
});

t.test('two agents of one device: one AGENT_ERROR an hour', async (t) => {
  const world = await startWorld(t);
  const beat = async (instanceId: string, afterMs = 1_000) => {
    world.clock.advance(afterMs);
    t.equal((await world.health(heartbeat({ instanceId }))).statusCode, 200);
  };
  await beat('a');
  await beat('a');
  await beat('b');
  await beat('b');
  t.same(await notices(world), [], 'an agent that was started again is one agent');
  await beat('a');
  const [notice] = await notices(world);
  t.equal(notice!.key, world.device.id);
  t.match(notice!.header, { type: 'AGENT_ERROR', code: 'TWO_AGENTS', fileId: null });
  for (let n = 0; n < 10; n += 1) await beat(n % 2 === 0 ? 'b' : 'a');
  t.equal((await notices(world)).length, 1);
  await beat('b', 3_600_000);
  await beat('a');
  await beat('b');
  t.equal((await notices(world)).length, 2);
});

t.test('what an agent says of itself becomes events, of its files or of the device', async (t) => {
  const world = await startWorld(t);
  const spool = { code: 'SPOOL_FAILING', message: 'a.log: no space (ENOSPC).', fileId: world.file.id };
  const jump = { code: 'CLOCK_JUMP', message: 'by 300 s', fileId: null };
  const events = [spool, jump, { ...jump, code: 'OTHER', fileId: newId() }];
  const files = [{ id: world.file.id, checkedAt: null, problem: 'SPOOL_FAILING' }];
  t.equal((await world.health(heartbeat({ events, files }))).statusCode, 200);
  const told = (await notices(world)).map(
    ({ key, header }) => ({ ...header, key }) as NoticeRecord & { key: string },
  );
  const byCode = (code: string) => told.find((notice) => notice.code === code);
  t.match(byCode('SPOOL_FAILING'), { key: world.file.id, type: 'AGENT_ERROR', ...spool });
  t.match(byCode('CLOCK_JUMP'), { key: world.device.id, type: 'AGENT_ERROR', ...jump });
  t.match(byCode('OTHER'), { key: world.device.id, fileId: null }, 'a file that the device does not have');
  await world.health(heartbeat({ events }));
  t.equal((await notices(world)).length, 3, 'sent again within the minute: the same');
  world.clock.advance(60_001);
  await world.health(heartbeat({ events: [jump] }));
  t.equal((await notices(world)).length, 4);
  const [record] = await world.raw(TOPICS.deviceHealth);
  t.match(JSON.parse(Buffer.from(record!.body).toString()), { heartbeat: { events, files } });
});

t.test('an agent that was started again within the minute has its events recorded', async (t) => {
  const world = await startWorld(t);
  const beat = async (instanceId: string, message: string) => {
    const events = [{ code: 'ARCHIVE_REMOVED', message, fileId: world.file.id }];
    world.clock.advance(10_000);
    t.equal((await world.health(heartbeat({ instanceId, events }))).statusCode, 200);
  };
  await beat('one', 'app.log.3');
  await beat('two', 'app.log.2');
  await beat('two', 'app.log.2');
  t.same(
    (await notices(world)).map(({ header }) => (header as NoticeRecord).message),
    ['app.log.3', 'app.log.2'],
    'what was answered with 200 is forgotten by the agent',
  );
});

t.test('events of an agent count as reports of its device and organisation', async (t) => {
  const env = { SENTINEL_LIMIT_DEVICE_REPORTS: '1', SENTINEL_LIMIT_DEVICE_BURST: '3' };
  const world = await startWorld(t, { env });
  const coded = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ code: `CODE_${from + n}`, message: '', fileId: null }));
  const beat = (events: unknown[]) => world.health(heartbeat({ events }));
  t.equal((await beat(coded(0, 2))).statusCode, 200);
  const refused = await beat(coded(2, 2));
  matchWhole(t, refused, { statusCode: 429, headers: { 'retry-after': '1' } });
  t.equal(refused.json().code, 'RATE_LIMITED');
  t.equal((await notices(world)).length, 2);
  t.equal((await world.raw(TOPICS.deviceHealth)).length, 2, 'the device is heard of');
  t.equal((await beat([])).statusCode, 200, 'a heartbeat without events goes on');
  t.equal((await beat(coded(0, 2))).statusCode, 200, 'known events cost nothing');
  world.clock.advance(1_000);
  t.equal((await beat(coded(2, 2))).statusCode, 200, 'sent again when there is room: none is lost');
  t.equal((await notices(world)).length, 4);
  world.clock.advance(3_000);
  t.equal(
    (await beat(coded(4, 50))).statusCode,
    200,
    'more than are allowed at once take the whole allowance',
  );
  t.equal((await world.send(report())).statusCode, 429);
  t.equal((await notices(world)).length, 54);
});

t.test(
  'the largest heartbeat: every file has a problem, and there are as many events as go in',
  async (t) => {
    const world = await startWorld(t);
    const timestamp = new Date(world.clock.now()).toISOString();
    const problem = 'A_PROBLEM_WITH_A_LONG_NAME';
    const files = Array.from({ length: LIMITS.heartbeatFiles }, () => ({
      id: newId(),
      checkedAt: timestamp,
      problem,
    }));
    const message = 'é'.repeat(500);
    const events = Array.from({ length: LIMITS.heartbeatEvents }, (_, n) => ({
      code: `CODE_${n}`,
      message,
      fileId: newId(),
    }));
    const body = heartbeat({ files, events });
    t.ok(Buffer.byteLength(JSON.stringify(body)) > LIMITS.reportBytes);
    t.equal((await world.health(body)).statusCode, 200);
  },
);

t.test('events that do not fit: 422', async (t) => {
  const world = await startWorld(t);
  const event = { code: 'A', message: '', fileId: null };
  for (const events of [
    [{ ...event, code: 'a' }],
    [{ ...event, message: 'x'.repeat(501) }],
    Array(101).fill(event),
  ])
    t.equal((await world.health(heartbeat({ events }))).statusCode, 422);
  t.same(await notices(world), []);
});

t.test('an agent with a key that has ended: one AGENT_ERROR an hour, and none for a guess', async (t) => {
  const world = await startWorld(t);
  const old = world.key();
  await world.change({ keyVersion: 2, previousKey: null });
  t.equal((await world.health(heartbeat(), { key: 'sk1.guess' })).statusCode, 401);
  t.same(await notices(world), []);
  for (let n = 0; n < 3; n += 1) t.equal((await world.health(heartbeat(), { key: old })).statusCode, 401);
  const told = await notices(world);
  t.equal(told.length, 1);
  t.match(told[0]!.header, { type: 'AGENT_ERROR', code: KEY_ENDED, fileId: null });
});

t.test('a rotation that shuts an agent out again within the hour is told at once', async (t) => {
  const world = await startWorld(t);
  for (const keyVersion of [2, 3]) {
    const old = world.key();
    await world.change({ keyVersion, previousKey: null });
    for (let n = 0; n < 2; n += 1) t.equal((await world.health(heartbeat(), { key: old })).statusCode, 401);
    t.equal((await notices(world)).length, keyVersion - 1);
  }
  t.equal((await world.health(heartbeat(), { key: world.key(world.device, 4) })).statusCode, 401);
  t.equal((await notices(world)).length, 2, 'a key that was not made yet: nobody was shut out');
});

t.test('instances that come back later than three health intervals are no two agents', async (t) => {
  const world = await startWorld(t);
  for (const instanceId of ['a', 'b', 'a', 'b']) {
    await world.health(heartbeat({ instanceId }));
    world.clock.advance(90_001);
  }
  t.same(await notices(world), []);
});

t.test('429 for more calls than an agent makes', async (t) => {
  const world = await startWorld(t, { deps: { limits: { deviceCallsPerMinute: 2 } } });
  t.equal((await world.health(heartbeat())).statusCode, 200);
  t.equal((await world.configuration()).statusCode, 200);
  const limited = await world.health(heartbeat());
  t.equal(limited.statusCode, 429);
  t.equal(Number(limited.headers['retry-after']), 30);
});

/** Returns the problem of each file in the heartbeats that were kept, oldest first. */
const keptProblems = async (world: World): Promise<(string | undefined)[]> =>
  (await world.raw(TOPICS.deviceHealth)).map(({ body }) => {
    const { heartbeat: kept } = JSON.parse(Buffer.from(body).toString()) as HealthRecord;
    return kept.files[0]?.problem;
  });

t.test(
  'reports that wait at the agent while heartbeats are answered: an event, and no contact',
  async (t) => {
    const world = await startWorld(t);
    const beat = async (more: object = {}) => {
      world.clock.advance(60_000);
      const timestamp = new Date(world.clock.now()).toISOString();
      const files = [{ id: world.file.id, checkedAt: timestamp }];
      t.equal((await world.health(heartbeat({ timestamp, files, ...more }))).statusCode, 200);
    };
    const waiting = { queue: 7, oldestUnsent: '2026-11-21T08:00:00.000Z' };
    for (let n = 0; n < 3; n += 1) await beat(waiting);
    t.same(
      await keptProblems(world),
      [undefined, undefined, undefined],
      'it may have been away, and sends them now',
    );
    t.same(await notices(world), []);
    await beat(waiting);
    t.equal((await keptProblems(world)).at(-1), 'REPORTS_WAIT');
    const [told] = await notices(world);
    t.match(told!.header, { type: 'AGENT_ERROR', code: 'REPORTS_WAIT', fileId: null });
    t.match((told!.header as NoticeRecord).message, /7 reports .* since 2026-11-21T08:00:00.000Z/);
    await beat({ ...waiting, oldestUnsent: '2026-11-21T08:30:00.000Z' });
    t.equal((await keptProblems(world)).at(-1), 'REPORTS_WAIT', 'it sends some, and stays hours behind');
    t.equal((await notices(world)).length, 1, 'told once an hour');
    await beat();
    t.equal((await keptProblems(world)).at(-1), undefined, 'none waits');
  },
);

t.test('an agent that says itself which file is not well is believed about the others', async (t) => {
  const files = [fileEntity(), fileEntity({ path: 'b' })];
  const world = await startWorld(t, { device: { files } });
  const [well, blind] = files;
  const beat = async (problem: string) => {
    world.clock.advance(60_000);
    const timestamp = new Date(world.clock.now()).toISOString();
    const named = [
      { id: well!.id, checkedAt: timestamp },
      { id: blind!.id, checkedAt: null, problem },
    ];
    const more = { timestamp, queue: 1, oldestUnsent: '2026-11-21T08:00:00.000Z', files: named };
    t.equal((await world.health(heartbeat(more))).statusCode, 200);
  };
  for (let n = 0; n < 5; n += 1) await beat('REPORTS_WAIT');
  t.same(await notices(world), [], 'the agent has its own event');
  t.same([...new Set(await keptProblems(world))], [undefined]);
  await beat('EACCES');
  t.match(
    (await notices(world))[0]!.header,
    { code: 'REPORTS_WAIT' },
    'of this reason the agent says nothing',
  );
  t.equal((await keptProblems(world)).at(-1), undefined);
});

t.test('reports that were set aside are told once, with their number', async (t) => {
  const world = await startWorld(t);
  const beat = async (setAside: number, instanceId = 'one') => {
    world.clock.advance(60_000);
    t.equal((await world.health(heartbeat({ setAside, instanceId }))).statusCode, 200);
  };
  for (const count of [0, 2, 2, 5]) await beat(count);
  const told = (await notices(world)).map(({ header }) => header as NoticeRecord);
  matchList(t, told, [
    {
      type: 'AGENT_ERROR',
      code: 'REPORTS_SET_ASIDE',
      fileId: null,
      message: /set 2 reports aside.*\(2 in all/,
    },
    { code: 'REPORTS_SET_ASIDE', message: /set 3 reports aside.*\(5 in all/ },
  ]);
  await beat(1, 'two');
  t.equal((await notices(world)).length, 3, 'a new start counts anew');
});

/** Sends a heartbeat that names the file as checked, a minute later. @returns the problem that was kept of the file */
async function problemAfterBeat(t: Test, world: World): Promise<string | undefined> {
  world.clock.advance(60_000);
  const timestamp = new Date(world.clock.now()).toISOString();
  const files = [{ id: world.file.id, checkedAt: timestamp }];
  t.equal((await world.health(heartbeat({ timestamp, files }))).statusCode, 200);
  return (await keptProblems(world)).at(-1);
}

t.test('a file whose report was refused for good has no contact until another is taken', async (t) => {
  const world = await startWorld(t);
  const beat = () => problemAfterBeat(t, world);
  t.equal(await beat(), undefined);
  const refusals: [unknown, number][] = [
    [report({ more: 1 }), 422],
    [report({ sequence: Number.MAX_SAFE_INTEGER }), 422],
    [' '.repeat(LIMITS.reportBytes + 1), 413],
  ];
  for (const [body, status] of refusals) {
    t.equal((await world.send(body)).statusCode, status);
    t.equal(await beat(), 'REPORT_REFUSED');
    t.equal(await beat(), 'REPORT_REFUSED');
    t.equal((await world.send(report())).statusCode, 202);
    t.equal(await beat(), undefined);
  }
  t.equal((await world.send(report({ more: 1 }))).statusCode, 422);
  const checkedAt = world.clock.now() + 1;
  await world.store.bulkUpsert(COLLECTIONS.fileStates, [{ id: world.file.id, rev: 1, checkedAt }]);
  t.equal(await beat(), undefined, 'another process took a report since');
});

t.test('a refusal by another process, or before a restart, counts here too', async (t) => {
  const world = await startWorld(t);
  const beat = () => problemAfterBeat(t, world);
  const said = () => world.store.get('refused_files', world.file.id);
  t.equal((await world.send(report({ more: 1 }))).statusCode, 422);
  const refusedAt = world.clock.now();
  await world.tick();
  t.match(await said(), { rev: refusedAt, isRefused: true }, 'others are told');
  t.equal((await world.send(report())).statusCode, 202);
  await world.tick();
  t.match(await said(), { rev: refusedAt + 1, isRefused: false }, 'taken within the same millisecond');
  t.equal(await beat(), undefined);

  const other = { id: world.file.id, rev: world.clock.now(), isRefused: true };
  await world.store.bulkUpsert('refused_files', [other]);
  t.equal(await beat(), undefined, 'not known here yet');
  await world.tick();
  t.equal(await beat(), 'REPORT_REFUSED');
  await world.store.bulkUpsert('refused_files', [{ ...other, rev: other.rev + 1, isRefused: false }]);
  await world.tick();
  t.equal(await beat(), undefined, 'another process took a report');
});

t.test('a line in bulk that is too long is a refusal for good of the file that it begins with', async (t) => {
  const world = await startWorld(t);
  const long = `{ "fileId": "${world.file.id}", "x": "${'x'.repeat(LIMITS.reportBytes)}" }`;
  const foreign = long.replace(world.file.id, newId());
  const answer = await world.bulk(`${foreign}\n${long}\n`);
  t.same(
    answer.json().rejected.map(({ code }: { code: string }) => code),
    ['PAYLOAD_TOO_LARGE', 'PAYLOAD_TOO_LARGE'],
  );
  t.equal(await problemAfterBeat(t, world), 'REPORT_REFUSED');
  await world.tick();
  t.equal(await world.store.count('refused_files'), 1, 'a file of another device is not marked');
  t.equal((await world.send(report())).statusCode, 202);
  t.equal(await problemAfterBeat(t, world), undefined);
});

t.test('a heartbeat is not answered before the refused files were read once', async (t) => {
  const store: { find?: () => Promise<never> } = {};
  const file = fileEntity();
  const world = await startWorld(t, {
    device: { files: [file] },
    wrapStore: (real) =>
      new Proxy(real, {
        get: (target, name) => {
          if (name === 'find' && store.find !== undefined) return store.find;
          const member = Reflect.get(target, name) as unknown;
          return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
        },
      }),
    beforeStart: async (real) => {
      await real.ensure([REFUSED_FILES_COLLECTION]);
      await real.bulkUpsert('refused_files', [{ id: file.id, rev: NOW, isRefused: true }]);
      store.find = () => Promise.reject(new OverloadedError('the store is busy'));
    },
  });
  t.equal((await world.health(heartbeat({}))).statusCode, 503);
  delete store.find;
  t.equal(await problemAfterBeat(t, world), 'REPORT_REFUSED', 'read by the heartbeat');
});
