import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { createMetrics } from '@sentinel-node/platform';
import { shareConnections } from '../src/http/connection-shares.ts';

async function listening(t: Test, isBehindProxies: boolean) {
  const server = createServer();
  const metrics = createMetrics('test', { processMetrics: false });
  shareConnections(server, metrics, isBehindProxies, 8);
  // An admitted connection gets a greeting, so that a test need not wait for silence.
  server.on('connection', (socket: Socket) => void (socket.destroyed || socket.write('.')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = new Set<Socket>();
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    /** Returns undefined when the connection is closed at once. */
    visit: async (localAddress: string): Promise<Socket | undefined> => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      open.add(socket);
      socket.on('error', () => undefined);
      const isIn = await Promise.race([
        once(socket, 'data').then(() => true),
        once(socket, 'close').then(() => false),
      ]);
      return isIn ? socket : undefined;
    },
    used: async () => Number(/^sentinel_pool_used\{.*\} (\d+)$/m.exec(await metrics.text())![1]),
  };
}

t.test('one address takes no more connections than are free, others come in', async (t) => {
  const { visit, used } = await listening(t, false);
  const first = await visit('127.0.0.1');
  for (let more = 0; more < 3; more += 1) t.ok(await visit('127.0.0.1'));
  t.notOk(await visit('127.0.0.1'), 'as many as are free');
  t.ok(await visit('127.0.0.2'));
  t.ok(await visit('127.0.0.2'));
  t.notOk(await visit('127.0.0.2'));
  t.ok(await visit('127.0.0.3'));
  t.equal(await used(), 7);
  const closed = once(first!, 'close');
  first!.destroy();
  await closed;
  while ((await used()) > 6) await new Promise(setImmediate);
  t.ok(await visit('127.0.0.4'), 'what was closed is free again');
});

t.test('behind trusted proxies only the limit of the process holds', async (t) => {
  const { visit } = await listening(t, true);
  for (let count = 0; count < 7; count += 1) t.ok(await visit('127.0.0.1'));
  t.notOk(await visit('127.0.0.1'));
});
