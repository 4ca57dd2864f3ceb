/** Tests that reads of one organisation wait for each other, and those of another do not wait for them. */
import Fastify from 'fastify';
import t from 'tap';
import { takeReadTurns } from '../src/http/read-turns.ts';

t.test('an organisation with slow reads leaves turns to others', async (t) => {
  const app = Fastify();
  t.teardown(() => app.close());
  const slow: (() => void)[] = [];
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const orgId = String(request.headers['x-org']);
    request.caller = { userId: 'u', orgId, email: 'u@example.org', role: 'REGULAR' } as typeof request.caller;
  });
  const turns = takeReadTurns(app, { atOnce: 8, waiting: 10, waitMs: 50 });
  app.get('/slow', () => new Promise((resolve) => slow.push(() => resolve('done'))));
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
