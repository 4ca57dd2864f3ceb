/** Answers that come before the whole body: clients that send first and read then get them too. */
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { Type } from 'typebox';
import type { HttpTimes } from '../src/http/timeouts.ts';
import { httpShell } from './http-harness.ts';

const MIB = 1_048_576;
const CHUNK = Buffer.alloc(MIB, ' ');

async function open(t: Test, times: Partial<HttpTimes> = {}): Promise<Socket> {
  const { app, listen } = await httpShell(t, {}, { times });
  app.post('/json', { schema: { body: Type.Object({}) } }, () => ({}));
  app.addContentTypeParser('text/plain', (_, __, done) => done(null));
  app.post('/refused', (_, reply) => reply.code(401).header('connection', 'close').send({ code: 'NO' }));
  await listen();
  const { port } = app.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' });
  t.teardown(() => socket.destroy());
  return socket;
}

const head = (path: string, type: string, bytes: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`;

/** Sends everything before it reads anything, as Python's http.client does. */
async function send(socket: Socket, start: string, chunks: number): Promise<void> {
  const put = (data: string | Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.write(data, (error) => (error ? reject(error) : resolve()));
    });
  await put(start);
  for (let n = 0; n < chunks; n += 1) await put(CHUNK);
}

async function answerOf(socket: Socket): Promise<string> {
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  await once(socket, 'close');
  return answer;
}

for (const [path, type, status] of [
  ['/json', 'application/json', 413],
  ['/refused', 'text/plain', 401],
] as const)
  t.test(`a client that sends a large body whole reads the ${status} then`, async (t) => {
    const socket = await open(t);
    await send(socket, head(path, type, 32 * MIB), 32);
    const answer = await answerOf(socket);
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    t.match(answer, /connection: close/i);
    t.match(answer, /\r\n\r\n\{.*"code":"\w+".*\}$/s, 'the answer is whole');
  });

t.test('a client that stops in the middle is left after a time without a byte', async (t) => {
  const socket = await open(t, { lingerIdleMs: 2_000, lingerMs: 3_600_000 });
  await send(socket, head('/json', 'application/json', 32 * MIB), 1);
  t.match(await answerOf(socket), /^HTTP\/1\.1 413 /);
});

t.test('a client that goes on and on is left after a time, or after so many bytes', async (t) => {
  for (const times of [{ lingerMs: 50 }, {}]) {
    const socket = await open(t, times);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined).resume();
    socket.write(head('/json', 'application/json', 1_024 * MIB));
    const more = (): void => {
      while (!socket.destroyed && socket.bytesWritten < 1_024 * MIB && socket.write(CHUNK));
    };
    socket.on('drain', more);
    more();
    await closed;
    t.ok(socket.bytesWritten < 1_024 * MIB, 'before the body was whole');
  }
});

t.test('a client that sends a little again and again is left after a time', async (t) => {
  const socket = await open(t, { lingerMs: 50 });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined).resume();
  socket.write(head('/json', 'application/json', 1_024 * MIB));
  const sending = setInterval(() => !socket.destroyed && socket.write('x'), 5);
  await closed;
  clearInterval(sending);
  t.ok(socket.bytesWritten < MIB, 'long before the limit of bytes');
});
