/** Signals that come while `sentinel agent` loads, starts or reads its configurations again, and to runs that end by themselves. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Agents } from '../src/operate/agents.ts';
import {
  FILE_MS,
  HANGING_TIMES,
  hangingLook,
  sentinel,
  SENTINEL,
  setUp,
  until,
  UUID,
} from './operate-stage.ts';

t.setTimeout(FILE_MS);

const at = (place: 'hostname' | 'setPriority', signal: NodeJS.Signals): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${new URL('preload-signal.js', import.meta.url).href}`,
  SENTINEL_TEST_AT: place,
  SENTINEL_TEST_SIGNAL: signal,
});
const IGNORED = /warn SIGHUP is ignored: only a running agent reads its configurations again\n/;

t.test('an agent goes on after a SIGHUP that comes before its start', async (t) => {
  const { server, configuration, put, state } = await setUp(t);
  const file = await put('a.json', configuration(0, []));
  const { child, ended } = sentinel(t, ['--config', file, '--state', state], at('setPriority', 'SIGHUP'));
  await Promise.race([ended, until('the first heartbeat', () => server.heartbeats.length > 0)]);
  child.kill('SIGTERM');
  t.match(await ended, { code: 0, stderr: /read the configurations again; 1 in use/ });
});

t.test('configurations that are read again during the start start no device twice', async (t) => {
  const { configurations, configuration, put, state } = await setUp(t);
  for (const [n, name] of ['a.json', 'b.json'].entries()) await put(name, configuration(n, []));
  const agents = new Agents({
    ...{ config: [configurations], stateDir: state, logFormat: 'text', metricsFile: undefined, fetch },
  });
  await Promise.all([agents.start(), agents.reload()]);
  t.same(agents.notWatched, []);
  t.same(
    agents.statuses.map(({ device }) => device),
    [`${UUID}10`, `${UUID}11`],
  );
  await agents.stop();
});

t.test('no device is started by a SIGHUP after a start that failed', async (t) => {
  const { configurations, configuration, put, state } = await setUp(t);
  const agents = new Agents({
    ...{ config: [configurations], stateDir: state, logFormat: 'text', metricsFile: undefined, fetch },
  });
  await t.rejects(agents.start(), /there is no configuration/);
  await put('a.json', configuration(0, []));
  await agents.reload();
  t.same(agents.statuses, []);
  await agents.stop();
  t.notOk(existsSync(state));
});

t.test(
  'a stop waits for no call of configurations that are read again, which all begin at once',
  async (t) => {
    const { configurations, configuration, put, state } = await setUp(t);
    for (const [n, name] of ['a.json', 'b.json'].entries()) await put(name, configuration(n, []));
    let isHanging = false;
    let asked = 0;
    const ends: unknown[] = [];
    const hangingFetch: typeof fetch = (url, init) => {
      const { signal } = init ?? {};
      if (!isHanging || !String(url).includes('/devices/config/')) return fetch(url, init);
      asked += 1;
      return new Promise((_, reject) =>
        signal?.addEventListener('abort', () => {
          ends.push((signal.reason as Error).name);
          reject(signal.reason as Error);
        }),
      );
    };
    const agents = new Agents({
      ...{ config: [configurations], stateDir: state, logFormat: 'text', metricsFile: undefined },
      fetch: hangingFetch,
    });
    await agents.start();
    await until('both are answered', () => agents.statuses.every((one) => one.lastHeartbeatAt !== null));
    isHanging = true;
    const reloaded = agents.reload();
    await until('the calls hang', () => asked === 2);
    await agents.stop();
    await reloaded;
    t.same(ends, ['AbortError', 'AbortError'], 'not those of calls that took too long');
  },
);

t.test('one status that cannot be written stops neither that of others nor the metrics', async (t) => {
  const { configurations, configuration, folder, put, state } = await setUp(t);
  for (const [n, name] of ['a.json', 'b.json'].entries()) await put(name, configuration(n, []));
  const metricsFile = join(folder, 'agent.prom');
  const statusOf = (device: number): string => join(state, `${UUID}${device}`, 'status.json');
  mkdirSync(statusOf(10), { recursive: true });
  const agents = new Agents({
    ...{ config: [configurations], stateDir: state, logFormat: 'text', metricsFile, fetch },
  });
  await agents.start();
  await agents.stop();
  t.match(JSON.parse(readFileSync(statusOf(11), 'utf8')), { device: `${UUID}11` });
  t.match(readFileSync(metricsFile, 'utf8'), `device="${UUID}11"`);
  t.notOk(existsSync(`${statusOf(10)}.part`), 'nothing is left of it');
});

t.test('a SIGTERM that comes before the start ends the agent in order', async (t) => {
  const { configuration, put, state } = await setUp(t);
  const file = await put('a.json', configuration(0, []));
  const args = ['--config', file, '--state', state];
  t.match(await sentinel(t, args, at('setPriority', 'SIGTERM')).ended, {
    code: 0,
    stderr: /info stopping\n/,
  });
});

t.test('SIGHUP ends no run that ends by itself; SIGTERM ends one without an orderly end', async (t) => {
  const { folder, server, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  const file = await put('a.json', configuration(0, ['a.log']));
  const args = ['--config', file, '--state', state];
  for (const mode of ['--once', '--check', '--dry-run'])
    t.match(
      await sentinel(t, [...args, mode], at('setPriority', 'SIGHUP')).ended,
      { code: 0, stderr: IGNORED },
      mode,
    );
  const { child } = sentinel(t, [...args, '--check'], at('setPriority', 'SIGTERM'));
  t.same(await once(child, 'exit'), [null, 'SIGTERM']);

  const address = server.address.replace('/api/v1', '');
  const enrol = ['enrol', '--server', address, '--token', 'enr1.x', '--config', join(folder, 'new.json')];
  const enrolling = await sentinel(t, [...enrol, '--no-start', '--timeout', '1'], at('hostname', 'SIGHUP'))
    .ended;
  t.equal(enrolling.code, 1, 'the token is refused');
  t.match(enrolling.stderr, IGNORED);
});

/** Runs a program as the first process of a container is run: no signal of its own ends it that it does not take. */
const AS_FIRST = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const canUnshare = spawnSync('unshare', [...AS_FIRST, 'true']).status === 0;

t.test(
  'a run ends as the first process of a container too, although a look hangs in the system',
  { skip: canUnshare ? false : 'there is no unshare, or no right to it' },
  async (t) => {
    const { args, env, hangs } = await hangingLook(t);
    // On a busy machine the time can be over before the look begins.
    for (const seconds of HANGING_TIMES) {
      const child = spawn('unshare', [...AS_FIRST, process.execPath, SENTINEL, 'agent', ...args, seconds], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, ...env },
      });
      t.teardown(() => child.kill('SIGKILL'));
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
      const ended = once(child, 'exit');
      let isOver = false;
      void ended.then(() => (isOver = true));
      await until('the end', () => isOver);
      if (!hangs() && seconds !== HANGING_TIMES.at(-1)) continue;
      t.not((await ended)[0], 0);
      t.match(said, /a look has not ended: the process ends itself by force/);
      break;
    }
  },
);
