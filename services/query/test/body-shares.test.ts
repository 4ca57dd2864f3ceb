import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import fastify, { type FastifyReply } from 'fastify';
import t, { type Test } from 'tap';
import { apiErrorOf, problemOf } from '@sentinel-node/platform';
import { shareBodies } from '../src/http/body-shares.ts';
import { eventually } from './world.ts';

/** Serves calls that name their caller `organisation/person`, and that wait until the test releases them. */
async function serving(t: Test, bytes: number, bytesPerMember: number) {
  const app = fastify({ bodyLimit: 400 });
  app.setErrorHandler((error, _, reply) => {
    const known = apiErrorOf(error);
    return reply.code(known.status).send(problemOf(known, ''));
  });
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const [orgId, userId] = String(request.headers['x-caller'] ?? '').split('/');
    if (userId !== undefined) request.caller = { orgId: orgId!, userId, name: '', email: '', role: 'ADMIN' };
  });
  const asked: FastifyReply[] = [];
  const held: (() => void)[] = [];
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['x-hold'] === undefined) return;
    asked.push(reply);
    await new Promise<void>((resolve) => held.push(resolve));
  });
  const pool = shareBodies(app, { bytes, bytesPerMember });
  let parsed = 0;
  app.addHook('preParsing', async () => void (parsed += 1));
  const waiting: (() => void)[] = [];
  app.post('/', async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return {};
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.teardown(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return {
    port,
    /** The answers to calls with `x-hold`, which wait before their body is counted until `goOn` is called. */
    asked,
    goOn: () => held.splice(0).forEach((go) => go()),
    /** Number of calls whose body was counted. */
    parsed: () => parsed,
    used: () => pool.used,
    finish: () => waiting.splice(0).forEach((end) => end()),
    usedIs: (wanted: number) => eventually(async () => (pool.used === wanted ? true : undefined)),
    call: async (caller: string, length: number) =>
      fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-caller': caller },
        body: JSON.stringify('x'.repeat(length - 2)),
      }),
  };
}

t.test('no organisation, and no person, holds the room for bodies of the others', async (t) => {
  const { call, finish, usedIs } = await serving(t, 800, 300);
  const first = call('a/ada', 300);
  await usedIs(300);
  t.equal((await call('a/ada', 10)).status, 503, 'the person has its share');
  const second = call('a/bob', 100);
  await usedIs(400);
  const refused = await call('a/cy', 10);
  t.equal(refused.status, 503, 'the organisation has as much as is free');
  t.match(await refused.json(), { code: 'OVERLOADED' });
  const other = call('b/dora', 200);
  await usedIs(600);
  finish();
  for (const answer of [first, second, other]) t.equal((await answer).status, 200);
  await usedIs(0);
});

t.test('a body that is announced and does not come gives its room back with its connection', async (t) => {
  const { port, call, finish, usedIs } = await serving(t, 800, 400);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 400\r\n\r\n"',
  );
  await usedIs(400);
  t.equal((await call('', 10)).status, 503, 'callers without a name share by address');
  socket.destroy();
  await usedIs(0);
  const next = call('', 10);
  await usedIs(10);
  finish();
  t.equal((await next).status, 200);
  t.equal((await call('a/ada', 401)).status, 413, 'what is too large takes the limit of the route only');
  await usedIs(0);
});

t.test('a client that left before its body was counted takes no room', async (t) => {
  const { port, asked, goOn, parsed, used } = await serving(t, 800, 400);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    'POST / HTTP/1.1\r\nhost: x\r\nx-hold: 1\r\ncontent-type: application/json\r\ncontent-length: 400\r\n\r\n"',
  );
  await eventually(async () => (asked.length === 1 ? true : undefined));
  socket.resetAndDestroy();
  await eventually(async () => (asked[0]!.raw.closed ? true : undefined));
  goOn();
  await eventually(async () => (parsed() === 1 ? true : undefined));
  t.equal(used(), 0);
});

t.test('a body without a length takes as much as the route reads', async (t) => {
  const { port, usedIs } = await serving(t, 800, 400);
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n"\r\n',
  );
  await usedIs(400);
});
