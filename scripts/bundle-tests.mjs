#!/usr/bin/env node
// bundle-tests.mjs FOLDER …: bundles the test files of folders, for instance `services/query/dist/test`. `npm test` runs
// the bundled files (docs/decisions/069-bundled-tests.md).
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXTERNAL, KAFKA_THREAD, replaceFolder, writeBundle, writeThreads } from './bundle.mjs';
import { root } from './lib/prepare.mjs';

const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Tools of the tests stay outside: they look for files by their own place. */
const TOOLS = Object.keys(devDependencies).filter((name) => name !== 'fast-check' && name !== 'tap');
const isTool = (id) => TOOLS.some((name) => id === name || id.startsWith(`${name}/`));

/**
 * Folder of tap in one file, which loads in half of the time. tap leaves the frames of all files in `node_modules/@tapjs`
 * out of a stack.
 */
const TAP = join(root, 'node_modules/.cache/sentinel-tap/node_modules/@tapjs');
/** Path of tap as bundled tests import it. */
export const TAP_IN_ONE_FILE = join(TAP, 'tap.js');

/** Bundles tap. Its modules keep their places, by which they find other packages. */
function bundleTap() {
  const places = {
    name: 'places-of-tap',
    transform: (code, id) =>
      code.includes('import.meta.url')
        ? { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
        : null,
  };
  const entries = { tap: 'node_modules/tap/dist/esm/index.js' };
  return replaceFolder(TAP, (folder) => writeBundle(folder, entries, { external: [], plugins: [places] }));
}

/** Lets the tests import tap from its one file. */
const tapInOneFile = () => ({
  name: 'tap-in-one-file',
  resolveId: (id) => (id === 'tap' ? { id: pathToFileURL(TAP_IN_ONE_FILE).href, external: true } : null),
});

/** Bundles the test files of a folder into its neighbour `bundled-test`, and beside them the threads of the product. */
function bundleTests(folder) {
  const bundled = bundledOf(folder);
  const sources = folder.replace(/\/dist(-test)?\//, '/');
  const names = readdirSync(join(root, sources)).filter((name) => name.endsWith('.test.ts'));
  const tests = names.map((name) => [name.replace(/\.ts$/, ''), `${sources}/${name}`]);
  return replaceFolder(join(root, bundled), async (folder) => {
    await writeBundle(
      folder,
      { ...Object.fromEntries(tests), ...KAFKA_THREAD },
      {
        external: (id) => EXTERNAL.some((one) => one.test(id)) || isTool(id),
        plugins: [tapInOneFile(), placesOfTests(join(root, bundled))],
      },
    );
    await writeThreads(folder);
  });
}

/** Returns the folder of the bundled files. It is as deep as the compiled one, so that relative paths stay right. */
export const bundledOf = (folder) => join(dirname(folder), 'bundled-test');

/**
 * Tests find recorded files and programs by their own place: gives their modules the place of the compiled file. A source
 * of the product keeps the place of the bundle, where its threads are.
 */
function placesOfTests(bundled) {
  return {
    name: 'places-of-tests',
    transform(code, id) {
      const isOurs = id.startsWith(root) && !id.includes('/node_modules/');
      if (!isOurs || !code.includes('import.meta.url')) return null;
      if (id.includes('/src/') && !id.includes('/test-kit/')) return null;
      const place = JSON.stringify(relative(bundled, compiledOf(id)));
      // The number of lines stays, so the map stays right.
      return {
        code: code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`),
        map: null,
      };
    },
  };
}

/** Returns the path of the compiled file; of any other file its own path. */
function compiledOf(file) {
  const [, part, rest] = /^(.*)\/((?:test|src)\/.*)\.ts$/.exec(file) ?? [];
  if (part === undefined) return file;
  return `${part}/${part === join(root, 'web') ? 'dist-test' : 'dist'}/${rest}.js`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await Promise.all([bundleTap(), ...process.argv.slice(2).map(bundleTests)]);
