/** Tests `sentinel agent enrol` with real processes against a server with preset answers. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import type { Enrol } from '@sentinel-node/contracts';
import { AgentConfigError } from '../src/config-error.ts';
import { enrolAddress } from '../src/enrol/call.ts';
import { enrolmentKey } from '../src/enrol/files.ts';
import { FILE_MS, sentinel, setUp, until } from './operate-stage.ts';

t.setTimeout(FILE_MS);

async function stage(t: Parameters<typeof setUp>[0]) {
  const { folder, server, configuration, state } = await setUp(t);
  const asked: Enrol[] = [];
  const answer = { deviceName: 'web-1', configuration: configuration(0, ['a.log']) };
  server.enrol = (request) => {
    asked.push(request);
    return [201, answer];
  };
  server.configuration = answer.configuration;
  const address = server.address.replace('/api/v1', '');
  const enrol = (...args: string[]) => sentinel(t, ['enrol', '--server', address, '--state', state, ...args]);
  return { folder, server, state, asked, answer, address, enrol, file: join(state, 'enrolled.json') };
}

t.test('it writes the configuration for its owner only, and starts', async (t) => {
  const { folder, server, asked, answer, enrol, file, state } = await stage(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  const { child, ended } = enrol('--token', 'enr1.x');
  await until('the first report', () => server.reports.length === 1);
  child.kill('SIGTERM');
  t.equal((await ended).code, 0);
  matchList(t, asked, [{ token: 'enr1.x', name: hostname(), key: /^[\w-]{32}$/ }]);
  t.same(JSON.parse(await readFile(file, 'utf8')), answer.configuration);
  t.equal((await stat(file)).mode & 0o777, 0o600);
  t.notOk((await readdir(state)).includes('enrolled.json.enrolling'), 'the key is gone');

  const again = enrol('--no-start');
  const { code, stderr } = await again.ended;
  t.equal(code, 0, stderr);
  const { devId, sentinelAddress } = answer.configuration;
  t.match(stderr, new RegExp(`is there: this is device ${devId}, which reports to ${sentinelAddress}$`, 'm'));
  t.equal(asked.length, 1, 'nothing was asked');
});

t.test('the name of the device that the server answers stays in its line', async (t) => {
  const { answer, enrol } = await stage(t);
  answer.deviceName = 'web\u001b[2K\u202e-1\nsentinel agent enrol: all is well';
  const { code, stderr } = await enrol('--token', 'enr1.x', '--no-start').ended;
  t.equal(code, 0);
  t.ok(stderr.includes('web\\u001b[2K\\u202e-1\\nsentinel agent enrol: all is well is device '));
});

t.test('a name and a file with the token', async (t) => {
  const { folder, asked, enrol } = await stage(t);
  const token = join(folder, 'token');
  await writeFile(token, 'enr1.y\n');
  t.equal((await enrol('--token-file', token, '--name', 'db', '--no-start').ended).code, 0);
  matchList(t, asked, [{ token: 'enr1.y', name: 'db' }]);
  const { code, stderr } = await enrol(
    '--token-file',
    join(folder, 'none'),
    '--config',
    join(folder, 'x'),
    '--no-start',
  ).ended;
  t.equal(code, 1);
  t.match(stderr, /--token-file: .*none cannot be read: ENOENT/);
});

t.test('a server that does not answer is asked again with the same key', async (t) => {
  const { server, asked, answer, enrol, file } = await stage(t);
  let lost = 0;
  server.enrol = (request) => {
    asked.push(request);
    lost += 1;
    if (lost === 1) return [409, { code: 'CONFLICT' }];
    return lost === 2 ? [503, { code: 'UNAVAILABLE' }] : [201, answer];
  };
  const { code, stderr } = await enrol('--token', 'enr1.x', '--no-start').ended;
  t.equal(code, 0, stderr);
  t.match(stderr, /CONFLICT; once more in \d+ s\n.*HTTP 503; once more in \d+ s/);
  t.equal(new Set(asked.map(({ key }) => key)).size, 1);
  t.equal(asked.length, 3);
  t.ok(await stat(file));
});

t.test('a process that was stopped before it had the answer goes on with its key', async (t) => {
  const { server, asked, answer, enrol } = await stage(t);
  server.enrol = (request) => {
    asked.push(request);
    return [503, { code: 'UNAVAILABLE' }];
  };
  const given = await enrol('--token', 'enr1.x', '--no-start', '--timeout', '0.1').ended;
  t.equal(given.code, 1);
  t.match(given.stderr, /did not answer in time: HTTP 503; start it again/);
  server.enrol = (request) => {
    asked.push(request);
    return [201, answer];
  };
  t.equal((await enrol('--token', 'enr1.x', '--no-start').ended).code, 0);
  t.equal(new Set(asked.map(({ key }) => key)).size, 1);
});

t.test('several processes that enrol one configuration at once make one device', async (t) => {
  const { server, asked, answer, enrol, file, state } = await stage(t);
  const devices = new Set<string>();
  server.enrol = (request) => {
    asked.push(request);
    devices.add(request.key);
    return [201, answer];
  };
  const ends = await Promise.all(
    Array.from({ length: 6 }, () => enrol('--token', 'enr1.x', '--no-start').ended),
  );
  for (const { code, stderr } of ends) t.equal(code, 0, stderr);
  t.equal(devices.size, 1, 'all with one key');
  t.same(JSON.parse(await readFile(file, 'utf8')), answer.configuration);
  t.same(await readdir(state), ['enrolled.json'], 'nothing else is left');
});

t.test(
  'of several processes that make the key at once, all get the same one, or the configuration',
  async (t) => {
    const folder = t.testdir();
    const file = join(folder, 'device.json');
    const keys = await Promise.all(Array.from({ length: 20 }, () => enrolmentKey(file)));
    t.equal(new Set(keys).size, 1);
    t.same(await readdir(folder), ['device.json.enrolling']);
    await rm(`${file}.enrolling`);
    await writeFile(file, '{}');
    t.equal(await enrolmentKey(file), undefined, 'another one was quicker');
    t.same(await readdir(folder), ['device.json']);
  },
);

t.test('what a full disk takes a part of is left nowhere', async (t) => {
  const { address, answer, asked, enrol, file, server, state } = await stage(t);
  const paths = Array.from({ length: 40 }, (_, n) => `${n}.log`);
  const { configuration } = answer;
  const whole = { ...configuration, files: paths.map((path) => ({ ...configuration.files[0]!, path })) };
  server.enrol = (request) => {
    asked.push(request);
    return [201, { ...answer, configuration: whole }];
  };
  const args = ['enrol', '--server', address, '--state', state, '--token', 'enr1.x', '--no-start'];
  const full = (fileKiB: number) => sentinel(t, args, {}, 'agent', undefined, fileKiB).ended;
  const none = await full(0);
  t.match(none.stderr, /EFBIG/);
  t.same(await readdir(state), []);
  t.equal(asked.length, 0, 'without a kept key nothing is asked');
  const part = await full(1);
  t.match(part.stderr, /EFBIG/);
  t.same(await readdir(state), ['enrolled.json.enrolling'], 'the key is kept, to try again with');
  const { code, stderr } = await enrol('--token', 'enr1.x', '--no-start').ended;
  t.equal(code, 0, stderr);
  t.same(JSON.parse(await readFile(file, 'utf8')), whole);
  t.same(await readdir(state), ['enrolled.json']);
  t.equal(new Set(asked.map(({ key }) => key)).size, 1);
});

t.test('a token file without a token is told as such', async (t) => {
  const { folder, asked, enrol } = await stage(t);
  const token = join(folder, 'token');
  await writeFile(token, '\n');
  const { code, stderr } = await enrol('--token-file', token, '--no-start').ended;
  t.equal(code, 1);
  t.match(stderr, /the token is empty/);
  t.equal(asked.length, 0);
});

t.test('what cannot work is one line', async (t) => {
  const { server, enrol, file, state } = await stage(t);
  server.enrol = () => [410, { code: 'ENROLMENT_ENDED', detail: 'The time of the token is over.' }];
  const refused = await enrol('--token', 'enr1.x').ended;
  t.equal(refused.code, 1);
  t.match(
    refused.stderr,
    /^sentinel agent: the server refuses: ENROLMENT_ENDED: The time of the token is over\.\n$/,
  );
  server.enrol = () => [401, { code: 'INVALID_ENROLMENT_TOKEN' }];
  t.match((await enrol('--token', 'enr1.x').ended).stderr, /is not one of this server/);
  t.equal((await enrol().ended).code, 2, 'no token');
  t.equal((await enrol('--token', 'a', '--token-file', 'b').ended).code, 2, 'two tokens');
  const address = await sentinel(t, ['enrol', '--server', 'web', '--token', 'x', '--state', state]).ended;
  t.match(address, { code: 1, stderr: /--server web is no address: give https:\/\/HOST/ });
  t.equal(enrolAddress('HTTPS://sentinel.example/'), 'HTTPS://sentinel.example/api/v1/enrol');
  for (const server of ['https://user@web', 'https://user:secret@web'])
    t.throws(
      () => enrolAddress(server),
      new AgentConfigError('--server holds a name or a password, which is not taken: give https://HOST'),
    );

  await mkdir(state, { recursive: true });
  await writeFile(`${file}.enrolling`, '');
  const broken = await enrol('--token', 'enr1.x').ended;
  t.match(broken, { code: 1, stderr: /enrolling is broken: remove it/ });
  await writeFile(file, '{}');
  t.match(await enrol('--token', 'enr1.x').ended, {
    code: 1,
    stderr: /is not an exported agent configuration/,
  });
});
