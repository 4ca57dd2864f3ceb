import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { lookAt } from '../src/io/kind.ts';
import { FILE_MS, fileId, stage, until } from './agent-process.ts';
import { put } from './put-file.ts';

t.setTimeout(FILE_MS);

/** More than `LIMITS.heartbeatEvents`. */
const MANY_FILES = 150;

for (const [what, make] of [
  ['FIFO', (path: string) => void spawnSync('mkfifo', [path])],
  ['folder', (path: string) => mkdirSync(path)],
  ['device', (path: string) => symlinkSync('/dev/zero', path)],
] as const) {
  t.test(`a ${what} in the place of a file is told, and does not hold the agent up`, async (t) => {
    const { path, server, start, changes } = await stage(t, {}, {});
    for (const name of ['0.log', '1.log']) writeFileSync(path(name), 'one\n');
    start();
    await until('FIRST', () => changes().filter((one) => one === 'FIRST').length === 2);
    rmSync(path('0.log'));
    make(path('0.log'));
    await until('MISSING', () => changes(fileId(0)).includes('MISSING'));
    await until('the kind', () => server.events().some(({ code }) => code === 'FILE_KIND'));
    t.match(
      server.events().find(({ code }) => code === 'FILE_KIND'),
      {
        fileId: fileId(0),
        message: new RegExp(`there is a ${what} now`),
      },
    );
    put(path('1.log'), 'two\n');
    await until('the other goes on', () => changes(fileId(1)).includes('REPLACED'));
  });
}

t.test('a link to equal content in the place of a file is told', async (t) => {
  const { path, server, start, changes } = await stage(t, {});
  writeFileSync(path('0.log'), 'one\n');
  start();
  await until('FIRST', () => changes().includes('FIRST'));
  writeFileSync(path('other'), 'one\n');
  symlinkSync('other', path('link'));
  renameSync(path('link'), path('0.log'));
  await until('the kind', () => server.events().some(({ code }) => code === 'FILE_KIND'));
  matchList(t, server.events(), [{ message: /there was a file, there is a link to other now/ }]);
  await until('the same content', () => changes().includes('UNCHANGED'));
});

t.test('a link that a file replaces while it is looked at is a file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-kinds-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'a');
  for (const name of ['target', 'file']) writeFileSync(join(folder, name), name);
  symlinkSync('target', path);
  // The link itself is looked at at once, what it leads to and where only after this turn of the event loop.
  const looking = lookAt(path, true);
  renameSync(join(folder, 'file'), path);
  t.match(await looking, { what: 'file', about: { size: 'file'.length } });
});

t.test('targets of links that differ at their end only are two kinds', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-kinds-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'a');
  const kindOf = async (name: string): Promise<string> => {
    writeFileSync(join(folder, name), 'equal');
    rmSync(path, { force: true });
    symlinkSync(name, path);
    return (await lookAt(path)).what;
  };
  const long = 'x'.repeat(220);
  const kinds = [await kindOf(`${long}1`), await kindOf(`${long}2`)];
  t.not(kinds[0], kinds[1]);
  t.match(kinds[0], /^link to x{200}… \(SHA-256 [0-9a-f]{16}\)$/);
  t.equal(await kindOf('y'.repeat(200)), `link to ${'y'.repeat(200)}`);
});

t.test('a link in the place of a rolled file is told at once', async (t) => {
  const { path, server, start, changes } = await stage(t, {
    rolled: true,
    rolledfilenameregexp: '0\\.log\\.[0-9]',
  });
  writeFileSync(path('0.log'), 'one\n');
  start();
  await until('FIRST', () => changes().includes('FIRST'));
  writeFileSync(path('other'), 'other\n');
  symlinkSync('other', path('link'));
  renameSync(path('link'), path('0.log'));
  await until('ROLLED', () => changes().includes('ROLLED'));
  await until('the kind', () => server.events().some(({ code }) => code === 'FILE_KIND'));
});

t.test('an agent that is killed when it remembers a link has kept that it has to tell it', async (t) => {
  const { path, server, start, changes } = await stage(t, {});
  writeFileSync(path('0.log'), 'one\n');
  const preload = new URL('preload-commit.js', import.meta.url).href;
  const agent = start({ NODE_OPTIONS: `--import ${preload}`, SENTINEL_TEST_LAST: '"kind":"link to other"' });
  await until('FIRST', () => changes().includes('FIRST'));
  writeFileSync(path('other'), 'one\n');
  symlinkSync('other', path('link'));
  renameSync(path('link'), path('0.log'));
  t.equal(await agent.ended, null, 'it is killed');
  start();
  await until('the same content', () => changes().includes('UNCHANGED'));
  await until('the kind', () => server.events().some(({ code }) => code === 'FILE_KIND'));
});

t.test('links in the place of more files than a heartbeat tells of are all told', async (t) => {
  const files = Array.from({ length: MANY_FILES }, () => ({}));
  const { path, server, start, changes } = await stage(t, ...files);
  for (const n of files.keys()) writeFileSync(path(`${n}.log`), 'one\n');
  writeFileSync(path('other'), 'one\n');
  const agent = start();
  await until('FIRST', () => changes().filter((one) => one === 'FIRST').length === MANY_FILES);
  server.down = true;
  for (const n of files.keys()) {
    symlinkSync('other', path('link'));
    renameSync(path('link'), path(`${n}.log`));
  }
  await until('looks', () => agent.said().split('there is a link to other now').length > MANY_FILES);
  server.down = false;
  const told = (): Set<string | null> =>
    new Set(server.events().flatMap(({ code, fileId }) => (code === 'FILE_KIND' ? [fileId] : [])));
  await until('the kinds', () => told().size === MANY_FILES);
});
