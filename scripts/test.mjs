#!/usr/bin/env node
// npm test [-- FILE …]: builds, runs every suite from its bundle, small files in groups, and prints skipped tests with the
// reasons. Named files run as they are.
// SENTINEL_TEST_REQUIRE=python,browser,kafka,mongo,nginx,archivers,openssl,bsv-sdk,go turns a missing part into a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledOf, TAP_IN_ONE_FILE } from './bundle-tests.mjs';
import { failuresOf } from './lib/failures.mjs';
import { groupsOf, timesOf, writeGroup } from './lib/group-files.mjs';
import { prepare, root, run } from './lib/prepare.mjs';
import { runFiles } from './lib/run-files.mjs';

/** Most files that run beside those that have a processor each: the longest wait for outages nearly all the time. */
const MORE = 3 * availableParallelism();
/** Number of slowest files that are named at the end, so that every run shows where its time goes. */
const SLOWEST = 25;

/** Tests of whole systems and browsers take longest: they run first, so that no core is idle at the end. */
const FIRST = ['services/all-in-one/dist/test', 'web/dist-test/test', 'services/platform/dist/test'];
const SUITES = [
  ...new Set([
    ...FIRST,
    ...readdirSync(join(root, 'services')).map((name) => `services/${name}/dist/test`),
    'contracts/dist/test',
    'scripts/test',
  ]),
];

/**
 * Suites of several minutes each, with three brokers, slow reads and a stand-in for MongoDB under attack. They run with
 * `npm run faults -- NAME`, for instance before a release.
 */
const LONG = ['noisy-neighbour', 'quota', 'three-brokers'];
const isLong = (file) => LONG.some((name) => file.endsWith(`/cluster-${name}.test.js`));

/** Files of a minute or more, in any folder. They start first, because a late start would leave other cores idle. */
const LONGEST =
  /\/(audit|backup|cluster-|crash\.|demo|deploy-images|kafka-(contract|faults)|patch-day|torture|try-backends)/;
/**
 * Files that keep a process of their own, because they take long, start servers or whole systems, or are not bundled. Little
 * of their time is spent on loading, and they wait a lot, so that others run beside them.
 */
const ALONE = /\/(accessibility|kafka-|mongodb-)|-mongodb\.|\.mjs$|^services\/(agent|all-in-one|test-kit)\//;
/** Most files in one process: about half a minute of work. */
const GROUP_FILES = { web: 6, other: 8 };
function mostTogether(file) {
  if (LONGEST.test(file) || ALONE.test(file)) return 1;
  return file.startsWith('web/') ? GROUP_FILES.web : GROUP_FILES.other;
}
/**
 * Systems that work under load for as long as their tests take: beside each other each takes longer, and so does more. Of
 * these one runs at a time.
 */
const HEAVY = /\/cluster-/;
const longestFirst = (a, b) => Number(LONGEST.test(b)) - Number(LONGEST.test(a));

function testFiles(folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return (
    readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.test\.m?js$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      // A test whose source was removed would otherwise run for ever from an old build.
      .filter((file) => file.endsWith('.mjs') || existsSync(join(root, sourceOf(file))))
      .sort()
  );
}

/** Puts the small files of each package together. @returns the programs to run, in the order of `files` */
const grouped = (files) => groupsOf(files, mostTogether).map((group) => writeGroup(group, TAP_IN_ONE_FILE));

/** Bundles compiled test files. @returns the files to run, in the order of `files` */
async function bundled(files) {
  const folders = [...new Set(files.filter((file) => file.endsWith('.js')).map((file) => dirname(file)))];
  await run('Bundling the tests', process.execPath, ['scripts/bundle-tests.mjs', ...folders]);
  return files.map((file) => (file.endsWith('.js') ? join(bundledOf(dirname(file)), basename(file)) : file));
}

const sourceOf = (file) => file.replace(/\/dist(-test)?\//, '/').replace(/\.js$/, '.ts');

const has = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const parts = {
  python: has('python3', ['--version']) ? 'python3' : undefined,
  nginx: has('nginx', ['-v']) ? 'nginx' : undefined,
};

await prepare();
const chosen = process.argv.slice(2);
const { findChromium } = await testKit('test-servers/chromium.js');
parts.browser = findChromium().path;
for (const [part, found] of Object.entries({ ...parts, ...(await downloads(chosen)) })) {
  process.stdout.write(`${part}: ${found ?? 'not here; its tests are left out'}\n`);
}
const files =
  chosen.length > 0
    ? chosen
    : grouped(
        await bundled(
          SUITES.flatMap(testFiles)
            .filter((file) => !isLong(file))
            .sort(longestFirst),
        ),
      );
if (chosen.length === 0)
  for (const name of LONG) process.stdout.write(`not here, by itself: npm run faults -- ${name}\n`);
const onEnd = ({ ok, file, seconds }) => {
  if (!ok) process.stdout.write(`failed: ${file} after ${seconds.toFixed(1)} s\n`);
};
const results = await runFiles(files, availableParallelism(), {
  onEnd,
  more: MORE,
  isHeavy: (file) => HEAVY.test(file),
});
const text = results.map(asSubtest).join('');
mkdirSync(join(root, '.tap'), { recursive: true });
writeFileSync(join(root, '.tap', 'results.tap'), text);

const reasons = new Set([...text.matchAll(/^\s*ok \d+ - (.*?) # SKIP(.*)$/gm)].map((m) => `${m[1]}:${m[2]}`));
for (const reason of reasons) process.stdout.write(`left out: ${reason}\n`);
const slowest = results
  .flatMap(timesOf)
  .sort((a, b) => b.seconds - a.seconds)
  .slice(0, SLOWEST);
for (const { file, seconds } of slowest) process.stdout.write(`slow: ${seconds.toFixed(1)} s ${file}\n`);
const missed = files.length - results.length;
if (missed > 0) process.stdout.write(`${missed} files were not run\n`);
const bad = results.filter(({ ok }) => !ok);
if (bad.length > 0) process.stdout.write(`${failuresOf(bad.map(asSubtest).join(''))}\n`);
const total = (part) => results.reduce((sum, result) => sum + result[part], 0);
const passed = total('passed');
const failed = total('failed') + missed;
if (passed === 0) process.stdout.write('no test ran\n');
// A pipe can be full: the process ends when its reader has the totals.
process.stdout.write(`${passed} passed, ${failed} failed, ${total('skipped')} skipped\n`, () =>
  process.exit(failed === 0 && passed > 0 ? 0 : 1),
);

/** Returns the result of a file as one subtest in TAP. */
function asSubtest({ file, ok, seconds, text: inner }) {
  const lines = inner.trimEnd().replace(/^(?=.)/gm, '    ');
  return `# Subtest: ${file}\n${lines}\n${ok ? 'ok' : 'not ok'} - ${file} # time=${seconds.toFixed(3)}s\n\n`;
}

/** Downloads real servers and third-party programs once, so that no test waits; only for a run of all suites. */
async function downloads(files) {
  if (files.length > 0) return {};
  const { prepareTestServer } = await testKit('test-servers/index.js');
  const { prepareOtherProgram } = await testKit('other-programs/index.js');
  const found = {};
  const setFound = (kind, from, missing) => {
    found[kind] = from ?? `not here (${missing}); its tests are left out`;
  };
  for (const kind of ['kafka', 'mongo']) {
    const { from, missing } = await prepareTestServer(kind);
    setFound(kind, from, missing);
  }
  for (const kind of ['bsv-sdk', 'go']) {
    const { command, missing } = await prepareOtherProgram(kind);
    setFound(kind, command?.[0], missing);
  }
  return found;
}

function testKit(name) {
  return import(pathToFileURL(join(root, `services/test-kit/dist/src/${name}`)).href);
}
