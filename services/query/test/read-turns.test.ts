/** Tests that reads of one organisation wait for each other, and those of another do not wait for them. */
import { connect, type AddressInfo, type Socket } from 'node:net';
import Fastify, { type FastifyReply } from 'fastify';
import t, { type Test } from 'tap';
import { type ReadLimits, takeReadTurns } from '../src/http/read-turns.ts';
import { eventually } from './world.ts';

/** Serves reads of the organisation `x-org`; those of `/slow` end when the test calls their function. */
function serving(t: Test, limits: ReadLimits) {
  const app = Fastify({ forceCloseConnections: true });
  t.teardown(() => app.close());
  const slow: (() => void)[] = [];
  const asked: FastifyReply[] = [];
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request, reply) => {
    const orgId = String(request.headers['x-org']);
    request.caller = { userId: 'u', orgId, email: 'u@example.org', role: 'REGULAR' } as typeof request.caller;
    asked.push(reply);
  });
  const turns = takeReadTurns(app, limits);
  app.get('/slow', () => new Promise((resolve) => slow.push(() => resolve('done'))));
  return { app, slow, asked, turns };
}

t.test('an organisation with slow reads leaves turns to others', async (t) => {
  const { app, slow, turns } = serving(t, { atOnce: 8, waiting: 10, waitMs: 50 });
  app.put('/slow', () => new Promise((resolve) => slow.push(() => resolve('done'))));
  app.get('/quick', async () => 'done');
  const call = (method: 'GET' | 'PUT', url: string, org: string) =>
    app.inject({ method, url, headers: { 'x-org': org } });

  const reads = Array.from({ length: 4 }, () => call('GET', '/slow', 'greedy'));
  while (slow.length < 4) await new Promise((resolve) => setImmediate(resolve));
  t.equal(turns.used, 4);
  t.equal((await call('GET', '/quick', 'greedy')).statusCode, 500, 'its next read waited in vain');
  t.equal((await call('GET', '/quick', 'modest')).body, 'done');
  const command = call('PUT', '/slow', 'greedy');
  while (slow.length < 5) await new Promise((resolve) => setImmediate(resolve));
  t.equal(turns.used, 4, 'a command takes no turn');
  for (const end of slow) end();
  await Promise.all([...reads, command]);
  t.equal(turns.used, 0);
  t.equal((await call('GET', '/quick', 'greedy')).body, 'done');
});

t.test(
  'a read whose client left keeps its turn until it ends, and one that waits does not begin',
  async (t) => {
    const { app, slow, asked, turns } = serving(t, { atOnce: 2, waiting: 10, waitMs: 60_000 });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const ask = async (): Promise<Socket> => {
      const before = asked.length;
      const socket = connect(port, '127.0.0.1');
      socket.write('GET /slow HTTP/1.1\r\nhost: x\r\nx-org: greedy\r\n\r\n');
      await eventually(async () => (asked.length > before ? true : undefined));
      return socket;
    };
    const first = await ask();
    await eventually(async () => (slow.length === 1 ? true : undefined));
    const second = await ask();
    for (const socket of [first, second]) socket.resetAndDestroy();
    await eventually(async () => (asked.every(({ raw }) => raw.closed) ? true : undefined));
    t.equal(turns.used, 1, 'the store still works on the first');
    slow[0]!();
    await eventually(async () => (turns.used === 0 ? true : undefined));
    const answered = app.inject({ url: '/slow', headers: { 'x-org': 'greedy' } });
    await eventually(async () => (slow.length > 1 ? true : undefined));
    slow[1]!();
    t.equal((await answered).body, 'done');
    t.equal(slow.length, 2, 'the second never began');
    t.equal(turns.used, 0);
  },
);
