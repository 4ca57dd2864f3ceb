import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { withoutPython } from './python.ts';
import { vector } from './support.ts';
import { buildVectors } from './vectors.ts';

const folder = fileURLToPath(new URL('../../vectors', import.meta.url));
const secondImplementation = fileURLToPath(new URL('../../test/second_implementation.py', import.meta.url));

t.test('the code gives the recorded vectors', async (t) => {
  const built = await buildVectors();
  t.same(readdirSync(folder).sort(), Object.keys(built).sort());
  for (const [name, content] of Object.entries(built)) {
    t.strictSame(JSON.parse(JSON.stringify(content)), vector(name), name);
  }
});

t.test(
  'a second implementation, in Python, gives the recorded vectors',
  { skip: withoutPython },
  async (t) => {
    const run = spawnSync('python3', [secondImplementation, folder], { encoding: 'utf8' });
    t.equal(run.stderr, '');
    t.equal(run.status, 0, 'python3 is there and agrees');
    t.ok(Number(run.stdout) > 300, `${run.stdout.trim()} values compared`);
  },
);

t.test('every worked value of docs/formats.md is a recorded vector', async (t) => {
  const page = readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8');
  const recorded = readdirSync(folder)
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('\n');
  const worked = page.match(/\b([0-9a-f]{28,}|[0-9A-Z]{26}|[A-Za-z0-9+/]{43,}=)(?![\w])/g) ?? [];
  t.ok(worked.length > 25, `${worked.length} values`);
  for (const value of worked) t.ok(recorded.includes(value), value.slice(0, 64));
});
