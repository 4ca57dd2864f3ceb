/** Tests enrolment tokens: the commands of administrators and the calls of agents. */
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { AgentConfigurationSchema, LIMITS, type CreateEnrolment } from '@sentinel-node/contracts';
import { Compile } from 'typebox/compile';
import { REPEAT_MS } from '../src/enrolments/uses.ts';
import { REFUSAL_TOLD_MS } from '../src/registry/enrolment.ts';
import { allKept } from './kept.ts';
import { secondProcess } from './second-process.ts';
import {
  createWorld,
  FILE,
  foundOrganization,
  NO_LIMITS,
  type Answer,
  type Founder,
  type Person,
  type World,
} from './world.ts';

const configuration = Compile(AgentConfigurationSchema);
const TEMPLATE = { path: '/srv/app', healthInterval: 60, category: 'ADVANCED', files: [FILE] } as const;
const DAY_MS = 24 * 3_600_000;
const KEY = 'k'.repeat(32);

type Admin = Person & { readonly orgId: string };

async function token(
  admin: Admin,
  more: Partial<CreateEnrolment> = {},
): Promise<{ id: string; token: string }> {
  const body = { name: 'Servers', template: TEMPLATE, ...more };
  const answer = await admin.call('POST', `/enrolments/${admin.orgId}`, body);
  return answer.body;
}

const enrol = (world: Pick<World, 'call'>, text: string, key = KEY, name = 'web-1'): Promise<Answer> =>
  world.call('POST', '/enrol', { token: text, key, name });

const devicesOf = async (admin: Admin): Promise<{ id: string; name: string }[]> =>
  (await admin.call('GET', `/devices/${admin.orgId}`)).body.devices;

const only = async (admin: Admin): Promise<Record<string, unknown>> =>
  (await admin.call('GET', `/enrolments/${admin.orgId}`)).body.enrolments[0];

const eventsOf = async (admin: Admin, type: string): Promise<Record<string, unknown>[]> => {
  const { body } = await admin.call('GET', `/events/${admin.orgId}?limit=500`);
  const events = (body.events as { type: string; note: string }[]).filter((event) => event.type === type);
  return events.map(({ note }) => JSON.parse(note) as Record<string, unknown>);
};

const world = await createWorld(t, NO_LIMITS);

/** Signs in again after `ms`, because a session ends within a day. */
async function later(admin: Founder, ms: number): Promise<Founder> {
  world.clock.advance(ms);
  return { ...admin, ...(await world.signIn(admin.email)) };
}

t.test('a token makes a device as its template says, and is shown once', async (t) => {
  const admin = await foundOrganization(world);
  const made = await token(admin, { namePattern: 'acme {host} {host}', uses: 2 });
  t.match(made.token, new RegExp(`^enr1\\.${made.id}\\.[\\w-]{43}$`));

  const used = new Date(world.clock.now()).toISOString();
  const { status, body } = await enrol(world, made.token);
  t.equal(status, 201);
  t.ok(configuration.Check(body.configuration));
  t.equal(body.deviceName, 'acme web-1 web-1');
  const { devId, apiKey } = body.configuration;
  const read = (await admin.call('GET', `/devices/${admin.orgId}/${devId}`)).body;
  t.match(read, {
    name: 'acme web-1 web-1',
    enabled: true,
    category: 'ADVANCED',
    healthInterval: 60,
    apiKey,
  });
  matchList(t, read.files, [FILE]);
  matchList(t, body.configuration.files, [{ id: read.files[0].id, path: FILE.path }]);
  const own = `/devices/config/${admin.orgId}/${devId}`;
  t.strictSame((await world.call('GET', own, undefined, { 'x-api-key': apiKey })).body, body.configuration);

  t.match(await only(admin), { state: 'USABLE', uses: 2, usesLeft: 1, lastUse: used });
  const kept = await allKept(world);
  t.match(kept, made.id, 'what is kept was looked at');
  t.notMatch(kept, made.token.split('.')[2]!, 'the token is not kept');
  t.notMatch(JSON.stringify(await only(admin)), /[0-9a-f]{64}/, 'nor is its hash shown');
  matchList(t, await eventsOf(admin, 'ENROL_DEVICE'), [{ by: null, enrolment: 'Servers', host: 'web-1' }]);
  matchList(t, await eventsOf(admin, 'CREATE_ENROLMENT'), [
    { by: admin.email, enrolment: 'Servers', uses: 2 },
  ]);
});

t.test('a name that does not fit is cut, and signs of a pattern are no pattern', async (t) => {
  const admin = await foundOrganization(world);
  const made = await token(admin, { namePattern: 'x{host}', uses: 2 });
  const long = await enrol(world, made.token, KEY, 'h'.repeat(LIMITS.nameCharacters));
  t.equal(long.body.deviceName, `x${'h'.repeat(LIMITS.nameCharacters - 1)}`);
  t.equal((await enrol(world, made.token, 'l'.repeat(32), '$&')).body.deviceName, 'x$&');
});

t.test('the same key makes no second device, whatever was lost', async (t) => {
  let admin = await foundOrganization(world);

  await t.test('of many at once, each has its device', async (t) => {
    const many = await token(admin, { uses: 10 });
    const keys = Array.from({ length: 12 }, (_, n) => String(n).padStart(32, 'k'));
    const answers = await Promise.all([...keys, ...keys].map((key) => enrol(world, many.token, key, key)));
    const ids = new Set(
      answers.filter(({ status }) => status === 201).map(({ body }) => body.configuration.devId as string),
    );
    t.equal(ids.size, 10);
    t.equal((await devicesOf(admin)).length, 10);
    for (const key of keys.slice(0, 12)) {
      const { status, body } = await enrol(world, many.token, key, key);
      if (status === 201) t.ok(ids.has(body.configuration.devId), 'the device of before');
      else t.equal(body.code, 'ENROLMENT_ENDED');
    }
  });

  /** Returns a token whose use was counted by a process that was killed before it made the device. */
  const killedAfterUse = async () => {
    const once = await token(admin);
    const { insertUnique } = world.store;
    world.store.insertUnique = async (collection, document) => {
      if (collection === 'streams') throw new Error('killed');
      await insertUnique.call(world.store, collection, document);
    };
    t.equal((await enrol(world, once.token)).status, 500);
    world.store.insertUnique = insertUnique;
    return once;
  };

  await t.test('also when a process was killed after it had counted the use', async (t) => {
    const once = await killedAfterUse();
    t.match(await only(admin), { state: 'USED_UP', usesLeft: 0 });
    const before = await devicesOf(admin);
    world.clock.advance(1);
    t.equal((await enrol(world, once.token)).status, 201);
    t.equal((await devicesOf(admin)).length, before.length + 1);
  });

  await t.test('for a day, whether the device was made or not', async (t) => {
    const once = await killedAfterUse();
    const before = await devicesOf(admin);
    const again = await later(admin, REPEAT_MS);
    t.match(await enrol(world, once.token), { status: 410, body: { code: 'ENROLMENT_ENDED' } });
    t.equal((await devicesOf(again)).length, before.length);
    admin = again;
  });

  await t.test('of a device that was deleted, there is none any more', async (t) => {
    const gone = await token(admin);
    const { body } = await enrol(world, gone.token);
    await admin.call('PUT', `/devices/delete/${admin.orgId}/${body.configuration.devId}`, { forced: true });
    t.match(await enrol(world, gone.token), { status: 410, body: { code: 'ENROLMENT_ENDED' } });
  });

  await t.test('of a device whose key was replaced, nobody gets the new one', async (t) => {
    const made = await token(admin);
    const { devId } = (await enrol(world, made.token)).body.configuration;
    const replaced = await admin.call('POST', `/devices/key/${admin.orgId}/${devId}`, { now: true });
    t.equal(replaced.status, 200);
    t.match(await enrol(world, made.token), { status: 410, body: { code: 'ENROLMENT_ENDED' } });
  });

  await t.test('also when the token is used up, for a day', async (t) => {
    const made = await token(admin);
    const first = await enrol(world, made.token);
    const before = await devicesOf(admin);
    t.strictSame((await enrol(world, made.token)).body, first.body);
    t.equal((await enrol(world, made.token, 'l'.repeat(32))).body.code, 'ENROLMENT_ENDED');
    world.clock.advance(REPEAT_MS - 1);
    t.strictSame((await enrol(world, made.token)).body, first.body);
    const again = await later(admin, 1);
    t.match(await enrol(world, made.token), { status: 410, body: { code: 'ENROLMENT_ENDED' } });
    t.equal((await devicesOf(again)).length, before.length);
  });
});

t.test('two processes count the uses of a token together', async (t) => {
  const admin = await foundOrganization(world);
  const elsewhere = { call: await secondProcess(t, world, NO_LIMITS) };
  const made = await token(admin, { uses: 3 });
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      enrol(n % 2 === 0 ? world : elsewhere, made.token, String(n).repeat(32)),
    ),
  );
  t.equal(answers.filter(({ status }) => status === 201).length, 3);
  t.equal((await devicesOf(admin)).length, 3);
});

t.test('a token ends by time, by its uses, and at once', async (t) => {
  const founder = await foundOrganization(world);
  const made = await token(founder, { uses: 2, expiresInDays: 1 });
  t.equal((await enrol(world, made.token)).status, 201);
  const admin = await later(founder, DAY_MS);
  t.match(await only(admin), { state: 'EXPIRED' });
  t.match(await enrol(world, made.token, 'l'.repeat(32)), { status: 410, body: { code: 'ENROLMENT_ENDED' } });

  const ended = await token(admin, { uses: 2 });
  await enrol(world, ended.token);
  const own = `/enrolments/${admin.orgId}/${ended.id}`;
  t.equal((await admin.call('DELETE', own)).status, 200);
  t.match(await enrol(world, ended.token), { status: 410 }, 'also for the key that it knows');
  t.match(await only(admin), { state: 'ENDED', usesLeft: 1, ended: String });
  t.equal((await admin.call('DELETE', own)).status, 200, 'again');
  t.equal((await eventsOf(admin, 'END_ENROLMENT')).length, 1, 'told once');
  t.equal((await devicesOf(admin)).length, 2, 'devices stay');

  const other = await foundOrganization(world);
  t.equal((await other.call('DELETE', `/enrolments/${other.orgId}/${ended.id}`)).status, 404);
  t.strictSame((await other.call('GET', `/enrolments/${other.orgId}`)).body, { enrolments: [] });
});

t.test('a token that ends while calls wait for their turn makes no device after that', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const admin = await world.organization('Acme', 'ada@example.org');
  const made = await token(admin, { uses: 10 });
  const count = world.store.count.bind(world.store);
  let ended: Promise<Answer> | undefined;
  world.store.count = async (...args) => {
    // The first of the calls has the turn of the organisation's devices; the others wait behind it.
    if (ended === undefined) await (ended = admin.call('DELETE', `/enrolments/${admin.orgId}/${made.id}`));
    return count(...args);
  };
  const keys = Array.from({ length: 4 }, (_, n) => String(n).repeat(32));
  const answers = await Promise.all(keys.map((key) => enrol(world, made.token, key)));
  t.equal((await ended)?.status, 200);
  for (const answer of answers) t.match(answer, { status: 410, body: { code: 'ENROLMENT_ENDED' } });
  t.strictSame(await devicesOf(admin), []);
});

t.test('the last place for a device is taken by one use, also while the clock moves', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const admin = await world.organization('Acme', 'ada@example.org');
  const made = await token(admin);
  const filled = Array.from({ length: LIMITS.devicesPerOrganization - 1 }, (_, n) => ({
    ...{ id: `filled-${n}`, rev: 1, orgId: admin.orgId, deleted: false, name: 'x' },
  }));
  await world.store.insertMissing('devices', filled);
  const now = world.clock.now.bind(world.clock);
  let asked = 0;
  world.clock.now = () => now() + asked++;
  t.equal((await enrol(world, made.token)).status, 201);
  t.strictSame(await eventsOf(admin, 'REFUSE_ENROLMENT'), []);
});

t.test('refused uses are told once an hour, with their reason', async (t) => {
  const admin = await foundOrganization(world);
  const made = await token(admin);
  const wrong = `${made.token.slice(0, -1)}${made.token.endsWith('A') ? 'B' : 'A'}`;
  t.match(await enrol(world, wrong), { status: 401, body: { code: 'INVALID_ENROLMENT_TOKEN' } });
  await enrol(world, wrong);
  const codes = async (): Promise<unknown[]> =>
    (await eventsOf(admin, 'REFUSE_ENROLMENT')).map(({ code }) => code);
  t.strictSame(await codes(), ['WRONG_TOKEN']);
  t.equal((await devicesOf(admin)).length, 0);
  await admin.call('DELETE', `/enrolments/${admin.orgId}/${made.id}`);
  world.clock.advance(REFUSAL_TOLD_MS);
  await enrol(world, made.token);
  await enrol(world, made.token);
  t.strictSame(await codes(), ['ENDED', 'WRONG_TOKEN']);
});

t.test('wrong tokens of an address are counted; a good one from there is served', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const admin = await world.organization('Acme', 'ada@example.org');
  const made = await token(admin);
  const unknown = `enr1.${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}.${'x'.repeat(43)}`;
  const answers: Answer[] = [];
  for (let n = 0; n < 21; n++) answers.push(await enrol(world, n % 2 === 0 ? unknown : 'no token'));
  t.strictSame(new Set(answers.slice(0, 20).map(({ status }) => status)), new Set([401]));
  t.match(answers[20], { status: 429, headers: { 'retry-after': /^\d+$/ } });
  t.equal((await enrol(world, made.token)).status, 201);
});

t.test('the quota of devices holds, and is told', async (t) => {
  const admin = await foundOrganization(world);
  const made = await token(admin);
  const filled = Array.from({ length: LIMITS.devicesPerOrganization }, (_, n) => ({
    ...{ id: `${admin.orgId}-${n}`, rev: 1, orgId: admin.orgId, deleted: false, name: 'x' },
  }));
  await world.store.insertMissing('devices', filled);
  t.match(await enrol(world, made.token), { status: 409, body: { code: 'LIMIT_REACHED' } });
  matchList(t, await eventsOf(admin, 'REFUSE_ENROLMENT'), [{ code: 'LIMIT_REACHED' }]);
  t.match(await only(admin), { usesLeft: 1 }, 'nothing was used');
});

t.test('a template that no device can have is refused when the token is made', async (t) => {
  const admin = await foundOrganization(world);
  const withFiles = (...files: object[]): Promise<Answer> =>
    admin.call('POST', `/enrolments/${admin.orgId}`, { name: 'x', template: { ...TEMPLATE, files } });
  const rolled = { ...FILE, rolled: true };
  const cases: [Promise<Answer>, string][] = [
    [withFiles(FILE, FILE), '/template/files/1/path'],
    [withFiles(rolled), '/template/files/0/rolledFilenameRegexp'],
    [withFiles({ ...rolled, rolledFilenameRegexp: '(' }), '/template/files/0/rolledFilenameRegexp'],
  ];
  for (const [answer, path] of cases)
    matchWhole(t, await answer, { status: 422, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } });
  for (const body of [{ uses: 0 }, { uses: LIMITS.enrolmentUses + 1 }, { expiresInDays: 91 }])
    t.equal(
      (await admin.call('POST', `/enrolments/${admin.orgId}`, { name: 'x', template: TEMPLATE, ...body }))
        .status,
      422,
    );
  t.equal(await only(admin), undefined);
});

t.test('an organisation has at most so many usable tokens', async (t) => {
  const admin = await foundOrganization(world);
  const { id } = await token(admin);
  const view = (await world.store.get('enrolments', id))!;
  const more = Array.from({ length: LIMITS.enrolmentsPerOrganization - 1 }, (_, n) => ({
    ...view,
    id: `${admin.orgId}-${n}`,
  }));
  await world.store.insertMissing('enrolments', more);
  const again = (): Promise<Answer> =>
    admin.call('POST', `/enrolments/${admin.orgId}`, { name: 'x', template: TEMPLATE });
  t.match(await again(), { status: 409, body: { code: 'LIMIT_REACHED' } });
  await admin.call('DELETE', `/enrolments/${admin.orgId}/${id}`);
  t.equal((await again()).status, 201, 'an ended one counts no more');
});
