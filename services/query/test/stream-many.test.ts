/** Tests live streams under load: many clients, one that does not read, sessions that end, a server that stops. */
import { connect } from 'node:net';
import t from 'tap';
import { systemTimers, type Timers } from '@sentinel-node/platform';
import { STREAM_LIMITS, STREAM_TIMES } from '../src/stream/limits.ts';
import { createPlace } from './place.ts';
import { listen, openStream } from './sse-client.ts';
import { createWorld, DEVICE, eventually } from './world.ts';

const USERS = 8;
const never = new Promise<never>(() => undefined);

t.test('hundreds of clients hear of an alert, and their sessions are looked up together', async (t) => {
  let checkSessions: (() => Promise<void>) | undefined;
  const timers: Timers = {
    ...systemTimers,
    every: (ms, task) => {
      if (ms !== STREAM_TIMES.session) return systemTimers.every(ms, task);
      checkSessions = task;
      return { stop: async () => undefined, failed: never };
    },
  };
  const here = await createPlace(t, {}, undefined, { timers });
  const { world, admin, orgId, history } = here;
  const people = [admin];
  while (people.length < USERS)
    people.push(await world.member(admin, `user${people.length}@example.org`, 'REGULAR'));
  await listen(world);
  const each = Array.from({ length: STREAM_LIMITS.clientsPerUser });
  const streams = await Promise.all(
    people.flatMap((person) => each.map(() => openStream(t, world, person, orgId))),
  );
  t.equal(streams.length, USERS * STREAM_LIMITS.clientsPerUser);
  const eve = await world.organization('Other', 'eve@example.org');
  const other = await openStream(t, world, eve, eve.orgId);
  await other.next(({ event }) => event === 'ready');
  await Promise.all(streams.map((stream) => stream.next(({ event }) => event === 'ready')));
  const more = await admin.call('GET', `/stream/${orgId}`);
  t.equal(more.status, 503, 'one too many of a user');
  t.ok(Number(more.headers['retry-after']) > 0);

  let lookups = 0;
  const getMany = world.store.getMany.bind(world.store);
  world.store.getMany = (collection, ids) => {
    if (collection === 'sessions') lookups++;
    return getMany(collection, ids);
  };
  await checkSessions!();
  t.equal(lookups, 1, 'those of all organisations');
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const received = await Promise.all(streams.map((stream) => stream.next(({ event }) => event === 'alert')));
  t.ok(received.every(({ data }) => data.id === alert!.id));
});

t.test('a client that does not read takes no memory without end, and one resync when it reads', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, history } = here;
  const url = new URL(await listen(world));
  const socket = connect(Number(url.port), url.hostname);
  t.teardown(() => socket.destroy());
  const head = [`GET /api/v1/stream/${orgId} HTTP/1.1`, 'host: localhost', `x-access-token: ${admin.token}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();

  const other = await openStream(t, world, admin, orgId);
  await other.next(({ event }) => event === 'ready');
  history.baseline();
  const [alerts, bytes] = [60, 500_000];
  let last = '';
  for (let n = 0; n < alerts; n++) {
    last = history.breach('EMPTY', JSON.stringify({ sequence: n, filler: 'x'.repeat(bytes) })).alerts[0]!.id;
    await here.write();
  }
  await other.next(({ event, data }) => event === 'alert' && data.id === last);
  let received = 0;
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    text = (text + chunk.toString()).slice(-2_000);
  });
  socket.resume();
  await eventually(async () => (text.includes('event: resync') ? true : undefined));
  t.ok(received < (alerts * bytes) / 2, `${received} bytes were kept of ${alerts * bytes}`);
  t.match(text, /id: [^\n]+\nevent: resync\ndata: \{\}\n\n/);
  t.equal(text.split('event: resync').length, 2, 'once');
});

const NO_TICKS = { ...systemTimers, every: () => ({ stop: async () => undefined, failed: never }) };

t.test('a stream ends at once when its session or its user does, without waiting for a tick', async (t) => {
  const world = await createWorld(t, {}, { timers: NO_TICKS });
  const admin = await world.organization('Acme', 'ada@example.org');
  const { orgId } = admin;
  const regular = await world.member(admin, 'rita@example.org', 'REGULAR');
  await listen(world);
  const [ofAdmin, ofRegular] = await Promise.all([
    openStream(t, world, admin, orgId),
    openStream(t, world, regular, orgId),
  ]);
  for (const stream of [ofAdmin, ofRegular]) await stream.next(({ event }) => event === 'ready');
  t.equal((await admin.call('DELETE', `/users/${orgId}/${regular.userId}`)).status, 200);
  await eventually(async () => (ofRegular.isEnded() ? true : undefined));
  t.notOk(ofAdmin.isEnded());
  t.equal((await admin.call('POST', '/logout')).status, 204);
  await eventually(async () => (ofAdmin.isEnded() ? true : undefined));
  t.equal((await admin.call('GET', `/stream/${orgId}`)).status, 401);
});

t.test('a stream ends at once when its service token does, and no other stream', async (t) => {
  const world = await createWorld(t, {}, { timers: NO_TICKS });
  const admin = await world.organization('Acme', 'ada@example.org');
  const { orgId } = admin;
  const fields = { name: 'Report', role: 'REGULAR', readOnly: true };
  const [ended, kept] = await Promise.all(
    ['one', 'other'].map(async () => (await admin.call('POST', `/service-tokens/${orgId}`, fields)).body),
  );
  await listen(world);
  const [ofEnded, ofKept] = await Promise.all(
    [ended, kept].map(({ token }) => openStream(t, world, { ...admin, token }, orgId)),
  );
  for (const stream of [ofEnded!, ofKept!]) await stream.next(({ event }) => event === 'ready');
  t.equal((await admin.call('DELETE', `/service-tokens/${orgId}/${ended.id}`)).status, 200);
  await eventually(async () => (ofEnded!.isEnded() ? true : undefined));
  t.notOk(ofKept!.isEnded());
});

t.test('an open stream does not keep the server from stopping', async (t) => {
  const here = await createPlace(t);
  const stream = await openStream(t, here.world, here.admin, here.orgId);
  await stream.next(({ event }) => event === 'ready');
  await here.world.app.close();
  await eventually(async () => (stream.isEnded() ? true : undefined));
  t.pass('closed, and the stream ended');
});

t.test('a resume beyond the kept window gets one resync', async (t) => {
  const world = await createWorld(t, {}, {}, { volatileRecords: 20 });
  const admin = await world.organization('Acme', 'ada@example.org');
  const { orgId } = admin;
  const first = await openStream(t, world, admin, orgId);
  const { id } = await first.next(({ event }) => event === 'ready');
  const add = (n: number) => admin.call('POST', `/devices/${orgId}`, { ...DEVICE, name: `Device ${n}` });
  await add(0);
  await first.next(({ event, data }) => event === 'device' && data.name === 'Device 0');
  first.close();
  const near = await openStream(t, world, admin, orgId, id);
  await near.next(({ event, data }) => event === 'device' && data.name === 'Device 0');
  t.notOk(
    near.frames.some(({ event }) => event === 'resync'),
    'within the window',
  );
  for (let n = 1; n <= 60; n++) await add(n);
  await near.next(({ event, data }) => event === 'device' && data.name === 'Device 60');
  const late = await openStream(t, world, admin, orgId, id);
  const resync = await late.next(({ event }) => event === 'resync');
  t.equal(late.frames.indexOf(resync), 0, 'before anything else');
  await add(61);
  await late.next(({ event, data }) => event === 'device' && data.name === 'Device 61');
  t.equal(late.frames.filter(({ event }) => event === 'resync').length, 1);
});

t.test(
  'what waits for a slow store is sent together, in order and once, behind a greeting too',
  async (t) => {
    const here = await createPlace(t);
    const { world, admin, orgId, history } = here;
    history.baseline();
    await here.write();
    const stream = await openStream(t, world, admin, orgId);
    await stream.next(({ event }) => event === 'ready');
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let reads = 0;
    const getMany = world.store.getMany.bind(world.store);
    world.store.getMany = async (collection, ids) => {
      if (collection === 'events') {
        reads++;
        await answered;
      }
      return getMany(collection, ids);
    };
    const wanted: string[] = [];
    const raise = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) {
        wanted.push(history.breach('EMPTY').alerts[0]!.id);
        await here.write();
      }
    };
    await raise(20);
    const later = await openStream(t, world, admin, orgId);
    await raise(20);
    await world.heard();
    answer();
    const idsOf = ({ frames }: typeof stream): unknown[] =>
      frames.filter(({ event }) => event === 'alert').map(({ data }) => data.id);
    await stream.next(({ event, data }) => event === 'event' && data.alertId === wanted.at(-1));
    t.same(idsOf(stream), wanted);
    t.ok(reads < wanted.length / 2, `${reads} reads for ${wanted.length} records`);
    await later.next(({ event, data }) => event === 'alert' && data.id === wanted.at(-1));
    t.equal(later.frames[0]?.event, 'ready');
    t.same(idsOf(later), wanted.slice(20), 'nothing of before the greeting, everything after it');
  },
);
