import { connect, type AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { ProblemSchema } from '@sentinel-node/contracts';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { httpShell } from './http-harness.ts';
import { until } from './until.ts';

const problems = Compile(ProblemSchema);
const SHORT = { headersMs: 200, requestMs: 200, checkMs: 20 };
const DRIP_MS = 20;

/** Sends `head`, then blanks without end; resolves with the answer when the server closed. */
function drip(t: Test, port: number, head: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    t.teardown(() => socket.destroy());
    socket.write(head);
    const more = setInterval(() => socket.write(' '), DRIP_MS);
    socket.on('data', (chunk) => (answer += chunk.toString())).on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(more);
      resolve(answer);
    });
  });
}

t.test('a body that comes too slowly ends with 408 and its connection', async (t) => {
  const { app, listen } = await httpShell(t, {}, { times: SHORT });
  let handled = 0;
  app.post('/x', { schema: { body: Type.Object({}) } }, () => {
    handled += 1;
    return {};
  });
  await listen();
  const { port } = app.server.address() as AddressInfo;
  const head =
    'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{';
  const answer = await drip(t, port, head);
  const [top, body = ''] = answer.split('\r\n\r\n');
  t.match(top, /^HTTP\/1\.1 408 /);
  t.match(top, /content-type: application\/problem\+json/i);
  t.match(top, /connection: close/i);
  const problem: unknown = JSON.parse(body);
  t.ok(problems.Check(problem), body);
  t.match(problem, { status: 408, code: 'REQUEST_TIMEOUT' });
  t.equal(handled, 0);
  // The short limits are the limits of this request, too.
  await until('others are served', async () => {
    const answer = await fetch(`http://localhost:${port}/healthz`).catch(() => undefined);
    return answer?.status === 200;
  });
});

t.test('headers that come too slowly end with 408', async (t) => {
  const { app, listen } = await httpShell(t, {}, { times: SHORT });
  await listen();
  const { port } = app.server.address() as AddressInfo;
  const answer = await drip(t, port, 'GET /healthz HTTP/1.1\r\nX-Slow: ');
  t.match(answer, /^HTTP\/1\.1 408 /);
  t.match(answer, /"code":"REQUEST_TIMEOUT"/);
});
