import { connect } from 'node:net';
import t from 'tap';
import { withLock } from '../src/test-servers/cache.ts';
import { startKafka, startMongo, startOwnKafka, startOwnMongo } from '../src/test-servers/index.ts';

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

// The first start on a machine downloads.
t.setTimeout(300_000);

const portOf = (address: string) => Number(/:(\d+)/.exec(address.replace('mongodb:', ''))![1]);

t.test('two tests share one server', async (t) => {
  for (const start of [startKafka, startMongo]) {
    const [one, two] = await Promise.all([start(t), start(t)]);
    if (one === undefined || two === undefined) continue;
    t.equal(one.address, two.address);
    await one.stop();
    t.ok(await accepts(portOf(two.address)), 'it stays as long as one of them uses it');
  }
});

t.test('a server of one test can be killed and comes back at the same address', async (t) => {
  for (const start of [startOwnKafka, startOwnMongo]) {
    const server = await start(t);
    if (server === undefined) continue;
    const port = portOf(server.address);
    t.ok(await accepts(port));
    await server.kill();
    t.notOk(await accepts(port), 'gone');
    await server.restart();
    t.ok(await accepts(port), 'back');
    t.equal(portOf(server.proxied), server.proxy.port);
    await server.stop();
    t.notOk(await accepts(port), 'nothing is left behind');
  }
});

t.test('one holder of a lock at a time', async (t) => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock('test-lock', work)));
  t.equal(most, 1);
});
