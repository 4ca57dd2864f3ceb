import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { clientConfig, clientContext } from '../src/kafka/client.ts';

t.test('a closed socket that is let go again and again gathers no listeners', async (t) => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { socketFactory } = clientConfig(clientContext({ brokers: [`127.0.0.1:${port}`] }));
  const socket = socketFactory!({
    host: '127.0.0.1',
    port,
    ssl: undefined as never,
    onConnect: () => undefined,
  });
  t.equal(socket.unref(), socket, 'before it stands it is let go as ever');
  socket.resume();
  await once(socket, 'close');
  const before = socket.listenerCount('connect');
  for (let tries = 0; tries < 20; tries++) t.equal(socket.unref(), socket);
  t.equal(socket.listenerCount('connect'), before);
});
