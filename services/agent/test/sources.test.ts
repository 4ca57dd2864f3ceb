import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { isAmong, readSources } from '../src/operate/sources.ts';
import { FILE_MS, sentinel, setUp, until, UUID } from './operate-stage.ts';
import { rowsIn } from './state-files.ts';

t.setTimeout(FILE_MS);

t.test('the configurations of a folder are known as its own, however the folder is written', async (t) => {
  const { folder, configurations, configuration, put, state } = await setUp(t);
  await put('a.json', configuration(0, []));
  const before = process.cwd();
  t.teardown(() => process.chdir(before));
  await mkdir(join(configurations, 'below'));
  for (const [at, path] of [
    [configurations, '.'],
    [configurations, './'],
    [join(configurations, 'below'), '..'],
    [folder, 'configurations'],
    [folder, './configurations//'],
    [folder, configurations],
  ] as const) {
    process.chdir(at);
    const { good } = await readSources([path], state);
    t.equal(isAmong({ path, message: '' }, good[0]!.file), true, path);
    t.equal(isAmong({ path, message: '' }, join(folder, 'configurations-2', 'a.json')), false, path);
  }
  process.chdir(configurations);
  t.equal(isAmong({ path: 'a.json', message: '' }, 'a.json'), true);
  t.equal(isAmong({ path: 'a.json', message: '' }, 'b.json'), false);
  t.equal(isAmong({ path: undefined, message: '' }, 'a.json'), false);
});

t.test('a device keeps its state when its configuration is no longer alone', async (t) => {
  const { folder, server, configurations, configuration, put, state } = await setUp(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  const file = await put('a.json', configuration(0, ['a.log']));
  const run = (path: string, ...more: string[]) =>
    sentinel(t, ['--config', path, '--state', state, '--once', ...more]).ended;
  t.equal((await run(file)).code, 0);
  await writeFile(join(folder, 'a.log'), 'other\n');
  server.down = true;
  t.equal((await run(file, '--timeout', '5')).code, 5, 'the report waits');
  t.equal(rowsIn(state, 'report'), 1);
  server.down = false;

  await put('b.json', configuration(1, []));
  t.match(await run(configurations), { code: 0 });
  const changes = server.reports.map(({ change }) => change).filter((one) => one !== 'UNCHANGED');
  t.same(changes, ['FIRST', 'REPLACED']);
  t.equal(rowsIn(state, 'report'), 0);
  t.notOk(server.events().some(({ code }) => code === 'STATE_RECOVERED'));
  const shown = await sentinel(t, ['status', '--state', state]).ended;
  t.same(
    [...shown.stdout.matchAll(/^device (\S+) /gm)].map(([, device]) => device),
    [`${UUID}10`, `${UUID}11`],
  );

  const holder = sentinel(t, ['--config', configurations, '--state', state]);
  await until('both are watched', () => holder.said().match(/watching/g)?.length === 2);
  const second = await run(join(configurations, 'b.json'));
  t.match(second, { code: 3, stderr: /another agent is using the state folder .*11; stop it/ });
});
