import { appendFile, mkdtemp, open, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { Agent, type AgentOptions } from '../src/agent.ts';
import { HashPool } from '../src/io/hash-pool.ts';
import { LARGE_BYTES } from '../src/io/piece-reads.ts';
import { FILE_MS, hashOf, until } from './agent-process.ts';
import { overwrite, put } from './put-file.ts';
import { rowsIn, spoil } from './state-files.ts';
import { StubServer } from './stub-server.ts';

const UUID = '01900000-0000-7000-8000-00000000000';
const FILE = `${UUID}3`;

t.setTimeout(FILE_MS);

async function setUp(t: Test, over: Partial<AgentConfiguration['files'][number]> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'sentinel-agent-'));
  const server = new StubServer();
  const sentinelAddress = await server.listen();
  const file = {
    id: FILE,
    path: 'a.log',
    type: 'FOLLOW' as const,
    rolled: false,
    modifiable: true,
    data: 'text' as const,
    ...over,
  };
  const configuration: AgentConfiguration = {
    orgId: `${UUID}1`,
    devId: `${UUID}2`,
    apiKey: 'sk1.test',
    healthInterval: 10,
    workingDirectory: folder,
    sentinelAddress,
    clearOrphanedProcesses: true,
    files: [file],
  };
  server.configuration = configuration;
  const agents: Agent[] = [];
  const startAgent = async (options: Partial<AgentOptions> = {}) => {
    const own = { configuration, stateDir: join(folder, 'state'), log: () => undefined };
    const agent = new Agent({ ...own, ...options });
    agents.push(agent);
    await agent.start();
    return agent;
  };
  t.teardown(async () => {
    await Promise.all(agents.map((agent) => agent.stop()));
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const path = join(folder, 'a.log');
  const changes = () => server.reports.map((report) => report.change);
  return { folder, path, server, startAgent, changes };
}

t.test('a growing log, a byte in its middle, its end cut off', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t);
  await writeFile(path, 'one\ntwo\n');
  await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  await appendFile(path, 'three\n');
  await until('APPENDED', () => changes().includes('APPENDED'));
  matchList(t, server.reports.at(-1)?.versions, [
    { length: 8 },
    { length: 14, hash: hashOf('one\ntwo\nthree\n') },
  ]);
  const handle = await open(path, 'r+');
  await handle.write('X', 4);
  await handle.close();
  await until('REPLACED', () => changes().includes('REPLACED'));
  matchList(t, server.reports.at(-1)?.versions, [{ length: 14, hash: hashOf('one\nXwo\nthree\n') }]);
  await truncate(path, 'one\n'.length);
  await until('TRUNCATED', () => changes().includes('TRUNCATED'));
  t.same(changes(), ['FIRST', 'APPENDED', 'REPLACED', 'TRUNCATED']);
  const sequences = server.reports.map((report) => report.sequence);
  t.same(
    sequences,
    [...sequences].sort((a, b) => a - b),
  );
});

t.test(
  'an expression for archives that cannot be used is an error of its file, and the agent runs',
  async (t) => {
    for (const [rolledfilenameregexp, says] of [
      ['(x{30}){40}', /more than 1000 steps/],
      ['(', /missing/],
    ] as const) {
      const { path, server, startAgent, changes } = await setUp(t, { rolled: true, rolledfilenameregexp });
      await writeFile(path, 'one\n');
      await startAgent();
      await until('ERROR', () => changes().includes('ERROR'));
      t.match(server.reports.at(-1)?.error?.message, says);
    }
  },
);

t.test('files that take long to read are reported', async (t) => {
  const size = LARGE_BYTES + 1;
  await t.test('a followed file, which goes on', async (t) => {
    const { path, server, startAgent, changes } = await setUp(t);
    await writeFile(path, '');
    await truncate(path, size);
    await startAgent();
    await until('a report', () => changes().length > 0);
    matchList(t, server.reports, [{ change: 'FIRST', versions: [{ length: size }] }]);
    await appendFile(path, 'two\n');
    await until('APPENDED', () => changes().includes('APPENDED'));
    matchList(t, server.reports.at(-1)?.versions, [{ length: size }, { length: size + 4 }]);
  });
  await t.test('the end of a link', async (t) => {
    const { folder, path, server, startAgent, changes } = await setUp(t, { type: 'PROBE', interval: 1 });
    await writeFile(join(folder, 'end'), '');
    await truncate(join(folder, 'end'), size);
    await symlink('end', path);
    await startAgent();
    await until('a report', () => changes().length > 0);
    matchList(t, server.reports, [{ change: 'FIRST', versions: [{ length: size }] }]);
  });
  await t.test('an archive', async (t) => {
    const rolled = { rolled: true, rolledfilenameregexp: 'a\\.log\\.1' };
    const { path, server, startAgent, changes } = await setUp(t, rolled);
    await writeFile(path, 'one\n');
    await startAgent();
    await until('FIRST', () => changes().includes('FIRST'));
    await truncate(path, size);
    await rename(path, `${path}.1`);
    await writeFile(path, 'two\n');
    await until('another report', () => changes().length > 1);
    matchList(t, server.reports.slice(1), [{ change: 'ROLLED', archives: [{ length: size }] }]);
  });
});

t.test('what changed while the agent was stopped is a change, not a new beginning', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t, { type: 'PROBE', interval: 1 });
  await writeFile(path, 'before');
  const first = await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  await until('answered', () => rowsIn(join(path, '..', 'state'), 'report') === 0);
  await first.stop();
  await writeFile(path, 'after!');
  await startAgent();
  await until('REPLACED', () => changes().length > 1);
  t.same(changes(), ['FIRST', 'REPLACED']);
  matchList(t, server.reports[1]?.versions, [{ hash: hashOf('before') }, { hash: hashOf('after!') }]);
});

t.test('an agent that lost its state goes on from what the server has on record', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t, { type: 'PROBE', interval: 1 });
  await writeFile(path, 'changed');
  const lastSequence = (Date.now() + 3_600_000) * 1000;
  server.onRecord.set(FILE, { lastSequence, length: 4, hash: hashOf('kept') });
  await startAgent();
  await until('a report', () => changes().length > 0);
  t.same(changes(), ['REPLACED']);
  matchWhole(t, server.reports[0], {
    sequence: lastSequence + 1,
    versions: [{ hash: hashOf('kept') }, { hash: hashOf('changed') }],
  });
});

t.test('an outage delays reports and loses none, over a restart too', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t);
  await writeFile(path, '0\n');
  const first = await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  server.down = true;
  const waiting = () => rowsIn(join(path, '..', 'state'), 'report');
  await until('the spool is empty', () => waiting() === 0);
  for (let line = 1; line <= 3; line += 1) {
    await appendFile(path, `${line}\n`);
    await until(`report ${line} waits`, () => waiting() === line);
  }
  await first.stop();
  server.down = false;
  await startAgent();
  // A request that the first agent gave up as it stopped may arrive too: the server knows a report that comes twice by its sequence.
  const lengths = () =>
    new Map(server.reports.map(({ sequence, versions }) => [sequence, versions.at(-1)?.length]));
  await until('all arrived', () => lengths().size >= 4);
  t.same([...lengths().values()].slice(0, 4), [2, 4, 6, 8]);
});

t.test('a report that is refused for good is set aside, told, and built upon no more', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t);
  await writeFile(path, 'one\n');
  await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  server.judge = () => 'VALIDATION_FAILED';
  await appendFile(path, 'two\n');
  await until('set aside', () => rowsIn(join(path, '..', 'state'), 'refused') === 1);
  server.judge = () => undefined;
  await appendFile(path, 'three\n');
  await until('the next', () => server.reports.at(-1)?.versions.at(-1)?.length === 14);
  const next = server.reports.find(({ change }) => change === 'APPENDED');
  t.match(next?.versions[0], { length: 4, hash: hashOf('one\n') });
});

t.test('after a refusal for good the file is reported again, also when it is as it was before', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t);
  await writeFile(path, 'one\n');
  await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  let isRefused = false;
  server.judge = () => {
    if (isRefused) return undefined;
    put(path, 'one\n');
    isRefused = true;
    return 'VALIDATION_FAILED';
  };
  await appendFile(path, 'two\n');
  await until('told again', () => changes().includes('UNCHANGED'));
  t.strictSame(server.reports.at(-1)?.versions, [{ length: 4, hash: hashOf('one\n') }]);
});

t.test('reports that build on a refused one are counted with it', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t);
  await writeFile(path, 'one\n');
  const agent = await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  const waiting = (): number => agent.status().files[0]?.waiting ?? 0;
  await until('the spool is empty', () => waiting() === 0);
  server.down = true;
  await appendFile(path, 'two\n');
  await until('the first waits', () => waiting() === 1);
  put(path, 'other\n');
  await until('the second waits', () => waiting() === 2);
  const setAside = (): number => rowsIn(join(path, '..', 'state'), 'refused');
  server.judge = () => (setAside() === 0 ? 'VALIDATION_FAILED' : undefined);
  server.down = false;
  await until('both are set aside', () => setAside() === 2);
  await until('the next is taken', () => server.reports.at(-1)?.versions.at(-1)?.length === 6);
  t.equal(agent.status().setAside, 2);
});

t.test('a missing file is told after two looks, its return too', async (t) => {
  const { path, startAgent, changes } = await setUp(t);
  await writeFile(path, 'one\n');
  await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  await rm(path);
  await until('MISSING', () => changes().includes('MISSING'));
  put(path, 'one\n');
  await until('it is back', () => changes().length === 3);
  t.same(changes(), ['FIRST', 'MISSING', 'UNCHANGED']);
});

t.test('a rotation carries the archive, compressed or not, and a changed archive is told', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t, {
    rolled: true,
    rolledfilenameregexp: 'a\\.log\\.[0-9]+(\\.gz)?',
  });
  await writeFile(path, 'one\n');
  await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  await appendFile(path, 'two\n');
  await until('APPENDED', () => changes().includes('APPENDED'));
  await rename(path, `${path}.1`);
  put(path, 'new\n');
  await until('ROLLED', () => changes().includes('ROLLED'));
  matchWhole(t, server.reports.at(-1), {
    versions: [
      { length: 8, hash: hashOf('one\ntwo\n') },
      { length: 4, hash: hashOf('new\n') },
    ],
    archives: [{ name: 'a.log.1', length: 8, hash: hashOf('one\ntwo\n') }],
  });
  put(`${path}.2.gz`, gzipSync('new\nand more\n'), new Date(Date.now() + 1));
  put(path, 'x\n');
  await until('the second ROLLED', () => changes().filter((change) => change === 'ROLLED').length === 2);
  matchWhole(t, server.reports.at(-1), {
    versions: [{ length: 4, hash: hashOf('new\n') }, { length: 2 }],
    archives: [{ name: 'a.log.2.gz', length: 13, hash: hashOf('new\nand more\n') }],
  });
  overwrite(`${path}.2.gz`, gzipSync('new\nand less\n'));
  await until('ARCHIVE_CHANGED', () => changes().includes('ARCHIVE_CHANGED'));
  matchList(t, server.reports.at(-1)?.archives, [{ name: 'a.log.2.gz', hash: hashOf('new\nand less\n') }]);
});

t.test('a changed configuration is followed', async (t) => {
  const { folder, path, server, startAgent, changes } = await setUp(t);
  await writeFile(path, 'one\n');
  await writeFile(join(folder, 'b.log'), 'other\n');
  const agent = await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  const [file] = server.configuration!.files;
  server.configuration = { ...server.configuration!, files: [{ ...file!, id: `${UUID}4`, path: 'b.log' }] };
  server.configVersion = 2;
  await agent.stop();
  await startAgent();
  await until('the new file', () => server.reports.some((report) => report.fileId === `${UUID}4`));
  t.match(server.reports.at(-1), { change: 'FIRST', configVersion: 2 });
});

t.test('what is found at the old path is not told as of the configuration with the new one', async (t) => {
  const { folder, path, server, startAgent, changes } = await setUp(t);
  await writeFile(path, 'one\n');
  await writeFile(join(folder, 'b.log'), 'other\n');
  const [file] = server.configuration!.files;
  const move = (): void => {
    server.configuration = { ...server.configuration!, files: [{ ...file!, path: 'b.log' }] };
    server.configVersion += 1;
  };
  const ofOld = (from: number) =>
    server.reports
      .slice(from)
      .filter(({ versions }) => versions.some(({ hash }) => hash === hashOf('one\n')));
  server.configVersion = 7;
  const agent = await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  await until('kept', () => rowsIn(join(folder, 'state'), 'configuration') === 1);
  await agent.stop();
  move();
  const from = server.reports.length;
  const again = await startAgent();
  await until('the new path', () => server.reports.at(-1)?.versions[0]?.hash === hashOf('other\n'));
  t.same(
    ofOld(from).filter(({ configVersion }) => configVersion !== 7),
    [],
    'it has the version that the agent had kept',
  );
  await again.stop();
  const before = server.reports.length;
  await startAgent({ stateDir: join(folder, 'new state') });
  await until('the new path, without a state', () => server.reports.length > before);
  t.same(ofOld(before), [], 'a downloaded configuration that is too old is not used for a look');
});

t.test('configurations that come at the same time are taken one after the other', async (t) => {
  const { folder, path, server, startAgent, changes } = await setUp(t);
  await writeFile(path, Buffer.alloc(400_000));
  await writeFile(join(folder, 'b.log'), 'other\n');
  // The look at the file takes a second, and ends after its task.
  const hashing = new HashPool({ bytesPerSecond: 400_000 });
  t.teardown(() => hashing.close());
  const agent = await startAgent({ hashing });
  await until('the server is heard', () => agent.status().lastHeartbeatAt !== null);
  const [file] = server.configuration!.files;
  server.configuration = { ...server.configuration!, files: [{ ...file!, path: 'b.log' }] };
  server.configVersion = 2;
  await Promise.all([agent.reload(), agent.reload(), agent.reload()]);
  const ofOther = () => server.reports.filter(({ versions }) => (versions[0]?.length ?? 0) < 400_000);
  await until('the other', () => ofOther().length > 0);
  await appendFile(join(folder, 'b.log'), 'more\n');
  await until('APPENDED', () => changes().includes('APPENDED'));
  t.same(
    ofOther().map(({ change }) => change),
    ['FIRST', 'APPENDED'],
    'one task looks at the file',
  );
});

t.test('the answer to a report comes after the file got other settings', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t, { type: 'PROBE', interval: 1 });
  await writeFile(path, 'one\n');
  let answer: (() => void) | undefined;
  server.beforeAnswer = new Promise((resolve) => (answer = resolve));
  const agent = await startAgent();
  await until('the report is under way', () => changes().includes('FIRST'));
  const [file] = server.configuration!.files;
  server.configuration = { ...server.configuration!, files: [{ ...file!, type: 'FOLLOW' }] };
  server.configVersion = 2;
  agent.sendHeartbeatSoon();
  await until('followed', () => agent.status().files[0]?.type === 'FOLLOW');
  answer?.();
  put(path, 'other\n');
  await until('the agent goes on', () => changes().includes('REPLACED') || changes().length > 2);
  await until('all is answered', () => agent.status().waiting === 0);
  t.equal(agent.status().files[0]?.problem, null);
});

t.test('a configuration that says the same in another order starts nothing anew', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t, { type: 'PROBE', interval: 1 });
  await writeFile(path, 'one\n');
  const [file] = server.configuration!.files;
  const turned = Object.fromEntries(Object.entries(file!).reverse()) as typeof file;
  server.configuration = { ...server.configuration!, files: [turned!] };
  let answer: (() => void) | undefined;
  server.beforeAnswer = new Promise((resolve) => (answer = resolve));
  await startAgent();
  await until('configuration', () => server.calls.some(({ what }) => what === 'config'));
  await until('FIRST', () => changes().length > 0);
  answer?.();
  put(path, 'other\n');
  await until('REPLACED', () => changes().includes('REPLACED'));
  t.same(changes(), ['FIRST', 'REPLACED']);
});

t.test('a report that is gone from the disk is told, and what it told is told again', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t);
  await writeFile(path, 'one\n');
  const agent = await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  const state = join(path, '..', 'state');
  await until('the spool is empty', () => rowsIn(state, 'report') === 0);
  server.down = true;
  await appendFile(path, 'two\n');
  await until('it waits', () => rowsIn(state, 'report') === 1);
  spoil(state, `DELETE FROM kept WHERE part = 'report'`);
  await until('it is found', () => agent.status().eventsWaiting > 0);
  server.down = false;
  await until('APPENDED', () => changes().includes('APPENDED'));
  matchList(t, server.reports.at(-1)?.versions, [{ length: 4 }, { length: 8 }]);
  await until('told', () => server.events().some(({ code }) => code === 'STATE_BROKEN'));
});

t.test(
  'a key that ended is not used because the server was away or the configurations are read again',
  async (t) => {
    const { path, folder, server, startAgent, changes } = await setUp(t);
    await writeFile(path, 'one\n');
    const old = server.configuration!;
    server.configuration = { ...old, apiKey: 'sk1.rotated' };
    server.configVersion = 2;
    let downloaded = old;
    const keys: (string | null)[] = [];
    const agent = await startAgent({
      downloaded: () => Promise.resolve(structuredClone(downloaded)),
      fetch: (url, init) => {
        keys.push(new Headers(init?.headers).get('x-api-key'));
        return fetch(url, init);
      },
    });
    await until('FIRST', () => changes().includes('FIRST'));
    await until('kept', () => rowsIn(join(folder, 'state'), 'configuration') === 1);
    server.keys = ['sk1.rotated'];
    keys.length = 0;
    server.down = true;
    const beats = server.calls.length;
    agent.sendHeartbeatSoon();
    await until('a beat that fails, and its retry', () => server.calls.length >= beats + 2);
    server.down = false;
    await until('the server is back', () => agent.status().problem === null);
    await agent.reload();
    t.same([...new Set(keys)], ['sk1.rotated']);
    downloaded = { ...old, apiKey: 'sk1.newer' };
    server.keys = ['sk1.newer'];
    server.configuration = downloaded;
    await agent.reload();
    t.equal(keys.at(-1), 'sk1.newer', 'a file that changed is tried');
  },
);

t.test('heartbeats go on while the published log does not answer', async (t) => {
  const { path, server, startAgent } = await setUp(t);
  await writeFile(path, 'one\n');
  let asked = 0;
  const trust = {
    origin: 'test',
    publicKey: '00'.repeat(32),
    network: 'dev',
    genesisTxid: '00'.repeat(32),
  } as const;
  const agent = await startAgent({
    trust,
    fetch: (url, init) => {
      if (!String(url).includes('/checkpoint')) return fetch(url, init);
      asked += 1;
      return new Promise((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new Error('ended'))),
      );
    },
  });
  await until('it is asked', () => asked === 1);
  const beats = server.heartbeats.length;
  agent.sendHeartbeatSoon();
  await until('a heartbeat', () => server.heartbeats.length > beats);
  t.equal(asked, 1);
  await agent.stop();
});

t.test('a rotated key is known after a restart', async (t) => {
  const { path, server, startAgent, changes } = await setUp(t);
  await writeFile(path, 'one\n');
  server.configuration = { ...server.configuration!, apiKey: 'sk1.rotated' };
  server.configVersion = 2;
  const agent = await startAgent();
  await until('FIRST', () => changes().includes('FIRST'));
  await until('kept', () => rowsIn(join(path, '..', 'state'), 'configuration') === 1);
  await agent.stop();
  server.keys = ['sk1.rotated'];
  const again = await startAgent();
  await until('it is heard', () => again.status().lastHeartbeatAt !== null);
});
