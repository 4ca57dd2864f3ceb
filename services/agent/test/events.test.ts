/** Tests that file system events drive the looks, and that looks find changes without events as well. */
import { spawnSync } from 'node:child_process';
import fs, { mkdirSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import {
  appendFile,
  link,
  mkdir,
  mkdtemp,
  open,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { Agent, type AgentOptions } from '../src/agent.ts';
import { mountedIn } from '../src/io/mounts.ts';
import { configurationOf, fileId, hashOf, until } from './agent-process.ts';
import { StubServer } from './stub-server.ts';

const EXT4 = 0xef53;
const NFS = 0x6969;

type Watching = NonNullable<AgentOptions['watching']>;

/** Starts an agent in this process over files of `logs`, with a heartbeat every `healthInterval` seconds. */
async function watched(
  t: Test,
  files: readonly Partial<AgentConfiguration['files'][number]>[],
  watching: Watching = {},
  healthInterval = 3_600,
) {
  const folder = await mkdtemp(join(tmpdir(), 'sentinel-events-'));
  const logs = join(folder, 'logs');
  await mkdir(logs);
  const server = new StubServer();
  const configuration = { ...configurationOf(logs, await server.listen(), files), healthInterval };
  server.configuration = configuration;
  const said: string[] = [];
  const agent = new Agent({
    configuration,
    stateDir: join(folder, 'state'),
    log: (_, message) => said.push(message),
    watching: { typeOf: async () => EXT4, ...watching },
  });
  t.teardown(async () => {
    await agent.stop();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const status = (n = 0) => agent.status().files.find(({ id }) => id === fileId(n))!;
  return {
    folder,
    logs,
    server,
    agent,
    said,
    status,
    path: (name: string) => join(logs, name),
    changes: (n = 0) => server.reports.filter((one) => one.fileId === fileId(n)).map(({ change }) => change),
    newest: (n = 0) => server.reports.findLast((one) => one.fileId === fileId(n))?.versions.at(-1)?.hash,
    followed: () => until('events', () => status().events),
  };
}

/** A watch that loses all events. */
const deaf: typeof watch = ((folder: string) => watch(folder, () => undefined)) as typeof watch;

const failing = (code: string): typeof watch =>
  (() => {
    throw Object.assign(new Error(code), { code });
  }) as typeof watch;

t.test('an event brings the look: the next one by the clock would be half a minute away', async (t) => {
  const { agent, path, changes, followed, newest, status } = await watched(t, [{}]);
  await writeFile(path('0.log'), 'one\n');
  await agent.start();
  await until('FIRST', () => changes().includes('FIRST'));
  await followed();
  t.equal(status().everySeconds, 30);
  t.equal(status().polling, null);
  await appendFile(path('0.log'), 'two\n');
  await until('APPENDED', () => newest() === hashOf('one\ntwo\n'));
  await writeFile(path('new'), 'other\n');
  await rename(path('new'), path('0.log'));
  await until('renamed over', () => newest() === hashOf('other\n'));
});

t.test('a file without an event is looked at no more often than its confirming look', async (t) => {
  const { agent, path, changes, followed, status } = await watched(t, [{}, {}]);
  for (const name of ['0.log', '1.log']) await writeFile(path(name), 'one\n');
  await agent.start();
  await until('FIRST', () => changes(0).length === 1 && changes(1).length === 1);
  await followed();
  await until('looks at one file without a look at the other', async () => {
    // Repeat when the other file's own confirming look came in between.
    const idle = status(0).checkedAt;
    for (let append = 0; append < 3; append++) {
      const before = status(1).checkedAt;
      await appendFile(path('1.log'), 'two\n');
      await until('looked at', () => status(1).checkedAt !== before);
    }
    return status(0).checkedAt === idle;
  });
});

t.test(
  'events that are lost: the confirming look finds the change, and nothing looked well that was not looked at',
  async (t) => {
    const { agent, server, path, changes, newest, followed, status } = await watched(
      t,
      [{}],
      { watch: deaf },
      10,
    );
    await writeFile(path('0.log'), 'one\n');
    await agent.start();
    await until('FIRST', () => changes().includes('FIRST'));
    await followed();
    t.equal(status().everySeconds, 10);
    await writeFile(path('0.log'), 'two\n');
    const changedAt = (await stat(path('0.log'))).ctimeMs;
    await until('found', () => newest() === hashOf('two\n'));
    const lookedAt = Date.parse(server.reports.at(-1)!.timestamp);
    t.ok(lookedAt >= Math.floor(changedAt), 'the look came after the change');
    await until('counted', () => Date.parse(status().checkedAt!) >= lookedAt - 1_000);
  },
);

t.test('more events than the kernel keeps: every file is looked at, and the status says why', async (t) => {
  // With a queue of four events, a burst of two counts as a possible loss.
  const { agent, path, changes, newest, said, status } = await watched(t, [{}, {}], {
    queueEvents: 4,
    watch: half,
  });
  for (const name of ['0.log', '1.log']) await writeFile(path(name), 'one\n');
  await agent.start();
  await until('FIRST', () => changes(0).length === 1 && changes(1).length === 1);
  await until('overflow', async () => {
    await Promise.all([1, 2, 3, 4].map((n) => writeFile(path(`burst-${n}`), 'x')));
    return status().polling === 'OVERFLOW';
  });
  await writeFile(path('1.log'), 'unheard\n');
  await until('found', () => newest(1) === hashOf('unheard\n'));
  await until('told', () => said.some((line) => /OVERFLOW/.test(line)));
  await until('events again', () => status().events);
});

/** A watch that loses the events of 1.log. */
const half: typeof watch = ((folder: string, heard: (event: string, name: string | null) => void) =>
  watch(folder, (event, name) => {
    if (name !== '1.log') heard(event, name);
  })) as typeof watch;

for (const [what, watching, reason] of [
  ['the kernel gives no watch', { watch: failing('ENOSPC') }, 'WATCH_LIMIT'],
  ['the kernel gives no queue', { watch: failing('EMFILE') }, 'WATCH_LIMIT'],
  ['the folder may not be read', { watch: failing('EACCES') }, 'REFUSED'],
  ['a network file system', { typeOf: async () => NFS }, 'FILE_SYSTEM'],
  ['another platform', { platform: 'darwin' }, 'PLATFORM'],
] as const) {
  t.test(`without events: ${what}`, async (t) => {
    const { agent, path, changes, newest, said, status } = await watched(t, [{}], watching);
    await writeFile(path('0.log'), 'one\n');
    await agent.start();
    await until('FIRST', () => changes().includes('FIRST'));
    await until('told', () => said.some((line) => line.includes(reason)));
    t.match(status(), { events: false, polling: reason, everySeconds: 0.25 });
    await writeFile(path('0.log'), 'two\n');
    await until('found', () => newest() === hashOf('two\n'));
  });
}

t.test('what events of the folder do not tell of a file: it is looked at four times a second', async (t) => {
  const { agent, folder, path, changes, newest, status } = await watched(t, [{}, {}]);
  await writeFile(join(folder, 'elsewhere'), 'one\n');
  await writeFile(join(folder, 'twin'), 'one\n');
  await symlink(join(folder, 'elsewhere'), path('0.log'));
  await link(join(folder, 'twin'), path('1.log'));
  await agent.start();
  await until('FIRST', () => changes(0).length === 1 && changes(1).length === 1);
  await until('settled', () => status(0).polling === 'LINK' && status(1).polling === 'HARD_LINKS');
  await writeFile(join(folder, 'elsewhere'), 'two\n');
  await writeFile(join(folder, 'twin'), 'three\n');
  await until('the target', () => newest(0) === hashOf('two\n'));
  await until('the other name', () => newest(1) === hashOf('three\n'));
});

t.test('a file with a mount of its own is looked at four times a second', async (t) => {
  const { agent, folder, logs, path, changes, newest, status } = await watched(t, [{}, {}]);
  const elsewhere = join(folder, 'elsewhere');
  for (const file of [elsewhere, path('0.log'), path('1.log')]) await writeFile(file, 'one\n');
  const mounted = spawnSync('mount', ['--bind', elsewhere, path('0.log')]).status === 0;
  t.teardown(() => void (mounted && spawnSync('umount', ['--lazy', path('0.log')])));
  if (!mounted) return void t.pass('a mount', { skip: 'nothing can be mounted here' });
  const alias = join(folder, 'a folder with blanks');
  await symlink(logs, alias);
  t.same(await mountedIn(alias), new Set(['0.log']));
  await agent.start();
  await until('FIRST', () => changes(0).length === 1 && changes(1).length === 1);
  await until('settled', () => status(0).polling === 'MOUNT' && status(1).polling === null);
  t.match(status(0), { events: false, everySeconds: 0.25 });
  await writeFile(elsewhere, 'two\n');
  await until('the change', () => newest(0) === hashOf('two\n'));
});

t.test('a look at a file with a mount of its own does not hold the others up', async (t) => {
  const mounted = new Set(['0.log']);
  const { agent, path, changes, status } = await watched(t, [{}, {}], { mountedIn: async () => mounted });
  for (const file of [path('0.log'), path('1.log')]) await writeFile(file, 'one\n');
  const { lstatSync } = fs;
  const seen: unknown[] = [];
  const spied = (name: fs.PathLike, ...more: []): fs.Stats => {
    seen.push(name);
    return lstatSync(name, ...more);
  };
  Object.assign(fs, { lstatSync: spied });
  syncBuiltinESMExports();
  t.teardown(() => {
    Object.assign(fs, { lstatSync });
    syncBuiltinESMExports();
  });
  await agent.start();
  await until('FIRST', () => changes(0).length === 1 && changes(1).length === 1);
  await until('settled', () => status(0).polling === 'MOUNT' && status(1).polling === null);
  t.ok(seen.includes(path('1.log')), 'a local file is looked at by the main thread');
  t.notOk(seen.includes(path('0.log')));
});

t.test('the folder is removed and made again, and replaced by another', async (t) => {
  const { agent, folder, logs, path, changes, newest, said, status, followed } = await watched(t, [{}]);
  await writeFile(path('0.log'), 'one\n');
  await agent.start();
  await until('FIRST', () => changes().includes('FIRST'));
  await followed();
  await rm(logs, { recursive: true });
  await until('MISSING', () => changes().includes('MISSING'));
  await until('told', () => said.some((line) => line.includes('FOLDER_MISSING')));
  await mkdir(logs);
  await writeFile(path('0.log'), 'two\n');
  await until('back', () => newest() === hashOf('two\n'));
  await until('events', () => status().events);
  await until('told', () => said.some((line) => line.includes('events tell of changes again')));
  await mkdir(join(folder, 'other'));
  await writeFile(join(folder, 'other', '0.log'), 'three\n');
  await rename(logs, join(folder, 'old'));
  await rename(join(folder, 'other'), logs);
  await until('the other folder', () => newest() === hashOf('three\n'));
  await followed();
  await appendFile(path('0.log'), 'four\n');
  await until('its events', () => newest() === hashOf('three\nfour\n'));
});

/** Most tries until a folder that is made anew gets the inode of the one before. */
const SAME_INODE_TRIES = 100;

/** Removes a folder and makes it again at once, if the file system gives so with the same inode. */
function makeAgain(folder: string, text: string): void {
  const { ino } = statSync(folder);
  for (let tries = 1; tries <= SAME_INODE_TRIES; tries += 1) {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    if (statSync(folder).ino === ino) break;
  }
  writeFileSync(join(folder, '0.log'), text);
}

t.test('a folder that is made again with the same inode is watched anew', async (t) => {
  let watches = 0;
  const counted: typeof watch = ((...args: Parameters<typeof watch>) => {
    watches += 1;
    return watch(...args);
  }) as typeof watch;
  const { agent, logs, path, changes, newest, followed } = await watched(t, [{}], { watch: counted });
  await writeFile(path('0.log'), 'one\n');
  await agent.start();
  await until('FIRST', () => changes().includes('FIRST'));
  await followed();
  for (let round = 1; round <= 3; round += 1) {
    const before = watches;
    makeAgain(logs, `round ${round}\n`);
    await until('watched anew', () => watches > before);
    await until('the new file', () => newest() === hashOf(`round ${round}\n`));
    await followed();
    await appendFile(path('0.log'), 'more\n');
    await until('its events', () => newest() === hashOf(`round ${round}\nmore\n`));
  }
});

t.test('a folder that is mounted again is watched anew, although it is the same as before', async (t) => {
  const tell: ((event: 'rename' | 'change', name: string) => void)[] = [];
  const counted: typeof watch = ((folder: string, listener: (event: string, name: string) => void) => {
    tell.push(listener);
    return watch(folder, () => undefined);
  }) as typeof watch;
  const { agent, path, changes, followed } = await watched(t, [{}], { watch: counted });
  await writeFile(path('0.log'), 'one\n');
  await agent.start();
  await until('FIRST', () => changes().includes('FIRST'));
  await followed();
  t.equal(tell.length, 1);
  // As the kernel tells of an unmounted folder (IN_UNMOUNT, IN_IGNORED): its watch has ended.
  tell[0]?.('rename', 'logs');
  await until('the second watch', () => tell.length === 2);
  tell[1]?.('rename', 'logs');
  tell[1]?.('rename', 'logs');
  await until('a watch opened after the last event', () => tell.length >= 3);
  await followed();
});

t.test('a change within the grain of the file’s times is found', async (t) => {
  const { agent, path, changes, newest, followed } = await watched(t, [{}]);
  await writeFile(path('0.log'), '0000');
  await agent.start();
  await until('FIRST', () => changes().includes('FIRST'));
  await followed();
  const handle = await open(path('0.log'), 'r+');
  t.teardown(() => handle.close());
  for (let round = 1; round <= 20; round += 1) {
    const text = String(round).padStart(4, '0');
    for (let n = 0; n < 200; n += 1) await handle.write(text.slice(0, 3) + (n % 10), 0);
    await handle.write(text, 0);
    await until(`round ${round}`, () => newest() === hashOf(text));
  }
});

t.test('a rotation among many files of one folder', async (t) => {
  const count = 40;
  const rolled = (n: number) => ({ rolled: true, rolledfilenameregexp: `${n}\\.log\\.[0-9]+` });
  const { agent, path, changes, server } = await watched(
    t,
    Array.from({ length: count }, (_, n) => rolled(n)),
  );
  const past = new Date(Date.now() - 60_000);
  for (let n = 0; n < count; n += 1) {
    await writeFile(path(`${n}.log`), `log ${n}\n`);
    await writeFile(path(`${n}.log.1`), `archive of ${n}\n`);
    await utimes(path(`${n}.log.1`), past, past);
  }
  await agent.start();
  await until('FIRST', () => server.reports.length === count);
  await until('events', () => agent.status().files.every(({ events }) => events));
  for (let n = 0; n < count; n += 1) {
    await rename(path(`${n}.log.1`), path(`${n}.log.2`));
    await rename(path(`${n}.log`), path(`${n}.log.1`));
    await writeFile(path(`${n}.log`), `new ${n}\n`);
  }
  await until('ROLLED', () =>
    Array.from({ length: count }, (_, n) => changes(n)).every((one) => one.includes('ROLLED')),
  );
  t.notOk(server.reports.some(({ change }) => change === 'ARCHIVE_CHANGED' || change === 'REPLACED'));
  await writeFile(path('7.log.2'), 'another past\n');
  await until('the edit', () => changes(7).includes('ARCHIVE_CHANGED'));
});

t.test('thousands of files in one folder, each changed once', async (t) => {
  const count = 1_000;
  const { agent, path, server } = await watched(
    t,
    Array.from({ length: count }, (_, n) => ({
      id: `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    })),
  );
  for (let n = 0; n < count; n += 1) await writeFile(path(`${n}.log`), `${n}\n`);
  await agent.start();
  await until('FIRST', () => server.reports.length === count);
  await until('events', () => agent.status().files.every(({ events }) => events));
  for (let n = 0; n < count; n += 1) await appendFile(path(`${n}.log`), 'more\n');
  await until('APPENDED', () => server.reports.length === 2 * count);
  t.ok(server.reports.slice(count).every(({ change }) => change === 'APPENDED'));
});
