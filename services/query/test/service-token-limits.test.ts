/** Service tokens that are limited to devices: no call of the API shows them anything of another device. */
import { LIMITS, VIEWS_FRAME } from '@sentinel-node/contracts';
import t, { type Test } from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { type Page, readPage } from '../src/lists/page.ts';
import { devicesWithin, isDeviceWithin } from '../src/service-tokens/device-limits.ts';
import { VIEWS } from '../src/views/index.ts';
import type { FileHistory } from './chain-records.ts';
import { exampleRequest, type Call } from './example-request.ts';
import { createLimitedScene, HIDDEN, LABEL, type LimitedScene } from './limited-token.ts';
import { callsOf, documentOf } from './openapi-document.ts';
import { verifyClaimsOf } from './small-verifier.ts';
import { openStream } from './sse-client.ts';
import { createWorld, DEVICE, NO_LIMITS, untilShown, type Answer, type World } from './world.ts';

/** By hand. Every other call that takes a token is refused with 403. */
const ANSWERED = new Set([
  'GET /devices/:orgId',
  'GET /devices/:orgId/:id',
  'PUT /devices/:orgId/:id',
  'PUT /devices/delete/:orgId/:id',
  'POST /devices/key/:orgId/:id',
  'PUT /devices/files/:orgId/:id',
  'GET /devices/config/:orgId/:deviceId',
  'GET /files/:orgId/:deviceId/:fileId',
  'DELETE /files/:orgId/:deviceId/:fileId',
  'GET /files/history/:orgId/:deviceId/:fileId',
  'PUT /files/chain/:orgId/:deviceId/:fileId',
  'PUT /files/delete/:orgId/:deviceId',
  'GET /alerts/:orgId',
  'GET /alerts/:orgId/:deviceId',
  'GET /alerts/:orgId/:deviceId/:id',
  'GET /alerts/counts/:orgId',
  'GET /alerts/groups/:orgId',
  'GET /alerts/history/:orgId/:deviceId/:id',
  'PUT /alerts/assign/:orgId',
  'POST /alerts/comments/:orgId/:deviceId/:id',
  'POST /alerts/share/:orgId/:deviceId/:id',
  'DELETE /alerts/share/:orgId/:deviceId/:id',
  'PUT /alerts/turnoff/:orgId',
  'PUT /alerts/turnoff/:orgId/:deviceId/:fileId/:id',
  'GET /events/:orgId',
  'GET /events/:orgId/:deviceId',
  'GET /events/:orgId/:deviceId/:fileId',
  'GET /events/single/:orgId/:deviceId/:id',
  'GET /dashboard/:orgId/devices',
  'POST /expected/:orgId',
  'GET /proofs/:orgId/:deviceId/:fileId',
  'GET /proofs/:orgId/:deviceId/:fileId/:linkId',
]);
const STREAM = 'GET /stream/:orgId';
const OF_DEVICE = /:deviceId|\/devices\/(\w+\/)?:orgId\/:id/;

interface Place {
  readonly world: World;
  readonly scene: () => Promise<LimitedScene>;
}

async function place(t: Test): Promise<Place> {
  const world = await createWorld(t, NO_LIMITS);
  const histories = new Map<string, FileHistory>();
  await verifyClaimsOf(t, world.eventLog, histories);
  return { world, scene: () => createLimitedScene(world, histories) };
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

const callWith =
  (world: World, token: string) =>
  (method: string, path: string, body?: unknown): Promise<Answer> =>
    world.call(method, path, body, bearer(token));

/** What is shown of the hidden device; what the request itself names is no news. */
const shownOf = ({ markers }: LimitedScene, { body, headers }: Answer, asked = ''): string[] =>
  markers.filter((marker) => !asked.includes(marker) && JSON.stringify([body, headers]).includes(marker));

/** Takes no account of the token, or takes the key of a device only. */
const isForTokens = ({ call }: Call): boolean => call.security?.some((one) => 'serviceToken' in one) === true;

const LIMITS_OF: Readonly<Record<string, (scene: LimitedScene) => object>> = {
  'to a label': () => ({ deviceIds: [], labels: [LABEL] }),
  'to a device': ({ deviceId }) => ({ deviceIds: [deviceId], labels: [] }),
};

for (const [kind, limitsOf] of Object.entries(LIMITS_OF))
  t.test(`a token that is limited ${kind}, over every operation of the API`, async (t) => {
    const { world, scene: newScene } = await place(t);
    const shared = await newScene();
    // A call that is refused changes nothing of it; what the example needs is added here.
    const refusing = await newScene();
    const calls = callsOf(await documentOf(world)).filter(({ name }) => name !== STREAM);
    const names = new Set(calls.filter(isForTokens).map(({ name }) => name));
    for (const name of ANSWERED) t.ok(names.has(name), `${name} is an operation`);
    t.ok(names.size > ANSWERED.size);

    for (const call of calls) {
      const { name, method } = call;
      const isRefused = isForTokens(call) && !ANSWERED.has(name);
      const scene = method === 'GET' ? shared : isRefused ? refusing : await newScene();
      const token = await scene.tokenFor(limitsOf(scene));
      const { path, body, headers } = await exampleRequest(world, scene, call);
      const ask = (to = path): Promise<Answer> =>
        world.call(method, to, body, { ...headers, ...bearer(token) });
      const answer = await untilShown(() => ask());
      t.strictSame(shownOf(scene, answer), [], `${name}: nothing of the hidden device`);
      if (!isForTokens(call)) continue;
      if (isRefused) {
        t.equal(answer.status, 403, `${name} is refused`);
        continue;
      }
      t.ok([200, 201, 202].includes(answer.status), `${name}: ${answer.status}, for its own device`);
      if (method === 'GET') {
        await scene.disturb();
        t.strictSame((await ask()).body, answer.body, `${name}: what happens elsewhere changes nothing`);
      }
      const theirs = await exampleRequest(world, scene.hidden, call);
      const refused = await world.call(method, theirs.path, theirs.body, {
        ...theirs.headers,
        ...bearer(token),
      });
      const asked = `${theirs.path} ${theirs.body}`;
      t.strictSame(shownOf(scene, refused, asked), [], `${name}: nothing when it is asked for`);
      if (OF_DEVICE.test(name)) t.equal(refused.status, 404, `${name}: the hidden device is unknown`);
      const alert = await scene.admin.call(
        'GET',
        `/alerts/${scene.orgId}/${scene.hidden.deviceId}/${scene.hidden.alertId}`,
      );
      t.match(alert.body, { status: 'ACTIVE', shared: false }, `${name}: its alert stays`);
      t.notOk(alert.body.assignee ?? alert.body.comments, `${name}: and nobody has touched it`);
    }
  });

t.test('neither search, filters, pages nor exports of a limited token know other devices', async (t) => {
  const { world, scene: newScene } = await place(t);
  const scene = await newScene();
  const { orgId, hidden, admin } = scene;
  const call = callWith(world, await scene.tokenFor({ deviceIds: [], labels: [LABEL] }));
  const queries = [
    `search=${HIDDEN}`,
    `deviceId=${hidden.deviceId}`,
    `fileId=${hidden.fileId}`,
    'label=site:wien',
    `status=ACTIVE&deviceId=${hidden.deviceId}`,
  ];
  for (const query of queries) {
    t.strictSame((await call('GET', `/alerts/${orgId}?${query}`)).body, { alerts: [], lastId: null }, query);
    t.not(
      (await admin.call('GET', `/alerts/${orgId}?${query}`)).body.alerts.length,
      0,
      `${query}: it is there`,
    );
  }
  for (const query of [`search=${HIDDEN}`, `deviceName=${HIDDEN}`])
    t.strictSame((await call('GET', `/events/${orgId}?${query}`)).body, { events: [], lastId: null }, query);
  t.strictSame((await call('GET', `/devices/${orgId}?label=site:wien`)).body, { devices: [] });
  t.equal((await call('GET', `/events/${orgId}?deviceName=${DEVICE.name}`)).body.events.length > 0, true);

  for (const path of [`/alerts/${orgId}`, `/events/${orgId}`]) {
    const all = await admin.call('GET', `${path}?toExport=true`);
    t.not(shownOf(scene, all).length, 0, `${path}: an export of a person has it`);
    const own = await call('GET', `${path}?toExport=true`);
    t.equal(own.status, 200);
    t.strictSame(shownOf(scene, own), [], `${path}: that of the token has not`);
    t.match(JSON.stringify(own.body), scene.deviceId);
  }

  const counts = (await call('GET', `/alerts/counts/${orgId}?deviceId=${scene.deviceId}`)).body;
  matchWhole(t, counts, { alerts: 1, deviceId: [{ value: scene.deviceId, alerts: 1 }] });
  t.equal(counts.deviceId.length, 1, 'not even as what another filter would leave');
  matchWhole(t, (await call('GET', `/alerts/groups/${orgId}?by=CHANGE`)).body, { groups: [{ devices: 1 }] });

  const ids: string[] = [];
  for (let lastId: string | null = ''; lastId !== null;) {
    const page: Answer = await call('GET', `/events/${orgId}?limit=1${lastId && `&lastId=${lastId}`}`);
    ids.push(...page.body.events.map(({ id }: { id: string }) => id));
    lastId = page.body.lastId;
  }
  const ofDevice = await admin.call('GET', `/events/${orgId}/${scene.deviceId}?limit=500`);
  t.strictSame(
    ids,
    ofDevice.body.events.map(({ id }: { id: string }) => id),
    'all of its own, in order',
  );
});

t.test('many alerts at once: those of other devices are as unknown as those that never were', async (t) => {
  const { world, scene: newScene } = await place(t);
  const scene = await newScene();
  const { orgId, alertId, hidden, regular, admin } = scene;
  const call = callWith(world, await scene.tokenFor({ deviceIds: [scene.deviceId], labels: [] }));
  const ids = [hidden.alertId, alertId];
  const assigned = await call('PUT', `/alerts/assign/${orgId}`, { ids, userId: regular.userId });
  matchList(t, assigned.body.answers, [{ status: 404 }, { status: 200 }]);
  const dismiss = { ids, note: 'release', status: 'RESOLVED' };
  const dismissed = await untilShown(() => call('PUT', `/alerts/turnoff/${orgId}`, dismiss));
  matchList(t, dismissed.body.answers, [{ status: 404 }, { status: 200 }]);
  matchList(t, (await admin.call('GET', `/alerts/${orgId}?status=ACTIVE`)).body.alerts, [
    { id: hidden.alertId },
  ]);
});

t.test('a list of expected changes names devices of the token, and nothing else', async (t) => {
  const { world, scene: newScene } = await place(t);
  const scene = await newScene();
  const { orgId, deviceId, hidden, admin } = scene;
  const call = callWith(world, await scene.tokenFor({ deviceIds: [], labels: [LABEL] }));
  const end = new Date(world.clock.now() + 3_600_000).toISOString();
  const entries = [{ path: '/srv/app/a.bin', sha256: 'a'.repeat(64) }];
  const add = (scope: object): Promise<Answer> =>
    call('POST', `/expected/${orgId}`, { reason: 'Release', scope, end, entries });
  const before = (await admin.call('GET', `/expected/${orgId}`)).body.lists.length;
  for (const scope of [{ everything: true }, { labels: [LABEL] }, { deviceIds: [deviceId], labels: [LABEL] }])
    t.match(await add(scope), { status: 403, body: { code: 'FORBIDDEN' } }, JSON.stringify(scope));
  t.match(await add({ fileIds: [hidden.fileId] }), { status: 403 });
  const unknown = '01900000-0000-7000-8000-00000000dead';
  for (const other of [hidden.deviceId, unknown]) {
    const { status, body } = await add({ deviceIds: [deviceId, other] });
    t.equal(status, 422);
    matchList(t, body.errors, [{ path: '/scope/deviceIds/1', message: 'is no device of this organization' }]);
  }
  t.equal((await add({ deviceIds: [deviceId] })).status, 201);
  t.equal((await admin.call('GET', `/expected/${orgId}`)).body.lists.length, before + 1);
});

t.test('a device that loses the label is out at once, and in again with it', async (t) => {
  const { world, scene: newScene } = await place(t);
  const scene = await newScene();
  const { orgId, deviceId, hidden } = scene;
  const call = callWith(world, await scene.tokenFor({ deviceIds: [], labels: [LABEL] }));
  const seen = async (): Promise<string[]> =>
    (await call('GET', `/devices/${orgId}`)).body.devices.map(({ id }: { id: string }) => id);
  t.strictSame(await seen(), [deviceId]);
  await scene.label(deviceId, []);
  await scene.label(hidden.deviceId, [LABEL]);
  t.strictSame(await seen(), [hidden.deviceId]);
  t.equal((await call('GET', `/devices/${orgId}/${deviceId}`)).status, 404);
  matchList(t, (await call('GET', `/alerts/${orgId}`)).body.alerts, [{ id: hidden.alertId }]);
  await scene.admin.call('PUT', `/devices/delete/${orgId}/${hidden.deviceId}`, { forced: true });
  t.strictSame(await seen(), [], 'a deleted device has no label');
  t.equal((await call('GET', `/events/${orgId}/${hidden.deviceId}`)).status, 404);
});

t.test('an open stream of a limited token tells of its devices as they are now', async (t) => {
  const { world, scene: newScene } = await place(t);
  const scene = await newScene();
  const { orgId, deviceId, hidden, admin } = scene;
  const token = await scene.tokenFor({ deviceIds: [], labels: [LABEL] });
  const person = await openStream(t, world, admin, orgId);
  const stream = await openStream(t, world, { ...admin, token }, orgId);
  await stream.next(({ event }) => event === 'ready');
  await person.next(({ event }) => event === 'ready');

  await scene.disturb();
  await person.next(({ event, data }) => event === 'alert' && data['id'] !== scene.alertId);
  await person.next(({ event }) => event === 'summary');
  t.strictSame(
    stream.frames.map(({ event }) => event).filter((event) => event !== VIEWS_FRAME),
    ['ready'],
    'nothing of others, nor of the organisation',
  );

  await scene.label(hidden.deviceId, [LABEL]);
  t.match(await stream.next(({ event }) => event === 'device'), { data: { id: hidden.deviceId } });
  await scene.label(hidden.deviceId, []);
  await person.next(
    ({ event, data }) => event === 'device' && data['id'] === hidden.deviceId && !('labels' in data),
  );
  const before = stream.frames.length;
  await scene.disturb();
  await scene.label(deviceId, [LABEL, 'env:test']);
  await stream.next(({ data }) => data['id'] === deviceId);
  const after = stream.frames.slice(before);
  t.notMatch(JSON.stringify(after), hidden.deviceId, 'without the label it is out, in this stream too');
  t.notMatch(JSON.stringify(after), HIDDEN);

  const back = await openStream(t, world, { ...admin, token }, orgId, stream.frames[0]!.id);
  await back.next(({ data }) => data['id'] === deviceId);
  t.notMatch(JSON.stringify(back.frames), HIDDEN, 'nor does one that comes back hear what it missed');
});

t.test('limits that cannot be are refused; the history and the list name those that can', async (t) => {
  const { scene: newScene } = await place(t);
  const scene = await newScene();
  const { admin, orgId, deviceId } = scene;
  const other = await newScene();
  const fields = { name: 'Limited', role: 'REGULAR', readOnly: true };
  const wrong = [
    { deviceIds: [], labels: [] },
    { deviceIds: [other.deviceId], labels: [] },
    { deviceIds: ['x'], labels: [] },
    { deviceIds: [deviceId, deviceId], labels: [] },
    { deviceIds: [], labels: ['graz'] },
    { labels: [LABEL] },
  ];
  for (const limits of wrong)
    t.match(await admin.call('POST', `/service-tokens/${orgId}`, { ...fields, limits }), { status: 422 });
  const limits = { deviceIds: [deviceId], labels: [LABEL] };
  t.equal((await admin.call('POST', `/service-tokens/${orgId}`, { ...fields, limits })).status, 201);
  matchList(t, (await admin.call('GET', `/service-tokens/${orgId}`)).body.serviceTokens, [{ limits }]);
  const { events } = (await admin.call('GET', `/events/${orgId}`)).body;
  const made = events.find(({ type }: { type: string }) => type === 'CREATE_SERVICE_TOKEN');
  matchWhole(t, JSON.parse(made.note), { devices: [DEVICE.name], labels: [LABEL] });
});

t.test('lists of many devices are merged in order, and of too many they are refused', async (t) => {
  const { store } = await createWorld(t, NO_LIMITS);
  const orgId = 'many';
  const idOf = (n: number): string => `d${String(n).padStart(4, '0')}`;
  const fill = async (from: number, to: number): Promise<void> => {
    const numbers = Array.from({ length: to - from }, (_, n) => from + n);
    const devices = numbers.map((n) => ({ id: idOf(n), rev: 1, orgId, deleted: false, labels: [LABEL] }));
    await store.bulkUpsert(VIEWS.devices, devices as never);
  };
  await fill(0, 250);
  const limits = { deviceIds: [], labels: [LABEL] };
  const within = await devicesWithin(store, orgId, limits);
  t.equal(within.size, 250);
  // Each device has every 251st event; the last number is of a device that is not within.
  const events = Array.from({ length: 1_004 }, (_, n) => ({
    ...{ id: `e${String(n).padStart(4, '0')}`, rev: 1, orgId, deviceId: idOf((n * 7) % 251) },
  }));
  await store.bulkUpsert(VIEWS.events, events as never);
  const own = events.filter(({ deviceId }) => within.has(deviceId)).map(({ id }) => id);
  const read: string[] = [];
  for (let lastId: string | null = 'f'; lastId !== null;) {
    const source = { store, collection: VIEWS.events, where: { orgId }, within };
    const page: Page<{ readonly id: string }> = await readPage(source, { lastId, limit: 90 });
    read.push(...page.items.map(({ id }) => id));
    lastId = page.lastId;
  }
  t.equal(own.length, 1_000);
  const oldest: string[] = [];
  for (let lastId: string | null = 'a'; lastId !== null;) {
    const source = { store, collection: VIEWS.events, where: { orgId }, within };
    const query = { lastId, limit: 90, order: 'oldest' } as const;
    const page: Page<{ readonly id: string }> = await readPage(source, query);
    oldest.push(...page.items.map(({ id }) => id));
    lastId = page.lastId;
  }
  t.strictSame(oldest, own);
  t.strictSame(read, own.toReversed());

  await fill(250, LIMITS.serviceTokenReach);
  t.equal((await devicesWithin(store, orgId, limits)).size, LIMITS.serviceTokenReach);
  await fill(LIMITS.serviceTokenReach, LIMITS.serviceTokenReach + 1);
  await t.rejects(devicesWithin(store, orgId, limits), { code: 'FORBIDDEN', message: /more than 1000/ });
  t.ok(await isDeviceWithin(store, orgId, limits, idOf(0)), 'one device is reached all the same');
});
