/** Ports for programs that must know theirs before they listen. */
import { createServer, type AddressInfo, type Server } from 'node:net';
import t from 'tap';
import { freePort } from '../src/http/free-port.ts';

const HOST = '127.0.0.1';
/** First port that Linux gives to outgoing connections (net.ipv4.ip_local_port_range); others begin later. */
const FIRST_OUTGOING = 32_768;
const CALLS = 50;

const listening = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: HOST, port }, () => resolve(server));
  });

t.test('no outgoing connection can take the port before it is used', async (t) => {
  for (let call = 0; call < CALLS; call += 1) {
    const port = await freePort(HOST);
    if (port >= FIRST_OUTGOING || port <= 1_024) t.fail(`port ${port}`);
  }
  const port = await freePort(HOST);
  const server = await listening(port);
  t.equal((server.address() as AddressInfo).port, port, 'a server can listen on it');
  server.close();
});

t.test('a port that is in use is passed over', async (t) => {
  const taken = await freePort(HOST);
  const server = await listening(taken);
  const free = await freePort(HOST);
  const drawn = [taken, taken, free];
  t.equal(await freePort(HOST, () => drawn.shift()!), free);
  await t.rejects(
    freePort(HOST, () => taken),
    { code: 'EADDRINUSE' },
    'the search ends',
  );
  server.close();
});

t.test('a host that is not of this machine is an error at once', async (t) => {
  let draws = 0;
  const draw = (): number => ((draws += 1), 20_000);
  await t.rejects(freePort('203.0.113.1', draw), { code: 'EADDRNOTAVAIL' });
  t.equal(draws, 1);
});
