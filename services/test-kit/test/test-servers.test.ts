import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { cacheFolder, giveUp, tryHold, withLock } from '../src/test-servers/cache.ts';
import {
  freePorts,
  startKafka,
  startMongo,
  startOwnKafka,
  startOwnMongo,
} from '../src/test-servers/index.ts';

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

// The first start on a machine downloads.
t.setTimeout(900_000);

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

const PORTS = new URL('../src/test-servers/ports.js', import.meta.url).href;
/** A program that reserves as many ports, prints them, and stays until its input ends. */
const RESERVING = `const { freePorts } = await import('${PORTS}');
  console.log((await freePorts(Number(process.argv[1]))).join());
  process.stdin.resume();`;

t.test('no process gets a port that another one has, until that one has ended', async (t) => {
  const mine = await freePorts(20);
  t.equal(new Set(mine).size, 20);
  t.ok(
    mine.every((port) => port >= 10_000 && port < 20_000),
    'the product draws others for itself',
  );
  const taken = (port: number): boolean => !tryHold(join(cacheFolder('ports'), String(port)));
  t.ok(mine.every(taken));
  const other = spawn(process.execPath, ['--input-type=module', '-e', RESERVING, '2'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => other.kill('SIGKILL'));
  const [said] = (await once(other.stdout, 'data')) as [Buffer];
  const theirs = said.toString().trim().split(',').map(Number);
  t.equal(theirs.length, 2);
  t.ok(theirs.every(taken), 'nobody listens on them, and they are taken');
  const ended = once(other, 'exit');
  other.kill('SIGKILL');
  await ended;
  for (const port of theirs) {
    t.ok(taken(port), 'the first look finds that the holder is dead');
    t.notOk(taken(port), 'the next one gets the port');
    giveUp(join(cacheFolder('ports'), String(port)));
  }
});

t.test('a process that got the id of a dead holder holds nothing', async (t) => {
  const file = join(t.testdir(), 'held');
  const hasStart = spawnSync('test', ['-e', '/proc/self/stat']).status === 0;
  if (!hasStart) return t.skip('this platform does not tell when a process started', () => undefined);
  writeFileSync(file, `${process.pid} 1`);
  t.notOk(tryHold(file));
  t.ok(tryHold(file), 'the holder started at another time');
  t.notOk(tryHold(file), 'this process has it');
  writeFileSync(file, String(process.pid));
  t.notOk(tryHold(file));
  t.notOk(tryHold(file), 'a holder that does not tell its start is taken by its id');
});
