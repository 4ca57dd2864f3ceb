// The files in the settings of `npm run mutation` exist, and no pure folder is left out.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import t from 'tap';
import { FOLDERS } from '../mutation/folders.mjs';
import { root } from '../lib/prepare.mjs';

const sources = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);

const measures = ({ mutate }, file) =>
  mutate.some((glob) => !glob.startsWith('!') && matchesGlob(file, glob)) &&
  !mutate.some((glob) => glob.startsWith('!') && matchesGlob(file, glob.slice(1)));

const PURE = [
  'contracts/src',
  'services/query/src/registry',
  ...readdirSync(join(root, 'services'))
    .map((service) => `services/${service}/src/domain`)
    .filter((folder) => existsSync(join(root, folder))),
];

t.test('each file of the pure folders is measured once', async (t) => {
  for (const file of PURE.flatMap(sources)) {
    const names = FOLDERS.filter((folder) => measures(folder, file)).map(({ name }) => name);
    t.equal(names.length, 1, `${file}: ${names.join(', ') || 'not measured'}`);
  }
});

t.test('each glob finds files and each test file is there', async (t) => {
  for (const { name, workspace, mutate, tests } of FOLDERS) {
    const files = sources(`${workspace}/src`);
    for (const glob of mutate)
      t.ok(
        files.some((file) => matchesGlob(file, glob.replace('!', ''))),
        `${name}: ${glob}`,
      );
    t.ok(tests.length > 0, name);
    for (const test of tests)
      t.ok(existsSync(join(root, workspace, 'test', `${test}.test.ts`)), `${name}: ${test}`);
  }
});

t.test('docs/mutation.md has a row for each', async (t) => {
  const page = readFileSync(join(root, 'docs/mutation.md'), 'utf8');
  for (const { name } of FOLDERS) t.match(page, new RegExp(`^\\| \`${name}\` `, 'm'));
});
