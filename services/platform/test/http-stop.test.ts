import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import t from 'tap';
import { gate } from '@sentinel-node/test-kit/contract-suites';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { httpShell } from './http-harness.ts';

/** @param agent default: a connection of its own */
function fetchText(
  url: URL,
  agent: Agent | false = false,
): Promise<{ status: number; text: string; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', reject);
      const { statusCode: status = 0, headers } = response;
      response.on('end', () => resolve({ status, text, connection: headers.connection }));
    }).on('error', reject);
  });
}

t.test('probes tell what is not ready', async (t) => {
  let missing: string[] = ['event log', 'projector'];
  const { app } = await httpShell(t, {}, { notReady: () => missing });
  t.equal((await app.inject('/healthz')).statusCode, 200);
  const answer = await app.inject('/readyz');
  t.equal(answer.statusCode, 503);
  matchWhole(t, answer.json(), {
    code: 'UNAVAILABLE',
    errors: [{ path: 'event log' }, { path: 'projector' }],
  });
  missing = [];
  t.strictSame((await app.inject('/readyz')).json(), { status: 'ready' });
});

t.test('metrics count answers by route pattern, not by URL', async (t) => {
  const { app } = await httpShell(t);
  app.get('/devices/:id', () => 'OK');
  for (let i = 0; i < 5; i++) await app.inject(`/devices/${i}`);
  await app.inject('/made/up/path');
  const { body, headers } = await app.inject('/metrics');
  t.match(headers['content-type'], /^text\/plain/);
  t.match(body, /_count\{service="test",method="GET",route="\/devices\/:id",status="2xx"\} 5/);
  t.match(body, /_count\{service="test",method="GET",route="none",status="4xx"\} 1/);
  t.notMatch(body, /made\/up/);
});

t.test('an answer under way is finished, streams are ended, nothing new is taken', async (t) => {
  const { app, listen, stop, onStopping } = await httpShell(t);
  const [slowArrived, streamArrived] = [gate(), gate()];
  let finish: () => void = () => undefined;
  const release = new Promise<void>((resolve) => (finish = resolve));
  app.get('/slow', async () => {
    slowArrived.open();
    await release;
    return 'finished';
  });
  app.get('/stream', (_, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: ready\n\n');
    onStopping(() => void reply.raw.end('event: resync\n\n'));
    streamArrived.open();
  });
  const url = await listen();
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const slow = fetchText(new URL('/slow', url), agent);
  const stream = fetchText(new URL('/stream', url));
  await Promise.all([slowArrived.opened, streamArrived.opened]);

  const stopped = stop();
  t.equal(stop(), stopped, 'stopping twice is stopping once');
  t.match(await stream, { text: 'event: ready\n\nevent: resync\n\n' });
  finish();
  t.match(await slow, { status: 200, text: 'finished', connection: 'close' });
  await stopped;
  await t.rejects(fetchText(new URL('/slow', url)), { code: 'ECONNREFUSED' });
});

t.test('an idle connection and a failing hook do not hold the stop up', async (t) => {
  const { app, listen, stop, onStopping, lines } = await httpShell(t);
  let cuts = 0;
  app.server.closeAllConnections = () => void cuts++;
  const port = Number(new URL(await listen()).port);
  const idle = connect(port, '127.0.0.1');
  await new Promise((resolve) => idle.once('connect', resolve));
  const closed = new Promise((resolve) => idle.once('close', resolve));
  onStopping(() => Promise.reject(new Error('broken stream')));
  onStopping(() => new Promise<void>(() => undefined));
  await stop();
  idle.resume();
  await closed;
  t.equal(cuts, 0, 'no connection was waited for');
  t.match(lines.join(''), /broken stream/);
});

t.test('readiness falls as soon as stopping begins', async (t) => {
  const { listen, stop, onStopping } = await httpShell(t);
  const url = await listen();
  let during: { status: number; text: string } | undefined;
  onStopping(async () => {
    during = await fetchText(new URL('/readyz', url));
  });
  await stop();
  t.equal(during?.status, 503);
  matchWhole(t, JSON.parse(during?.text ?? '{}'), { errors: [{ path: 'stopping' }] });
});

t.test('a port in use is told by the system’s code', async (t) => {
  const first = await httpShell(t);
  const port = new URL(await first.listen()).port;
  const second = await httpShell(t, { SENTINEL_PORT: port });
  await t.rejects(second.listen(), { code: 'EADDRINUSE' });
});
