import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { LIMITS } from '@sentinel-node/contracts';
import { report, startWorld, until, type World } from './support.ts';

/** Sends bytes over a socket; resolves with the answer when the server, or `end`, closes it. */
function talk(port: number, parts: readonly (string | Buffer)[], end: 'client' | 'server'): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
    for (const part of parts) socket.write(part);
    if (end === 'client') socket.end(() => socket.destroy());
  });
}

const heldBytes = async (world: World): Promise<string> => {
  const { payload } = await world.app.inject({ url: '/metrics' });
  const held = [...payload.matchAll(/^sentinel_pool_used\{pool="(?:bulk|small)-bodies"\S* (\d+)$/gm)];
  return held.map(([, bytes]) => bytes).join(' ');
};

const head = (world: World, url: string, more: string): string =>
  `POST ${url} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${world.key()}\r\n${more}\r\n\r\n`;

t.test('a body that comes too slowly ends with 408 and gives back what it took', async (t) => {
  const world = await startWorld(t, { times: { headersMs: 200, requestMs: 200, checkMs: 20 } });
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = world.app.server.address() as AddressInfo;
  const more = 'Content-Type: application/json\r\nContent-Length: 1000';
  const answer = await talk(port, [head(world, world.path(), more), '{"sequence":'], 'server');
  t.match(answer, /^HTTP\/1\.1 408 /);
  t.match(answer, /"code":"REQUEST_TIMEOUT"/);
  await until(async () => (await heldBytes(world)) === '0 0');
  t.same(await world.records(), []);
});

t.test('over a real connection', async (t) => {
  const world = await startWorld(t, { times: { lingerIdleMs: 2_000 } });
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = world.app.server.address() as AddressInfo;
  const bulk = `/api/v1/files/bulk/${world.device.orgId}/${world.device.id}`;

  await t.test('a body in many chunks', async (t) => {
    const text = JSON.stringify(report());
    const chunks = [...text].map((letter) => `1\r\n${letter}\r\n`).join('');
    const more = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close';
    const answer = await talk(port, [head(world, world.path(), more), chunks, '0\r\n\r\n'], 'server');
    t.match(answer, /^HTTP\/1\.1 202 /);
    t.equal((await world.records())[0]!.report, text);
  });

  await t.test('a body without a length that does not end is cut off with 413', async (t) => {
    const more = 'Content-Type: application/json\r\nTransfer-Encoding: chunked';
    const part = `${LIMITS.reportBytes.toString(16)}\r\n${' '.repeat(LIMITS.reportBytes)}\r\n`;
    const answer = await talk(port, [head(world, world.path(), more), part, part], 'server');
    t.match(answer, /^HTTP\/1\.1 413 /);
    t.match(answer, /connection: close/i);
  });

  await t.test('a length that is too large is refused before the body comes', async (t) => {
    const more = `Content-Type: application/json\r\nContent-Length: ${LIMITS.reportBytes + 1}`;
    const answer = await talk(port, [head(world, world.path(), more)], 'server');
    t.match(answer, /^HTTP\/1\.1 413 /);
  });

  await t.test('a wrong key is refused before the body comes', async (t) => {
    const more = 'Content-Type: application/json\r\nContent-Length: 100\r\nConnection: close';
    const request = head(world, world.path(), more).replace(world.key(), 'sk1.no');
    t.match(await talk(port, [request], 'server'), /^HTTP\/1\.1 401 /);
  });

  await t.test('what breaks off is taken in no part and leaves nothing behind', async (t) => {
    const before = (await world.records()).length;
    const json = 'Content-Type: application/json\r\nContent-Length: 1000';
    await talk(port, [head(world, world.path(), json), JSON.stringify(report())], 'client');
    const line = JSON.stringify({ fileId: world.file.id, ...report() });
    const zipped = gzipSync(`${line}\n`.repeat(1_000));
    const gzip = `Content-Type: application/x-ndjson\r\nContent-Encoding: gzip\r\nContent-Length: ${zipped.length}`;
    await talk(port, [head(world, bulk, gzip), zipped.subarray(0, zipped.length - 20)], 'client');
    await until(async () => (await heldBytes(world)) === '0 0');
    t.equal((await world.records()).length, before);
  });
});
