import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { isAmong, readSources } from '../src/operate/sources.ts';
import { setUp } from './operate-stage.ts';

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
