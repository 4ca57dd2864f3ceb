import { connect, type AddressInfo, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { GROUPS, LIMITS, TOPICS, type DeviceEntity } from '@sentinel-node/contracts';
import { INGESTION_LIMITS } from '../src/limits.ts';
import { deviceEntity, fileEntity, newId, report, startWorld, until, type World } from './support.ts';

const HEARTBEAT = {
  timestamp: '2026-11-21T10:00:00.000Z',
  instanceId: '3f9c2a71',
  agentVersion: '1.0.0',
  queue: 0,
  oldestUnsent: null,
  files: [],
  setAside: 0,
};

interface Stalled {
  readonly socket: Socket;
  answer: string;
  closed: boolean;
}

/** Sends a request whose body stops before its end, and keeps the connection open. */
async function stall(t: Test, world: World, url: string, type: string, body: Buffer): Promise<Stalled> {
  const { port } = world.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  const stalled: Stalled = { socket, answer: '', closed: false };
  socket.on('data', (chunk) => (stalled.answer += chunk.toString('latin1')));
  socket.on('error', () => undefined).on('close', () => (stalled.closed = true));
  const head = `POST ${url} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${world.key()}\r\nContent-Type: ${type}`;
  socket.write(`${head}\r\nContent-Length: ${body.length + 1}\r\n\r\n`);
  await new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.write(body, () => resolve());
  });
  return stalled;
}

const BULK_BYTES = 'bulk-bodies';
/** Windows of the least rate that a slow body lasts. */
const WINDOWS = 5;
const NDJSON = 'application/x-ndjson';
const bulkUrl = ({ device }: World): string => `/api/v1/files/bulk/${device.orgId}/${device.id}`;
const stallBulk = (t: Test, world: World, bytes = LIMITS.bulkBytes - 1): Promise<Stalled> =>
  stall(t, world, bulkUrl(world), NDJSON, Buffer.alloc(bytes, '\n'));

async function gauge(world: World, name: string): Promise<number> {
  const { payload } = await world.app.inject({ url: '/metrics' });
  return Number(new RegExp(`^sentinel_pool_used{pool="${name}"\\S* (\\d+)$`, 'm').exec(payload)?.[1]);
}

/** Adds a device, by default of another organisation. */
async function add(world: World, orgId: string = newId()): Promise<DeviceEntity> {
  const before = world.device;
  const device = deviceEntity({ id: newId(), orgId, files: [fileEntity()] });
  await world.save(device);
  world.device = before;
  return device;
}

/** Returns the statuses of a report, a heartbeat and a bulk body of the device. */
async function statuses(world: World, device: DeviceEntity): Promise<number[]> {
  const before = world.device;
  world.device = device;
  const line = JSON.stringify({ fileId: world.file.id, ...report() });
  const answers = [
    await world.send(report()),
    await world.health(HEARTBEAT),
    await world.bulk(`${line}\n`.repeat(1_000)),
  ];
  world.device = before;
  return answers.map(({ statusCode }) => statusCode);
}

async function listening(t: Test, options: Parameters<typeof startWorld>[1] = {}): Promise<World> {
  const world = await startWorld(t, options);
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  return world;
}

t.test('stalled bulk bodies of one device stop neither its organisation nor another one', async (t) => {
  const world = await listening(t);
  const sister = await add(world, world.device.orgId);
  const other = await add(world);
  const stalled = await Promise.all(Array.from({ length: 8 }, () => stallBulk(t, world)));
  await until(async () => {
    const open = stalled.filter(({ answer }) => answer === '').length;
    return (await gauge(world, BULK_BYTES)) === open * (LIMITS.bulkBytes - 1);
  });
  t.same(await statuses(world, sister), [202, 200, 202], 'another device of the organisation');
  t.same(await statuses(world, other), [202, 200, 202], 'a device of another organisation');
  t.same((await statuses(world, world.device)).slice(0, 2), [202, 200], 'small bodies of the same device');
  const refused = stalled.filter(({ answer }) => answer !== '');
  for (const { answer } of refused) t.match(answer, /^HTTP\/1\.1 503 [^]*"code":"OVERLOADED"/);
  t.equal(refused.length, 6);
});

t.test('all devices of one organisation together leave room for another one', async (t) => {
  const world = await listening(t);
  const other = await add(world);
  const { orgId } = world.device;
  const stalled: Stalled[] = [];
  for (let n = 0; n < 6; n += 1) {
    const device = await add(world, orgId);
    world.device = device;
    stalled.push(await stallBulk(t, world), await stallBulk(t, world));
  }
  await until(async () => {
    const open = stalled.filter(({ answer }) => answer === '').length;
    return (await gauge(world, BULK_BYTES)) === open * (LIMITS.bulkBytes - 1);
  });
  t.same(await statuses(world, other), [202, 200, 202]);
  t.equal(stalled.filter(({ answer }) => answer === '').length, 4, 'half of the room');
});

t.test('single reports that stall leave room for heartbeats and reports of others', async (t) => {
  const world = await listening(t);
  const sister = await add(world, world.device.orgId);
  const other = await add(world);
  const body = Buffer.alloc(LIMITS.reportBytes - 1, ' ');
  const sent = Array.from({ length: 20 }, () => stall(t, world, world.path(), 'application/json', body));
  const stalled = await Promise.all(sent);
  await until(async () => {
    const open = stalled.filter(({ answer }) => answer === '').length;
    return (await gauge(world, 'small-bodies')) === open * body.length;
  });
  t.same(await statuses(world, sister), [202, 200, 202], 'another device of the organisation');
  t.same(await statuses(world, other), [202, 200, 202], 'a device of another organisation');
  t.equal(stalled.filter(({ answer }) => answer === '').length, 4);
});

for (const encoding of ['identity', 'gzip']) {
  t.test(`a body that stops is given up with 408, ${encoding}`, async (t) => {
    // The connection closes some seconds after the answer, for clients that still send.
    const world = await listening(t, { times: { lingerIdleMs: 50 } });
    const whole = Buffer.alloc(LIMITS.bulkBytes / 4, '\n');
    const body = encoding === 'gzip' ? gzipSync(whole).subarray(0, -1) : whole;
    const stalled = await stall(t, world, bulkUrl(world), `${NDJSON}\r\nContent-Encoding: ${encoding}`, body);
    await until(async () => (await gauge(world, BULK_BYTES)) > 0);
    await until(async () => {
      await world.tick();
      return stalled.closed;
    });
    t.match(stalled.answer, /^HTTP\/1\.1 408 [^]*"code":"REQUEST_TIMEOUT"/);
    t.match(stalled.answer, /connection: close/i);
    t.equal(await gauge(world, BULK_BYTES), 0, 'and its memory is free again');
    t.equal(await gauge(world, 'bodies-arriving'), 0);
  });
}

/** Returns the bytes of all buffers that are in use. */
function arrayBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}

t.test('compressed bodies that arrive take their bytes only, however many they are', async (t) => {
  const BODIES = 100;
  /** Far below the buffer of a decompression, far above the bytes of a body. */
  const MOST_BYTES = 65_536;
  const world = await listening(t);
  const body = gzipSync(Buffer.alloc(65_536, '\n')).subarray(0, -1);
  const before = arrayBytes();
  const type = `${NDJSON}\r\nContent-Encoding: gzip`;
  for (let count = 0; count < BODIES; count += 1) await stall(t, world, bulkUrl(world), type, body);
  await until(async () => (await gauge(world, BULK_BYTES)) === BODIES * body.length);
  const taken = arrayBytes() - before;
  t.ok(taken < BODIES * MOST_BYTES, `${taken} bytes`);
});

t.test('a body that keeps the least rate is taken, however long it takes', async (t) => {
  const { bodyBytesPerSecond, bodyWindowMs } = INGESTION_LIMITS;
  const world = await listening(t);
  const step = Buffer.alloc((bodyBytesPerSecond * bodyWindowMs) / 1_000, ' ');
  const { port } = world.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
  const head = `POST ${bulkUrl(world)} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${world.key()}`;
  socket.write(`${head}\r\nContent-Type: ${NDJSON}\r\nContent-Length: ${WINDOWS * step.length}\r\n\r\n`);
  for (let sent = 1; sent <= WINDOWS; sent += 1) {
    socket.write(step);
    if (sent === WINDOWS) break;
    await until(async () => (await gauge(world, BULK_BYTES)) === sent * step.length);
    for (let tick = 0; tick < 4; tick += 1) await world.tick();
  }
  await until(() => answer !== '');
  t.match(answer, /^HTTP\/1\.1 202 /);
});

t.test(
  'a flood that waits to be judged is told to come later, while a neighbour sends; heartbeats go on',
  async (t) => {
    const world = await startWorld(t, { env: { SENTINEL_LIMIT_WAITING_REPORTS: '10' } });
    const loud = world.device;
    const quiet = await add(world);
    let sequence = Date.parse(HEARTBEAT.timestamp) * 1_000;
    const send = async (device: DeviceEntity, lines: number) => {
      world.device = device;
      const body = Array.from({ length: lines }, () => {
        const one = { fileId: device.files[0]!.id, ...report({ sequence: (sequence += 1) }) };
        return JSON.stringify(one);
      });
      return world.bulk(body.join('\n'));
    };
    await world.tick();
    t.equal((await send(loud, 8)).statusCode, 202, 'alone it is taken');
    t.equal((await send(loud, 8)).statusCode, 202, 'whatever waits');
    t.equal((await send(quiet, 1)).statusCode, 202);
    const refused = await send(loud, 1);
    t.equal(refused.statusCode, 503);
    t.equal(refused.json().code, 'OVERLOADED');
    t.match(refused.json().detail, /wait to be judged/);
    t.ok(Number(refused.headers['retry-after']) >= 1);
    world.device = loud;
    t.equal((await world.send(report({ sequence: (sequence += 1) }))).statusCode, 503, 'one a call too');
    t.equal((await world.health(HEARTBEAT)).statusCode, 200);
    t.equal(await gauge(world, 'waiting-reports'), 17);

    const judged = await world.eventLog.consume([TOPICS.fileEvents], GROUPS.verifier, async () => undefined);
    await until(async () => {
      await world.tick();
      return (await gauge(world, 'waiting-reports')) === 0;
    });
    t.equal((await send(loud, 1)).statusCode, 202);
    await judged.stop();
  },
);
