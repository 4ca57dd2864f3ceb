import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { FILE_MS, fileId, stage, until } from './agent-process.ts';

t.setTimeout(FILE_MS);

for (const [what, put] of [
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
    put(path('0.log'));
    await until('MISSING', () => changes(fileId(0)).includes('MISSING'));
    await until('the kind', () => server.events().some(({ code }) => code === 'FILE_KIND'));
    t.match(
      server.events().find(({ code }) => code === 'FILE_KIND'),
      {
        fileId: fileId(0),
        message: new RegExp(`there is a ${what} now`),
      },
    );
    writeFileSync(path('1.log'), 'two\n');
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
  t.match(server.events(), [{ message: /there was a file, there is a link to other now/ }]);
  await until('the same content', () => changes().includes('UNCHANGED'));
});
