/** Tests that obstacles to looking show in the heartbeat, as an event and as a problem of the files. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { lockState } from '../src/io/state-lock.ts';
import { FILE_MS, fileId, hashOf, stage, until } from './agent-process.ts';

t.setTimeout(FILE_MS);

const NO_MOUNT = 'no file system may be mounted here';

/** Mounts a file system of `kib` KiB as the state folder. @returns false when mounting is not allowed here */
function mountState(t: Test, state: string, kib: number): boolean {
  mkdirSync(state);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', state]).status !== 0) return false;
  t.teardown(() => spawnSync('umount', ['-l', state]));
  return true;
}

/** Fills the file system. @returns the file that uses all the space */
function fillUp(state: string): string {
  const filler = join(state, 'filler');
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) fill(filler, size);
  return filler;
}

/** Starts an agent that reported its file once, with `kib` KiB of space for its state; undefined where mounting is not allowed. */
async function agentOnDisk(t: Test, kib: number) {
  const staged = await stage(t, {});
  if (!mountState(t, staged.state, kib)) return undefined;
  writeFileSync(staged.path('0.log'), 'one\n');
  const first = staged.start();
  await until('FIRST', () => staged.changes().includes('FIRST'));
  return { ...staged, first };
}

t.test('the lock of the state takes no room', async (t) => {
  const { state } = await stage(t, {});
  if (!mountState(t, state, 64)) return t.skip(NO_MOUNT, () => undefined);
  lockState(state)();
  fillUp(state);
  const unlock = lockState(state);
  t.throws(() => lockState(state), { code: 'STATE_IN_USE' });
  unlock();
});

t.test('an agent that starts on a full disk says so, and looks again when there is room', async (t) => {
  const found = await agentOnDisk(t, 1_024);
  if (found === undefined) return t.skip(NO_MOUNT, () => undefined);
  const { path, state, server, start, first } = found;
  await first.kill();
  const filler = fillUp(state);
  writeFileSync(path('0.log'), 'tampered\n');
  const agent = start();
  await until('the problem is told', () => server.heartbeats.at(-1)?.files[0]?.problem === 'SPOOL_FAILING');
  t.equal(agent.code(), undefined, 'it runs');
  t.equal(server.heartbeats.at(-1)?.files[0]?.checkedAt, null);
  rmSync(filler);
  await until('it is reported', () => server.reports.at(-1)?.versions.at(-1)?.hash === hashOf('tampered\n'));
});

t.test('a full disk: what is not kept is not checked, and counts again when there is room', async (t) => {
  const found = await agentOnDisk(t, 256);
  if (found === undefined) return t.skip(NO_MOUNT, () => undefined);
  const { path, state, server, changes, first: agent } = found;
  const filler = fillUp(state);
  writeFileSync(path('0.log'), 'tampered\n');
  await until('the problem is told', () => server.heartbeats.at(-1)?.files[0]?.problem === 'SPOOL_FAILING');
  t.match(server.events().at(-1), { code: 'SPOOL_FAILING', fileId: fileId(0), message: /ENOSPC/ });
  const checkedAt = Date.parse(server.heartbeats.at(-1)?.files[0]?.checkedAt ?? '');
  const beats = server.heartbeats.length;
  await until('the next heartbeat', () => server.heartbeats.length > beats);
  const later = Date.parse(server.heartbeats.at(-1)?.files[0]?.checkedAt ?? '');
  t.ok(Math.abs(later - checkedAt) < 1_000, 'a look whose result is not kept is no check');
  t.same(changes(), ['FIRST']);
  t.equal(agent.code(), undefined, 'the agent runs on');
  rmSync(filler);
  await until('it is reported', () => server.reports.at(-1)?.versions.at(-1)?.hash === hashOf('tampered\n'));
  await until('no problem any more', () => server.heartbeats.at(-1)?.files[0]?.problem === undefined);
});

t.test('a full disk that the server did not hear of is told after a restart with room', async (t) => {
  const found = await agentOnDisk(t, 256);
  if (found === undefined) return t.skip(NO_MOUNT, () => undefined);
  const { path, state, server, start, first } = found;
  server.down = 'gone';
  const filler = fillUp(state);
  writeFileSync(path('0.log'), 'tampered\n');
  await until('it is not kept', () => first.said().includes('the state folder cannot be written'));
  // The mark is written after the failed look is logged; a kill in between leaves nothing to tell.
  await until('it is remembered', () => readFileSync(join(state, 'failure'), 'utf8').includes('ENOSPC'));
  await first.kill();
  rmSync(filler);
  writeFileSync(path('0.log'), 'one\n');
  server.down = false;
  start();
  await until('told', () => server.events().some(({ code }) => /^SPOOL_FAIL/.test(code)));
  t.match(server.events().find(({ code }) => /^SPOOL_FAIL/.test(code))?.message, /ENOSPC/);
});

/** Appends `size` bytes until the file system is full. */
function fill(file: string, size: number): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(size));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

t.test('a state that cannot be opened: the files have a problem, until it can be', async (t) => {
  const { path, state, server, start, changes } = await stage(t, {}, {});
  mkdirSync(join(state, 'state-1.db'), { recursive: true });
  for (const name of ['0.log', '1.log']) writeFileSync(path(name), 'one\n');
  start();
  await until('the problem', () => server.heartbeats.at(-1)?.files[0]?.problem === 'SPOOL_FAILING');
  t.equal(server.heartbeats.at(-1)?.files[0]?.checkedAt, null);
  const told = server.events().find(({ code, fileId: id }) => code === 'SPOOL_FAILING' && id === fileId(1));
  t.match(told?.message, /cannot be written \(EACCES\)/);
  rmSync(join(state, 'state-1.db'), { recursive: true });
  for (const n of [0, 1]) await until('it is watched', () => changes(fileId(n)).includes('FIRST'));
});

t.test('a file that is looked at once a day is looked at again soon after its state failed', async (t) => {
  const { path, state, server, start, changes } = await stage(t, { type: 'PROBE', interval: 86_400 });
  mkdirSync(join(state, 'state-1.db'), { recursive: true });
  writeFileSync(path('0.log'), 'one\n');
  start();
  await until('the problem', () => server.heartbeats.at(-1)?.files[0]?.problem === 'SPOOL_FAILING');
  const beats = server.heartbeats.length;
  await until('it had its first look', () => server.heartbeats.length > beats);
  rmSync(join(state, 'state-1.db'), { recursive: true });
  await until('it is watched', () => changes().includes('FIRST'));
  await until('it has no problem', () => server.heartbeats.at(-1)?.files[0]?.problem === undefined);
});

t.test(
  'a state at which the process ends: after three such starts the agent goes on without it',
  async (t) => {
    const { path, state, server, start, changes } = await stage(t, {});
    writeFileSync(path('0.log'), 'one\n');
    const first = start();
    await until('FIRST', () => changes().includes('FIRST'));
    await first.kill();
    t.notOk(existsSync(join(state, 'opening')), 'a start that went well is over');
    const spoiled = join(state, 'state-1.db');
    const preload = new URL('preload-cut.js', import.meta.url).href;
    const env = { NODE_OPTIONS: `--import ${preload}`, SENTINEL_TEST_SPOILED: spoiled };
    for (let n = 0; n < 3; n += 1) t.equal(await start(env).ended, null, 'it is cut short');
    const version = { length: 4, hash: hashOf('one\n') };
    server.onRecord.set(fileId(0), { lastSequence: server.reports.at(-1)!.sequence, ...version });
    appendFileSync(path('0.log'), 'two\n');
    start(env);
    await until('told', () => server.events().some(({ code }) => code === 'STATE_BROKEN'));
    await until('from the record of the server', () => changes().at(-1) === 'APPENDED');
    t.ok(existsSync(join(state, 'broken-state-1.db')), 'kept to look at');
  },
);

t.test('--check finds a full disk, and a file that only seems readable', async (t) => {
  const { state, start, configuration, config } = await stage(t, { path: '/proc/version' });
  if (!mountState(t, state, 64)) return t.skip(NO_MOUNT, () => undefined);
  writeFileSync(config, JSON.stringify(configuration));
  fillUp(state);
  const check = start({}, state, ['--check']);
  t.equal(await check.ended, 1);
  t.match(check.printed(), /^wrong state folder .*: cannot be written \(ENOSPC\)/m);
  t.match(check.printed(), /^wrong file .*: the size of \/proc\/version does not say/m);
});

t.test('a file that cannot be read has a problem in the heartbeat', async (t) => {
  const { path, server, start, changes } = await stage(t, { path: '0.log' });
  // root can read everything, but nobody can read a link to itself
  spawnSync('ln', ['-s', '0.log', path('0.log')]);
  start();
  await until('ERROR', () => changes().includes('ERROR'));
  await until('told', () => server.heartbeats.some(({ files }) => files[0]?.problem === 'ELOOP'));
});

t.test('an agent that starts tells the problem that it had until it has looked', async (t) => {
  const { path, server, start, changes } = await stage(t, { path: '0.log' });
  spawnSync('ln', ['-s', '0.log', path('0.log')]);
  const first = start();
  await until('ERROR', () => changes().includes('ERROR'));
  await first.kill();
  const before = server.heartbeats.length;
  const preload = new URL('preload-stuck.js', import.meta.url).href;
  start({ NODE_OPTIONS: `--import ${preload}`, SENTINEL_TEST_STUCK: path('0.log') });
  await until('a heartbeat', () => server.heartbeats.length > before);
  matchList(t, server.heartbeats.at(before)?.files, [{ checkedAt: null, problem: 'ELOOP' }]);
});

t.test('a file with another path is not said to be checked before a look at that path ended', async (t) => {
  const { path, server, start, configuration } = await stage(t, { path: '0.log' });
  writeFileSync(path('0.log'), 'one\n');
  spawnSync('ln', ['-s', '0.log', path('moved.log')]);
  const preload = new URL('preload-stuck.js', import.meta.url).href;
  start({ NODE_OPTIONS: `--import ${preload}`, SENTINEL_TEST_STUCK: path('moved.log') });
  const checkedAt = () => server.heartbeats.at(-1)?.files[0]?.checkedAt;
  await until('FIRST', () => server.reports.length === 1);
  await until('the look is named', () => typeof checkedAt() === 'string');
  server.judge = () => 'OVERLOADED';
  appendFileSync(path('0.log'), 'two\n');
  await until('a report waits', () => server.bulks > 1);
  server.configuration = {
    ...configuration,
    files: configuration.files.map((file) => ({ ...file, path: 'moved.log' })),
  };
  server.configVersion = 2;
  await until('the new path', () => checkedAt() === null);
  server.judge = () => undefined;
  const from = server.heartbeats.length;
  await until('the next heartbeat', () => server.heartbeats.length > from);
  t.equal(checkedAt(), null);
  t.equal(server.reports.length, 1, 'a report of the earlier path waits for the look, too');
});

t.test('no file waits for links into a file system that hangs', async (t) => {
  const { path, server, start, changes } = await stage(t, {}, {}, {}, {}, {});
  const links = ['0.log', '1.log', '2.log', '3.log'].map(path);
  writeFileSync(path('4.log'), 'one\n');
  for (const link of links) spawnSync('ln', ['-s', '4.log', link]);
  const preload = new URL('preload-stuck.js', import.meta.url).href;
  start({ NODE_OPTIONS: `--import ${preload}`, SENTINEL_TEST_STUCK: links.join() });
  const plain = fileId(4);
  await until('FIRST', () => changes(plain).includes('FIRST'));
  appendFileSync(path('4.log'), 'two\n');
  await until('the change', () => changes(plain).length > 1);
  await until('a heartbeat', () => server.heartbeats.some(({ files }) => files[4]?.checkedAt !== null));
  t.ok(
    server.heartbeats.every(({ files }) => files.slice(0, 4).every(({ checkedAt }) => checkedAt === null)),
  );
});

t.test(
  'a report from before goes out only when the file was looked at again, or the server knows that it is not',
  async (t) => {
    const { path, server, start, changes } = await stage(t, { path: '0.log' });
    writeFileSync(path('0.log'), 'one\n');
    const first = start();
    await until('FIRST', () => changes().includes('FIRST'));
    server.down = 'gone';
    appendFileSync(path('0.log'), 'two\n');
    await until('it waits', () => first.said().includes('reports wait'));
    await first.kill();
    rmSync(path('0.log'));
    spawnSync('ln', ['-s', '0.log', path('0.log')]);
    server.down = false;
    const known: unknown[] = [];
    server.judge = () => void known.push(server.heartbeats.at(-1)?.files[0]?.problem);
    const from = server.heartbeats.length;
    start();
    await until('both', () => changes().includes('APPENDED') && changes().includes('ERROR'));
    t.strictSame([...new Set(known)], ['ELOOP']);
    t.ok(server.heartbeats.length > from);
  },
);
