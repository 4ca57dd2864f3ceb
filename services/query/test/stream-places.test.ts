/** Tests that places of live streams are counted before any await, and released on every way out. */
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { TOPICS } from '@sentinel-node/contracts';
import { STREAM_LIMITS } from '../src/stream/index.ts';
import { QUIET } from './quiet-timers.ts';
import { listen, openStream } from './sse-client.ts';
import { createWorld, DEVICE, eventually, type Person, type World } from './world.ts';

type Admin = Person & { readonly orgId: string };

/** Requests a stream over its own socket. */
async function ask(world: World, { token, orgId }: Admin, more: readonly string[] = []): Promise<Socket> {
  const url = new URL(await listen(world));
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => undefined);
  const head = [
    `GET /api/v1/stream/${orgId} HTTP/1.1`,
    'host: localhost',
    `x-access-token: ${token}`,
    ...more,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** Returns the status of the answer, once `text` matches too. */
function statusOf(socket: Socket, ready = /^/): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      if (status !== undefined && ready.test(text)) resolve(Number(status));
    });
    socket.once('close', () => reject(new Error('closed without an answer')));
  });
}

async function openStreams(world: World): Promise<number> {
  const { body } = await world.call('GET', '/metrics');
  return Number(/^sentinel_query_streams_open\{[^}]*\} (\d+)$/m.exec(body)?.[1]);
}

const none = (world: World) => eventually(async () => ((await openStreams(world)) === 0 ? true : undefined));

/** Holds the n-th call to the store until `go` is called; `calls` counts the calls. */
function holdCall(world: World, n: number) {
  let calls = 0;
  let go = (): void => undefined;
  const released = new Promise<void>((resolve) => (go = resolve));
  const store = world.store as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const names = ['get', 'getMany', 'find', 'count'] as const;
  const originals = new Map(names.map((name) => [name, store[name]!.bind(store)]));
  for (const [name, original] of originals)
    store[name] = async (...args) => {
      if (++calls === n) await released;
      return original(...args);
    };
  return {
    calls: () => calls,
    go,
    restore: () => {
      for (const [name, original] of originals) store[name] = original;
    },
  };
}

/** Opens a stream in a world of its own and leaves it. @returns the id of the last frame, with which the client comes back */
async function leftStream(t: Test) {
  const world = await createWorld(t, {}, { timers: QUIET });
  const admin = await world.organization('Acme', 'ada@example.org');
  const first = await openStream(t, world, admin, admin.orgId);
  const { id } = await first.next(({ event }) => event === 'ready');
  first.close();
  return { world, admin, id };
}

t.test('a client that is gone gives its place back, whatever the server waits for', async (t) => {
  const { world, admin, id } = await leftStream(t);
  await none(world);
  // A change that the reconnecting client has missed.
  t.equal((await admin.call('POST', `/devices/${admin.orgId}`, DEVICE)).status, 201);
  const closed = new Set<number>();
  world.app.server.on('connection', (socket) => {
    const port = socket.remotePort!;
    socket.once('close', () => closed.add(port));
  });
  for (const head of [[], [`last-event-id: ${id}`]] as const) {
    let at = 1;
    for (; ; at++) {
      const hold = holdCall(world, at);
      const socket = await ask(world, admin, head);
      let isAnswered = false;
      const answered = statusOf(socket, /^id: /m)
        .catch(() => undefined)
        .then(() => (isAnswered = true));
      await new Promise((resolve) => socket.once('connect', resolve));
      const port = socket.localPort!;
      const isLast = await eventually(async () => {
        if (hold.calls() >= at) return false;
        return isAnswered ? true : undefined;
      });
      socket.resetAndDestroy();
      await eventually(async () => (closed.has(port) ? true : undefined));
      hold.go();
      await answered;
      await none(world);
      hold.restore();
      if (isLast) break;
    }
    t.ok(at > 1, `aborted at ${at - 1} calls`);
  }
});

t.test('resets by the thousand leave nothing behind, a burst gets as many as the limit says', async (t) => {
  const world = await createWorld(t);
  const admin = await world.organization('Acme', 'ada@example.org');
  const other = await world.organization('Other', 'olga@example.org');
  await listen(world);
  for (let round = 0; round < 10; round++) {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => ask(world, admin)));
    for (const socket of sockets) socket.once('connect', () => setImmediate(() => socket.resetAndDestroy()));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  }
  await none(world);
  const sockets = await Promise.all(Array.from({ length: 100 }, () => ask(world, admin)));
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  const statuses = await Promise.all(sockets.map((socket) => statusOf(socket)));
  t.equal(statuses.filter((status) => status === 200).length, STREAM_LIMITS.clientsPerUser);
  t.equal(statuses.filter((status) => status === 503).length, 100 - STREAM_LIMITS.clientsPerUser);
  t.equal(await openStreams(world), STREAM_LIMITS.clientsPerUser);
  const { body } = await world.call('GET', '/metrics');
  t.match(
    body,
    new RegExp(`sentinel_query_streams_open_most\\{organization="${admin.orgId}",[^}]*\\} 20\\n`),
  );
  const stream = await openStream(t, world, other, other.orgId);
  t.equal(stream.status, 200, 'another organisation is answered');
});

t.test('a client that comes back hears that it missed nothing', async (t) => {
  const { world, admin, id } = await leftStream(t);
  const socket = await ask(world, admin, [`last-event-id: ${id}`]);
  t.teardown(() => socket.destroy());
  let status: number | undefined;
  // The comments that keep a connection alive are timers, which stand still here.
  void statusOf(socket, /^:$/m).then((answered) => (status = answered));
  t.equal(await eventually(async () => status), 200);
});

t.test('a client that left while its missed changes were read is not kept', async (t) => {
  const world = await createWorld(t);
  const admin = await world.organization('Acme', 'ada@example.org');
  const first = await openStream(t, world, admin, admin.orgId);
  const { id } = await first.next(({ event }) => event === 'ready');
  first.close();
  await none(world);
  t.equal((await admin.call('POST', `/devices/${admin.orgId}`, DEVICE)).status, 201);
  let reading = false;
  let go = (): void => undefined;
  const released = new Promise<void>((resolve) => (go = resolve));
  const read = world.eventLog.read.bind(world.eventLog);
  world.eventLog.read = async function* (topic, ...range) {
    if (topic === TOPICS.feed) {
      reading = true;
      await released;
    }
    yield* read(topic, ...range);
  };
  const socket = await ask(world, admin, [`last-event-id: ${id}`]);
  await eventually(async () => (reading ? true : undefined));
  socket.resetAndDestroy();
  await none(world);
  go();
  const member = await world.member(admin, 'bob@example.org', 'REGULAR');
  const second = await openStream(t, world, member, admin.orgId);
  await second.next(({ event }) => event === 'ready');
  const looked: number[] = [];
  const getMany = world.store.getMany.bind(world.store);
  world.store.getMany = (collection, ids) => {
    if (collection === 'sessions') looked.push(ids.length);
    return getMany(collection, ids);
  };
  const sessions = await eventually(async () => looked[0]);
  t.equal(sessions, 1, 'only the client that is there is looked after');
});
