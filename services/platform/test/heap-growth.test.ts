import { spawnSync } from 'node:child_process';
import t from 'tap';

const PLATFORM = new URL('../src/process/heap-growth.js', import.meta.url).href;
const run = (code: string) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });

t.test('this version of V8 knows the flag', (t) => {
  const limited = run(`import { limitHeapGrowth } from '${PLATFORM}'; limitHeapGrowth();`);
  t.same([limited.status, limited.stdout, limited.stderr], [0, '', '']);
  const unknown = run("import v8 from 'node:v8'; v8.setFlagsFromString('--no-such-flag=1');");
  t.equal(unknown.status, 0, 'one that does not goes on');
  t.match(unknown.stderr, /no-such-flag/);
  t.end();
});
