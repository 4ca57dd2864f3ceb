/** Tests `sentinel agent` as an operator uses it, with real processes against a recording server. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { isSettled, type AgentStatus, type WrittenStatus } from '../src/status.ts';
import { metricsText } from '../src/operate/textfile.ts';
import { faultsOf, readStatuses, statusText } from '../src/operate/status-command.ts';
import {
  FILE_MS,
  HANGING_TIMES,
  hangingLook,
  hashOf,
  openProxy,
  sentinel,
  setUp,
  until,
  UUID,
} from './operate-stage.ts';

t.setTimeout(FILE_MS);

t.test('a file with a long interval is looked at as soon as the server has answered', async (t) => {
  const { folder, server, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  const file = await put('a.json', configuration(0, ['a.log'], 86_400));
  const { child, ended } = sentinel(t, ['--config', file, '--state', state]);
  await until('the first report', () => server.reports.length === 1);
  matchWhole(t, server.reports[0], { change: 'FIRST', versions: [{ length: 4, hash: hashOf('one\n') }] });
  child.kill('SIGTERM');
  t.equal((await ended).code, 0);
});

t.test('--check names everything that is wrong and starts nothing', async (t) => {
  const { folder, server, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'good.log'), 'one\n');
  await mkdir(join(folder, 'folder.log'));
  const file = await put('a.json', configuration(0, ['good.log']));
  const check = (...args: string[]) =>
    sentinel(t, ['--config', file, '--state', state, '--check', ...args]).ended;
  const good = await check();
  t.equal(good.code, 0, good.stderr);
  t.match(good.stdout, /^ok {4}state folder .*: can be written$/m);
  t.match(good.stdout, /^ok {4}file .*good\.log: can be read, 4 bytes$/m);
  t.match(good.stdout, /^ok {4}server .*: takes the key; its configuration names 1 files$/m);
  t.match(good.stdout, /^ok {4}clock: -?\d+\.\d s from the server's$/m);
  t.same([server.reports, server.heartbeats], [[], []], 'nobody was told');

  server.configurations.set(`${UUID}10`, configuration(0, ['good.log', 'newer.log']));
  const outdated = await check();
  t.equal(outdated.code, 1, 'a started agent takes the newer configuration');
  t.match(outdated.stdout, /^wrong file .*newer\.log: there is no such file/m);

  await put('a.json', configuration(0, ['good.log', 'none.log', 'folder.log']));
  server.keys = ['another'];
  const bad = await check('--json');
  t.equal(bad.code, 1);
  const { ok, checks } = JSON.parse(bad.stdout) as {
    ok: boolean;
    checks: { what: string; result: string; found: string }[];
  };
  t.equal(ok, false);
  const wrong = checks.filter(({ result }) => result === 'wrong').map(({ found }) => found);
  t.equal(wrong.length, 3);
  t.match(wrong[0], /no such file/);
  t.match(wrong[1], /is a folder: only regular files/);
  t.match(wrong[2], /refuses the key of this device: download/);
  server.down = 'gone';
  t.match((await check()).stdout, /^wrong server .*: cannot be reached \(/m);
});

t.test('--check says which --read-rate the files need', async (t) => {
  const { folder, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'a.log'), Buffer.alloc(6 * 1_048_576));
  await writeFile(join(folder, 'large.log'), '');
  await truncate(join(folder, 'large.log'), 120 * 1_048_576);
  const file = await put('a.json', configuration(0, ['a.log']));
  const check = async (rate: string) =>
    await sentinel(t, ['--config', file, '--state', state, '--check', '--read-rate', rate]).ended;
  t.match(await check('0.01'), {
    code: 0,
    stdout: /^ok {4}--read-rate: files are read every 10 minutes, which needs 0\.01 MiB a second$/m,
  });
  const slow = /^wrong --read-rate: .* needs 0\.01 MiB a second: looks would be late \(LOOK_LATE\)$/m;
  t.match(await check('0.009'), { code: 1, stdout: slow });
  await put('a.json', configuration(0, ['large.log']));
  t.match(await check('0.19'), { code: 1, stdout: /needs 0\.20 MiB/ });
  t.match(await check('0.2'), { code: 0 }, 'all threads share the rate');
});

t.test('--check finds what the user of the agent may not open', async (t) => {
  // Permissions take no effect for root.
  const uid = process.getuid?.() === 0 ? 65_534 : undefined;
  const { folder, configuration, put, state } = await setUp(t);
  const device = configuration(0, ['a.log']);
  const archives = { rolled: true, rolledfilenameregexp: String.raw`a\.log\.\d` };
  const files = device.files.map((file) => ({ ...file, ...archives }));
  const file = await put('a.json', { ...device, files });
  for (const name of ['a.log', 'a.log.1']) await writeFile(join(folder, name), name);
  const args = ['--config', file, '--state', state];
  t.equal((await sentinel(t, [...args, '--once']).ended).code, 0);
  await chmod(folder, 0o755);
  await chmod(state, 0o777);
  const check = async () => await sentinel(t, [...args, '--check'], {}, 'agent', uid).ended;
  const names = await readdir(state);
  for (const name of names) await chmod(join(state, name), 0o666);
  t.match((await check()).code, 0);

  await chmod(join(folder, 'a.log.1'), 0);
  for (const name of ['state-1.db', 'lock.db']) {
    await chmod(join(state, name), 0);
    const { code, stdout } = await check();
    t.equal(code, 1);
    t.match(
      stdout,
      new RegExp(`^wrong state folder .*: its file ${name} cannot be read and written \\(EACCES\\)`, 'm'),
    );
    t.match(stdout, /^wrong file .*a\.log: its archive a\.log\.1 cannot be read \(EACCES\)/m);
    await chmod(join(state, name), 0o666);
  }
});

t.test('--check finds archives that the agent cannot decompress', async (t) => {
  const { folder, configuration, put, state } = await setUp(t);
  const device = configuration(0, ['a.log']);
  const archives = { rolled: true, rolledfilenameregexp: String.raw`a\.log\.\d` };
  const file = await put('a.json', {
    ...device,
    files: device.files.map((one) => ({ ...one, ...archives })),
  });
  await writeFile(join(folder, 'a.log'), 'one\n');
  const check = async (env = {}) =>
    await sentinel(t, ['--config', file, '--state', state, '--check'], env).ended;
  const whole = gzipSync('one\n'.repeat(1_000));
  await writeFile(join(folder, 'a.log.1'), whole);
  t.match(await check(), { code: 0 });
  await writeFile(join(folder, 'a.log.1'), whole.subarray(0, 15));
  t.match(await check(), { code: 0 }, 'it may still be written');
  await writeFile(join(folder, 'a.log.1'), Buffer.from('1f8b08ff00000000', 'hex'));
  t.match(await check(), {
    code: 1,
    stdout: /^wrong file .*a\.log: its archive a\.log\.1 cannot be read \(/m,
  });
  await writeFile(join(folder, 'a.log.1'), Buffer.from('fd377a585a000004e6d6b446', 'hex'));
  t.match(await check({ PATH: join(folder, 'no-programs') }), {
    code: 1,
    stdout: /^wrong file .*its archive a\.log\.1 cannot be read \(the program xz is not installed\)/m,
  });
});

t.test('--dry-run reads every file and tells nobody', async (t) => {
  const { folder, server, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  const file = await put('a.json', configuration(0, ['a.log', 'none.log']));
  const { code, stdout } = await sentinel(t, ['--config', file, '--state', state, '--dry-run']).ended;
  t.equal(code, 4, 'a file could not be looked at');
  const path = join(folder, 'a.log');
  t.equal(
    stdout,
    `${hashOf('one\n')}  ${path}  4 bytes\nnot watched: ${join(folder, 'none.log')}: there is no such file\n`,
  );
  t.same(server.calls, []);
  const json = await sentinel(t, ['--config', file, '--dry-run', '--json']).ended;
  matchWhole(t, JSON.parse(json.stdout), { files: [{ path, length: 4, problem: null }, { hash: null }] });
});

t.test('--check and --dry-run go on past a file whose file system hangs', async (t) => {
  const { folder, configuration, put, state } = await setUp(t);
  const stuck = join(folder, 'a.log');
  await writeFile(join(folder, 'b.log'), 'one\n');
  await symlink('b.log', stuck);
  const file = await put('a.json', configuration(0, ['a.log', 'b.log']));
  const preload = new URL('preload-stuck.js', import.meta.url).href;
  const env = { NODE_OPTIONS: `--import ${preload}`, SENTINEL_TEST_STUCK: stuck };
  const run = (...args: string[]) => sentinel(t, ['--config', file, '--state', state, ...args], env).ended;
  const check = await run('--check');
  t.equal(check.code, 1);
  t.match(
    check.stdout,
    /^wrong file .*a\.log: cannot be read \(no answer in 10 s: its file system hangs\)$/m,
  );
  t.match(check.stdout, /^ok {4}file .*b\.log: can be read, 4 bytes$/m);
  const dry = await run('--dry-run', '--timeout', '1');
  t.equal(dry.code, 4);
  t.equal(
    dry.stdout,
    `not watched: ${stuck}: the time of --timeout is over\n${hashOf('one\n')}  ${join(folder, 'b.log')}  4 bytes\n`,
  );
});

t.test('--dry-run ends, and has told the other files, when a thread hangs in the system', async (t) => {
  const { folder, configuration, put } = await setUp(t);
  const [hanging, fifo] = [join(folder, 'a.log'), join(folder, 'fifo')];
  await writeFile(join(folder, 'b.log'), 'one\n');
  await symlink('b.log', hanging);
  execFileSync('mkfifo', [fifo]);
  const file = await put('a.json', configuration(0, ['b.log', 'a.log']));
  const preload = new URL('preload-hang.js', import.meta.url).href;
  const env = { NODE_OPTIONS: `--import ${preload}`, SENTINEL_TEST_HANG: hanging, SENTINEL_TEST_FIFO: fifo };
  const { code, stdout, stderr } = await sentinel(t, ['--config', file, '--dry-run', '--timeout', '1'], env)
    .ended;
  t.equal(code, null, stderr);
  t.match(stdout, /b\.log {2}4 bytes\nnot watched: .*a\.log: the time of --timeout is over\n$/);
});

t.test('--once looks at every file, sends everything and ends', async (t) => {
  const { folder, server, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  await writeFile(join(folder, 'b.log'), 'two\n');
  const file = await put('a.json', configuration(0, ['a.log', 'b.log']));
  const once = (...args: string[]) =>
    sentinel(t, ['--config', file, '--state', state, '--once', ...args]).ended;
  const first = await once();
  t.equal(first.code, 0, first.stderr);
  t.same(
    server.reports.map(({ change }) => change),
    ['FIRST', 'FIRST'],
  );
  const told = server.heartbeats.at(-1)!;
  t.ok(
    told.files.every(({ checkedAt }) => checkedAt !== null),
    'the server knows of the looks',
  );

  await writeFile(join(folder, 'a.log'), 'other\n');
  t.equal((await once()).code, 0);
  const replaced = server.reports.filter(({ change }) => change === 'REPLACED');
  matchList(t, replaced, [{ fileId: configuration(0, ['a.log']).files[0]!.id }]);

  const count = server.reports.length;
  await writeFile(join(folder, 'a.log'), 'third\n');
  server.down = true;
  t.equal((await once('--timeout', '10', '--nice', '0')).code, 5, 'not everything was taken');
  server.down = false;
  t.equal((await once()).code, 0);
  t.ok(server.reports.length > count, 'what waited was sent the next time');

  await writeFile(join(folder, 'a.log'), 'fourth\n');
  server.judge = () => 'VALIDATION_FAILED';
  t.equal((await once('--timeout', '10')).code, 5, 'the server refused a report for good');
  server.judge = () => undefined;
  t.equal((await once()).code, 0);

  await rm(join(folder, 'b.log'));
  await mkdir(join(folder, 'b.log'));
  await rm(join(folder, 'a.log'));
  await put('a.json', { ...configuration(0, ['x'.repeat(300)]) });
  server.configVersion += 1;
  t.equal((await once('--timeout', '20')).code, 4, 'a file could not be looked at');
});

t.test('--once and --dry-run wait until archives are compared', async (t) => {
  const { folder, server, configuration, put, state } = await setUp(t);
  const device = configuration(0, ['a.log']);
  const files = device.files.map((file) => ({
    ...file,
    rolled: true,
    rolledfilenameregexp: String.raw`a\.log\.\d+`,
  }));
  const file = await put('a.json', { ...device, files });
  for (const name of ['a.log.2', 'a.log.1', 'a.log']) await writeFile(join(folder, name), name);
  const run = (mode: string) => sentinel(t, ['--config', file, '--state', state, mode]).ended;
  t.equal((await run('--dry-run')).code, 0);
  t.equal((await run('--once')).code, 0);
  await writeFile(join(folder, 'a.log.2'), 'changed');
  t.equal((await run('--once')).code, 0);
  const changes = server.reports.map(({ change }) => change);
  t.same(
    changes.filter((change) => change !== 'UNCHANGED'),
    ['FIRST', 'ARCHIVE_CHANGED'],
  );
  await writeFile(join(folder, 'a.log.3'), Buffer.from('1f8b08ff00000000', 'hex')); // begins as gzip does
  const dry = await run('--dry-run');
  t.match(dry, { code: 4, stdout: /^archives not checked: .*a\.log: a\.log\.3: /m });
  const broken = await readFile(join(folder, 'a.log.3'));
  for (let n = 4; n < 200; n += 1) await writeFile(join(folder, `a.log.${n}`), broken);
  const [line = ''] = /^archives not checked: .*$/m.exec((await run('--dry-run')).stdout) ?? [];
  t.match(line, /; and \d+ others$/, 'it says how many it leaves out');
  const shown = line.split('a.log: ')[1]!.split('; ').length - 1;
  t.equal(Number(/and (\d+) others$/.exec(line)?.[1]) + shown, 197);
  t.ok(line.length < 600 + folder.length, `${line.length} characters`);
  await rm(state, { recursive: true });
  t.equal((await run('--once')).code, 4, 'at a first look');
  t.equal((await run('--once')).code, 4, 'at a later one');
});

t.test('--once does not end with 0 while a configuration is not watched', async (t) => {
  const { folder, configurations, server, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  await writeFile(join(folder, 'b.log'), 'two\n');
  await put('a.json', configuration(0, ['a.log']));
  await writeFile(join(configurations, 'broken.json'), '{');
  const once = () => sentinel(t, ['--config', configurations, '--state', state, '--once']).ended;
  const broken = await once();
  t.equal(broken.code, 1, broken.stderr);
  t.equal(server.reports.length, 1, 'the other device was looked at');

  await rm(join(configurations, 'broken.json'));
  const other = await put('b.json', configuration(1, ['b.log']));
  const holder = sentinel(t, ['--config', other, '--state', join(state, `${UUID}11`)]);
  await until('the other agent', () => holder.said().includes('watching'));
  const held = await once();
  t.equal(held.code, 1, held.stderr);
  t.match(held.stderr, /not watched: .*b\.json: another agent is using the state folder/);
  holder.child.kill('SIGTERM');
  await holder.ended;
  t.equal((await once()).code, 0);
});

t.test('--once does not end with 0 before the newest configuration has come', async (t) => {
  const { folder, server, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  const file = await put('a.json', configuration(0, []));
  const once = (...args: string[]) =>
    sentinel(t, ['--config', file, '--state', state, '--once', ...args]).ended;
  t.equal((await once()).code, 0, 'the newest one names no file');

  server.configurations.set(`${UUID}10`, configuration(0, ['a.log']));
  server.configVersion += 1;
  server.beforeConfiguration = new Promise(() => undefined);
  t.equal((await once('--timeout', '5')).code, 5, 'the server has a newer one');
  server.beforeConfiguration = undefined;
  t.equal((await once()).code, 0);
  matchList(t, server.reports, [{ change: 'FIRST' }]);
});

t.test('--once does not call again and again while the server does not take its reports', async (t) => {
  const { folder, server, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  const file = await put('a.json', configuration(0, ['a.log']));
  server.configurations.set(`${UUID}10`, configuration(0, ['a.log']));
  let refused = 0;
  server.judge = () => {
    refused += 1;
    return 'OVERLOADED';
  };
  const run = sentinel(t, ['--config', file, '--state', state, '--once']);
  await until('a report is refused', () => refused > 0);
  const before = server.heartbeats.length;
  const fromMs = performance.now();
  await until('ten seconds are over', () => performance.now() - fromMs > 10_000);
  const beats = server.heartbeats.length - before;
  t.ok(beats <= 10, `${beats} heartbeats in 10 s`);
  server.judge = () => undefined;
  t.equal((await run.ended).code, 0);
  matchList(t, server.reports, [{ change: 'FIRST' }]);
});

t.test('several configurations, read again by SIGHUP; status and metrics tell of each', async (t) => {
  const { folder, server, configurations, configuration, put, state } = await setUp(t);
  for (const name of ['a.log', 'b.log', 'c.log']) await writeFile(join(folder, name), `${name}\n`);
  await put('a.json', configuration(0, ['a.log']));
  await put('b.json', configuration(1, ['b.log']));
  await writeFile(join(configurations, 'broken.json'), '{');
  const metrics = join(folder, 'agent.prom');
  const running = sentinel(t, [
    '--config',
    configurations,
    '--state',
    state,
    '--metrics',
    metrics,
    '--log',
    'json',
  ]);
  const devices = () => new Set(server.reports.map(({ fileId }) => fileId));
  await until('both report', () => devices().size === 2);
  const lines = running
    .said()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  t.ok(lines.some(({ level, message }) => level === 'error' && /broken\.json is not JSON/.test(message!)));
  t.ok(
    lines.some(({ device }) => device === `${UUID}10`),
    'a line names its device',
  );

  const status = (...args: string[]) => sentinel(t, ['status', '--state', state, ...args]).ended;
  const asData = async (): Promise<{ running: boolean; status: AgentStatus; faults: string[] }[]> =>
    JSON.parse((await status('--json')).stdout) as Awaited<ReturnType<typeof asData>>;
  // Polls read what the command reads: each start of the command costs a third of a second.
  const kept = () => readStatuses(state);
  await until('both are well but for the broken configuration', async () => {
    const all = await kept();
    return all.length === 2 && all.every(({ faults }) => faults.length === 1);
  });
  const faulty = await status();
  t.equal(faulty.code, 1, 'a configuration is not watched');
  t.equal(
    faulty.stdout.match(/^ {2}fault {11}not watched by the same process: .*broken\.json is not JSON/gm)
      ?.length,
    2,
  );
  const unwatched = async () =>
    /^sentinel_agent_configurations_not_watched (\d)$/m.exec(await readFile(metrics, 'utf8'))?.[1];
  t.equal(await unwatched(), '1');
  // Well does not say that the last report was answered.
  await until('nothing waits', async () => (await kept()).every(({ status }) => status?.waiting === 0));
  const told = await asData();
  matchList(t, told, [
    {
      running: true,
      status: { device: `${UUID}10`, waiting: 0, files: [{ path: join(folder, 'a.log'), problem: null }] },
    },
    { running: true, status: { device: `${UUID}11` } },
  ]);
  t.match((await status()).stdout, /^ {2}file {12}.*a\.log {2}PROBE {2}every 3600 s {2}20/m);
  await until('metrics', async () =>
    /reports_waiting\{device="[^"]+11"\} 0/.test(await readFile(metrics, 'utf8')),
  );

  await rm(join(configurations, 'broken.json'));
  await rm(join(configurations, 'b.json'));
  await put('c.json', configuration(2, ['c.log']));
  await put('a.json', configuration(0, ['a.log', 'c.log']));
  server.configVersion += 1;
  running.child.kill('SIGHUP');
  await until('the new device and the new file', () => devices().size === 4);
  await until('the device that is gone', () =>
    /b\.json is gone; the agent of [^ ]+11 stops/.test(running.said()),
  );
  t.notMatch(running.said(), /agent of \S+10 stops/, 'the device that stays is left alone');

  await until('a status and metrics without the broken one', async () => {
    const all = await kept();
    return all.every(({ faults }) => faults.length === 0) && (await unwatched()) === '0';
  });
  const devicesOf = (all: Awaited<ReturnType<typeof asData>>) =>
    all.map(({ status }) => status.device).sort();
  t.same(devicesOf(await asData()), [`${UUID}10`, `${UUID}12`], 'not of the device that is gone');
  const second = await sentinel(t, [
    '--config',
    join(configurations, 'a.json'),
    '--state',
    join(state, `${UUID}10`),
  ]).ended;
  t.equal(second.code, 3, 'the state folder is in use');
  running.child.kill('SIGTERM');
  t.equal((await running.ended).code, 0);
  const ended = await status();
  t.equal(ended.code, 1, 'an agent that does not run is never well');
  t.match(ended.stdout, /NOT RUNNING/);
});

t.test('a configuration that was renamed in its folder is read again under its new name', async (t) => {
  const { configurations, server, configuration, put, state } = await setUp(t);
  const file = await put('a.json', configuration(0, []));
  const { child, said } = sentinel(t, ['--config', configurations, '--state', state]);
  await until('the first heartbeat', () => server.heartbeats.length > 0);
  await rename(file, join(configurations, 'renamed.json'));
  await put('renamed.json', { ...configuration(0, []), apiKey: 'sk1.new' });
  server.keys = ['sk1.new'];
  child.kill('SIGHUP');
  await until('the new key', () => said().includes('the configuration of --config is used from now on'));
  t.notMatch(said(), /is gone/);
});

t.test('the agents stop when the last configuration is gone, and start with the next one', async (t) => {
  const { configurations, folder, server, configuration, put, state } = await setUp(t);
  const file = await put('a.json', configuration(0, []));
  const metrics = join(folder, 'agent.prom');
  const { child, said, ended } = sentinel(t, [
    ...['--config', configurations, '--state', state, '--metrics', metrics],
  ]);
  const status = () => sentinel(t, ['status', '--state', state]).ended;
  const isWell = async () => {
    const all = await readStatuses(state).catch(() => []);
    if (all.length === 0 || all.some(({ faults }) => faults.length > 0)) return false;
    return (await status()).code === 0;
  };
  await until('well', isWell);
  await rm(file);
  child.kill('SIGHUP');
  await until('stopped', () => /a\.json is gone; the agent of [^ ]+10 stops/.test(said()));
  await until('said', () => /no device is watched: there is no configuration \(\*\.json\) in /.test(said()));
  await until('metrics', async () =>
    (await readFile(metrics, 'utf8')).includes('\nsentinel_agent_configurations_not_watched 1\n'),
  );
  t.equal((await status()).code, 1);

  const heartbeats = server.heartbeats.length;
  await put('b.json', configuration(0, []));
  child.kill('SIGHUP');
  await until('the next one', () => server.heartbeats.length > heartbeats);
  await until('well again', isWell);
  child.kill('SIGTERM');
  t.equal((await ended).code, 0);
});

t.test('no agent stops while the folder of its configuration cannot be read', async (t) => {
  const { configurations, folder, configuration, put, state } = await setUp(t);
  await put('a.json', configuration(0, []));
  const { child, said } = sentinel(t, ['--config', configurations, '--state', state]);
  await until('watched', () => said().includes('watching'));
  await rename(configurations, join(folder, 'elsewhere'));
  child.kill('SIGHUP');
  await until('read again', () => said().includes('read the configurations again'));
  t.match(said(), /not read again: .*configurations cannot be read: ENOENT/);
  t.notMatch(said(), /is gone/);
  t.match(said(), /read the configurations again; 1 in use/);
  const NOT_WATCHED = /not watched by the same process: .*configurations cannot be read: ENOENT/;
  await until('status', async () => {
    const all = await readStatuses(state);
    if (!all.some(({ faults }) => faults.some((fault) => NOT_WATCHED.test(fault)))) return false;
    return NOT_WATCHED.test((await sentinel(t, ['status', '--state', state]).ended).stdout);
  });
});

t.test('a twin of an agent of several devices ends with one line', async (t) => {
  const { configurations, configuration, put, state } = await setUp(t);
  await put('a.json', configuration(0, []));
  await put('b.json', configuration(1, []));
  const args = ['--config', configurations, '--state', state];
  const { child, said, ended } = sentinel(t, args);
  await until('both devices', () => said().match(/watching/g)?.length === 2);
  const twin = await sentinel(t, args).ended;
  t.equal(twin.code, 3);
  t.match(twin.stderr, /^sentinel agent: another agent is using the state folder [^\n]+\n$/);
  child.kill('SIGTERM');
  await ended;
});

t.test('a run ends although a look at a file hangs in the system', async (t) => {
  const { args, env, state, hangs } = await hangingLook(t);
  // On a busy machine the time can be over before the look begins.
  for (const seconds of HANGING_TIMES) {
    const run = sentinel(t, [...args, seconds], env);
    const [, signal] = await once(run.child, 'exit');
    if (!hangs() && seconds !== HANGING_TIMES.at(-1)) continue;
    t.equal(signal, 'SIGKILL', 'nothing else ends a process with a hanging thread');
    t.match(run.said(), /a look has not ended: the process ends itself by force/);
    break;
  }
  const [status] = JSON.parse((await sentinel(t, ['status', '--state', state, '--json']).ended).stdout);
  matchList(t, status.status.files, [{ checkedAt: null }]);
});

t.test('through a proxy', async (t) => {
  const { folder, server, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  const { asked, address: HTTP_PROXY } = await openProxy(t);
  const file = await put('a.json', configuration(0, ['a.log']));
  const once = (env: NodeJS.ProcessEnv) =>
    sentinel(t, ['--config', file, '--state', state, '--once'], { NO_PROXY: '', HTTP_PROXY, ...env }).ended;
  t.equal((await once({})).code, 0);
  t.ok(asked.length > 0, 'the calls went through the proxy');
  t.equal(server.reports.length, 1);
  asked.length = 0;
  t.equal((await once({ NO_PROXY: '127.0.0.1' })).code, 0);
  t.same(asked, [], 'NO_PROXY is honoured');
});

t.test('wrong usage is told in one line, with the help', async (t) => {
  const TIMEOUT = /^sentinel agent: --timeout is a number of seconds, 2147483 at most\n/;
  const cases: readonly [readonly string[], number, RegExp][] = [
    [[], 2, /^sentinel agent: --config is missing\n/],
    [['--config', 'a', '--once', '--check'], 2, /^sentinel agent: --check and --once exclude each other\n/],
    [['--config', 'a', '--log', 'xml'], 2, /^sentinel agent: --log is text or json\n/],
    [['--config', 'a', '--timeout', 'soon'], 2, TIMEOUT],
    [['--config', 'a', '--once', '--timeout', '2147484'], 2, TIMEOUT],
    [['--config', 'a', '--once', '--timeout', 'Infinity'], 2, TIMEOUT],
    [['status', '--check'], 2, /^sentinel agent: status and --check exclude each other\n/],
    [['restart'], 2, /^sentinel agent: there is no "restart"\n/],
    [
      ['--config', '/none/at/all.json'],
      1,
      /^sentinel agent: \/none\/at\/all\.json cannot be read: ENOENT\n$/,
    ],
    [['--config', 'a', '--cert', 'x'], 1, /^sentinel agent: --cert and --key belong together/],
    [['--config', 'a', '--ca', '/none'], 1, /^sentinel agent: --ca: \/none cannot be read: ENOENT\n$/],
    [
      ['status', '--state', '/none'],
      1,
      /^sentinel agent: no agent has kept its state in \/none; name its --state\n$/,
    ],
  ];
  for (const [args, code, said] of cases) {
    const ended = await sentinel(t, args).ended;
    t.equal(ended.code, code, args.join(' '));
    t.match(ended.stderr, said);
  }
});

const AT = '2026-01-02T03:04:05.000Z';
const FINE: AgentStatus = {
  at: AT,
  startedAt: AT,
  agentVersion: '0.1.0',
  organisation: `${UUID}01`,
  device: `${UUID}10`,
  server: 'https://sentinel.example.org/api/v1',
  lastHeartbeatAt: AT,
  heartbeatSeconds: 10,
  problem: null,
  clockOffsetMs: 12,
  waiting: 0,
  oldestUnsent: null,
  eventsWaiting: 0,
  setAside: 0,
  brokenPromises: 0,
  log: null,
  files: [
    {
      id: `${UUID}20`,
      path: '/a',
      type: 'PROBE',
      everySeconds: 1,
      checkedAt: AT,
      problem: null,
      archives: null,
      events: false,
      polling: null,
      waiting: 0,
    },
  ],
};

t.test('a status that cannot be read is told, and hides no other', async (t) => {
  const { folder, state } = await setUp(t);
  for (const name of ['a', 'b']) {
    await mkdir(join(state, name), { recursive: true });
    await writeFile(join(state, name, 'status.json'), JSON.stringify(FINE));
  }
  await mkdir(join(state, 'a', 'lock.db'));
  const both = await sentinel(t, ['status', '--state', state]).ended;
  t.equal(both.code, 1);
  t.match(both.stdout, /NOT KNOWN[^]*it is not known whether its agent runs[^]*NOT RUNNING/);
  const file = join(folder, 'file');
  await writeFile(file, '');
  const none = await sentinel(t, ['status', '--state', file]).ended;
  t.match(none, { code: 1, stderr: /^sentinel agent: the state folder .* cannot be read \(ENOTDIR\)\n$/ });
});

t.test('a status is well, and settled, only when nothing is missing', async (t) => {
  const now = Date.parse(AT);
  const [file] = FINE.files;
  const faultsNow = (running: boolean, status: WrittenStatus | null): string[] =>
    faultsOf(running, status, now, Date.parse(status?.at ?? AT));
  t.same(faultsNow(true, FINE), []);
  t.equal(isSettled(FINE), true);
  const faulty: readonly [string, Partial<WrittenStatus>, RegExp, boolean][] = [
    ['no heartbeat', { lastHeartbeatAt: null }, /has not answered yet/, false],
    [
      'an old heartbeat',
      { lastHeartbeatAt: '2026-01-02T03:03:34.999Z' },
      /took no heartbeat since .*: it shows the device as lost/,
      false,
    ],
    ['a refused heartbeat', { problem: 'the server refuses the key' }, /refuses the key/, false],
    [
      'a file that was not looked at',
      { files: [{ ...file!, checkedAt: null }] },
      /1 of 1 files are not checked/,
      false,
    ],
    [
      'a file with a problem',
      { files: [{ ...file!, problem: 'EACCES' }] },
      /1 of 1 files are not checked/,
      true,
    ],
    [
      'archives that cannot be read',
      { files: [{ ...file!, archives: 'a.log.1.xz: xz is not installed' }] },
      /archives of 1 files cannot be read and are not checked: \/a: a\.log\.1\.xz: xz is not/,
      true,
    ],
    ['refused reports', { setAside: 2 }, /refused 2 reports for good/, true],
    ['a clock that is off', { clockOffsetMs: -400_000 }, /clock is -400\.0 s from/, true],
    [
      'a log that does not go on',
      { log: { lookedAt: AT, problem: 'CONTRADICTION: no', unread: null } },
      /CONTRADICTION: no: keep the folder "log"/,
      true,
    ],
    [
      'reports without a receipt',
      { receiptProblem: 'the server gave no receipt' },
      /^receipts: the server gave no receipt$/,
      true,
    ],
    [
      'a status that was due three times since',
      { at: '2026-01-02T03:03:49.999Z', writtenEverySeconds: 5 },
      /wrote its status 15\.0 s ago: it hangs or is stopped/,
      true,
    ],
    [
      'one of many files',
      { at: '2026-01-02T03:03:04.999Z', writtenEverySeconds: 30 },
      /wrote its status 60\.0 s ago/,
      true,
    ],
    ['an old status', { at: '2026-01-02T03:02:05.000Z' }, /wrote its status 120\.0 s ago/, true],
    [
      'a status of a clock that was set back',
      { at: '2026-01-02T03:06:05.000Z', lastHeartbeatAt: '2026-01-02T03:06:05.000Z' },
      /120\.0 s from now: the clock was set back/,
      true,
    ],
  ];
  for (const [what, over, said, settled] of faulty) {
    const faults = faultsNow(true, { ...FINE, ...over });
    t.equal(faults.length, 1, what);
    t.match(faults[0], said);
    t.equal(isSettled({ ...FINE, ...over }), settled, what);
  }
  t.equal(isSettled({ ...FINE, waiting: 1 }), false);
  t.equal(isSettled({ ...FINE, files: [{ ...file!, pending: true }] }), false);
  t.equal(isSettled({ ...FINE, files: [{ ...file!, pending: true, problem: 'EACCES' }] }), true);
  t.equal(isSettled({ ...FINE, log: { lookedAt: null, problem: null, unread: null } }), false);
  t.equal(isSettled({ ...FINE, eventsWaiting: 1 }), false);
  t.equal(isSettled({ ...FINE, eventsWaiting: 2, eventsHeld: 1 }), false);
  t.equal(
    isSettled({ ...FINE, eventsWaiting: 2, eventsHeld: 2 }),
    true,
    'the next run sends what the server drops now',
  );
  t.equal(
    isSettled({ ...FINE, files: [{ ...file!, checkedAt: '2026-01-02T03:04:06.000Z' }] }),
    false,
    'not told yet',
  );
  const dueThrice = { ...FINE, at: '2026-01-02T03:03:50.000Z', writtenEverySeconds: 5 };
  t.same(faultsNow(true, dueThrice), []);
  t.same(
    faultsOf(true, { ...FINE, at: '2026-01-02T03:00:00.000Z' }, now, now),
    [],
    'an old one, confirmed now',
  );
  const { heartbeatSeconds: _, ...older } = { ...FINE, lastHeartbeatAt: '2026-01-02T03:03:34.999Z' };
  t.same(faultsNow(true, older), [], 'a status of an older agent does not say the interval');
  t.same(faultsNow(true, { ...FINE, lastHeartbeatAt: '2026-01-02T03:03:35.000Z' }), [], 'three intervals');
  matchList(t, faultsNow(false, FINE), [/not running/]);
  matchList(t, faultsNow(true, null), [/cannot be read/]);
});

t.test('Prometheus text', async (t) => {
  const text = metricsText([FINE, { ...FINE, device: 'other', clockOffsetMs: null, waiting: 7 }], 3);
  t.match(text, '\nsentinel_agent_configurations_not_watched 3\n');
  t.match(
    text,
    `# TYPE sentinel_agent_reports_waiting gauge\nsentinel_agent_reports_waiting{device="${FINE.device}"} 0\nsentinel_agent_reports_waiting{device="other"} 7\n`,
  );
  t.match(text, `sentinel_agent_clock_offset_seconds{device="${FINE.device}"} 0.012\n`);
  t.notMatch(text, 'clock_offset_seconds{device="other"}', 'no value before it is known');
  t.match(text, '# TYPE sentinel_agent_reports_refused_total counter\n');
  const old = metricsText([{ ...FINE, problem: 'the current configuration does not arrive (403 X)' }], 0);
  t.match(old, `\nsentinel_agent_problem{device="${FINE.device}"} 1\n`);
  t.match(text, `\nsentinel_agent_problem{device="${FINE.device}"} 0\n`);
  t.notMatch(text, 'oldest_unsent', 'no line without a value');
  t.match(metricsText([], 0), /^# HELP .*\n# TYPE .* gauge\nsentinel_agent_configurations_not_watched 0\n$/);
});

t.test('a missing file is told after two seconds, however long its interval is, and by --once', async (t) => {
  const { folder, server, configuration, state } = await setUp(t);
  const config = join(folder, 'agent.json');
  server.configuration = configuration(0, ['gone.conf'], 3_600);
  await writeFile(config, JSON.stringify(server.configuration));
  const once = await sentinel(t, ['--config', config, '--state', state, '--once', '--timeout', '20']).ended;
  t.equal(once.code, 0, once.stderr);
  matchList(t, server.reports, [{ change: 'MISSING' }]);
});

t.test('the name of a file imitates no line of the status, the check, the dry run and the log', async (t) => {
  const name = 'a\n  file            /etc/shadow\u001b[2K\u2028\u202egol.exe';
  const shown = 'a\\n  file            /etc/shadow\\u001b[2K\\u2028\\u202egol.exe';
  const [file] = FINE.files;
  const status = { ...FINE, at: AT, files: [{ ...file!, path: `/${name}` }] };
  const text = statusText({ stateDir: '/s', running: true, status, confirmedAt: AT, faults: [] });
  // No output in the messages: a separator of lines in one breaks the stream of the test runner, which then counts nothing.
  t.ok(text.includes(shown), 'status');
  t.equal(text.split('\n').filter((line) => line.startsWith('  file')).length, 1);

  const { folder, server, configuration, state } = await setUp(t);
  const config = join(folder, 'agent.json');
  server.configuration = configuration(0, [name]);
  await writeFile(config, JSON.stringify(server.configuration));
  for (const option of ['--check', '--dry-run']) {
    const { stdout, stderr } = await sentinel(t, ['--config', config, '--state', state, option]).ended;
    t.ok((stdout + stderr).includes(shown), option);
    t.notOk((stdout + stderr).includes('\u001b'), option);
  }

  server.configuration = { ...server.configuration, files: configuration(0, [`${name}/none`]).files };
  const [only] = server.configuration.files;
  server.configuration = { ...server.configuration, files: [{ ...only!, type: 'FOLLOW' }] };
  await writeFile(config, JSON.stringify(server.configuration));
  const { child, ended } = sentinel(t, ['--config', config, '--state', state]);
  await until('the missing folder is told', () => server.reports.length > 0);
  child.kill('SIGTERM');
  const { stderr } = await ended;
  t.ok(stderr.includes(`${shown}: followed files`), 'log');
});
