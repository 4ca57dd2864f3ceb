// The files in the settings of `npm run mutation` exist, and no pure folder is left out.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob, posix, relative, sep } from 'node:path';
import t from 'tap';
import { FOLDERS, TOO_SLOW } from '../mutation/folders.mjs';
import { root } from '../lib/prepare.mjs';

const sources = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);

const measures = ({ mutate }, file) =>
  mutate.some((glob) => !glob.startsWith('!') && matchesGlob(file, glob)) &&
  !mutate.some((glob) => glob.startsWith('!') && matchesGlob(file, glob.slice(1)));

/** Folders whose code is pure by `scripts/test/architecture.test.mjs`, at any depth. */
const PURE = [
  'contracts/src',
  ...readdirSync(join(root, 'services'))
    .map((service) => `services/${service}/src`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isDirectory() && /^(domain|registry)$/.test(entry.name))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/')),
    ),
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

const SOURCE = /\sfrom\s+'(\.\.\/src\/[^']+)'/g;

/** Test files that import measured files only: they run fast, and show what those do. */
function testsOfPureCode(workspace) {
  const entries = FOLDERS.filter((folder) => folder.workspace === workspace);
  return readdirSync(join(root, workspace, 'test')).filter((name) => {
    if (!name.endsWith('.test.ts')) return false;
    const text = readFileSync(join(root, workspace, 'test', name), 'utf8');
    const imported = [...text.matchAll(SOURCE)].map(([, path]) => posix.join(workspace, 'test', path));
    return imported.length > 0 && imported.every((file) => entries.some((entry) => measures(entry, file)));
  });
}

t.test('each test file of pure code alone runs, or is named as too slow', async (t) => {
  for (const workspace of new Set(FOLDERS.map((folder) => folder.workspace))) {
    const run = new Set(FOLDERS.filter((one) => one.workspace === workspace).flatMap(({ tests }) => tests));
    for (const file of testsOfPureCode(workspace))
      t.ok(
        run.has(file.replace('.test.ts', '')) !== TOO_SLOW.has(`${workspace}/test/${file}`),
        `${workspace}/test/${file}`,
      );
  }
  for (const file of TOO_SLOW.keys()) t.ok(existsSync(join(root, file)), file);
});

t.test('docs/mutation.md has a row for each', async (t) => {
  const page = readFileSync(join(root, 'docs/mutation.md'), 'utf8');
  for (const { name } of FOLDERS) t.match(page, new RegExp(`^\\| \`${name}\` `, 'm'));
});
