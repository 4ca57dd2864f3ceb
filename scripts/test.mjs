#!/usr/bin/env node
// npm test [-- FILE …]: builds, runs every suite with tap, says what was left out and why.
// SENTINEL_TEST_REQUIRE=python,browser,kafka,mongo,nginx turns a part that is missing into a failure.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './lib/prepare.mjs';

const SUITES = [
  'contracts/dist/test',
  ...readdirSync(join(root, 'services')).map((name) => `services/${name}/dist/test`),
  'web/dist-test/test',
  'scripts/test',
];

function testFiles(folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return (
    readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.test\.m?js$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
      // A test whose source is gone would run for ever from an old build.
      .filter((file) => file.endsWith('.mjs') || existsSync(join(root, sourceOf(file))))
      .sort()
  );
}

const sourceOf = (file) => file.replace(/\/dist(-test)?\//, '/').replace(/\.js$/, '.ts');

const has = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const chromium = process.env.SENTINEL_TEST_CHROMIUM ?? '/usr/bin/chromium';
const parts = {
  python: has('python3', ['--version']) ? 'python3' : undefined,
  browser: existsSync(chromium) ? chromium : undefined,
  nginx: has('nginx', ['-v']) ? 'nginx' : undefined,
};

await prepare();
const chosen = process.argv.slice(2);
for (const [part, found] of Object.entries({ ...parts, ...(await testServers(chosen)) })) {
  process.stdout.write(`${part}: ${found ?? 'not here; its tests are left out'}\n`);
}
const files = chosen.length > 0 ? chosen : SUITES.flatMap(testFiles);
mkdirSync(join(root, '.tap'), { recursive: true });
const results = join(root, '.tap', 'results.tap');
rmSync(results, { force: true });
const tap = spawn(
  process.execPath,
  [
    'node_modules/tap/dist/esm/run.mjs',
    'run',
    '-R',
    'silent',
    `--output-file=${results}`,
    `-j${availableParallelism()}`,
    ...files,
  ],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tap.kill(signal));
const code = await new Promise((resolve) => tap.on('close', resolve));

const text = existsSync(results) ? readFileSync(results, 'utf8') : '';
const { passed, failed, skipped } = count(text);
const reasons = new Set([...text.matchAll(/^\s*ok \d+ - (.*?) # SKIP(.*)$/gm)].map((m) => `${m[1]}:${m[2]}`));
for (const reason of reasons) process.stdout.write(`left out: ${reason}\n`);
if (failed > 0 || code !== 0) process.stdout.write(`${failures(text)}\n`);
const none = passed === 0;
if (none) process.stdout.write('no test ran\n');
process.stdout.write(`${passed} passed, ${failed || (code !== 0 ? 1 : 0)} failed, ${skipped} skipped\n`);
process.exit(code === 0 && failed === 0 && !none ? 0 : 1);

/** Downloads what real servers need, once, so that no test waits for it; only for a run of all suites. */
async function testServers(files) {
  if (files.length > 0) return {};
  const module = join(root, 'services/platform/dist/src/test-servers/index.js');
  const { prepareTestServer } = await import(pathToFileURL(module).href);
  const found = {};
  for (const kind of ['kafka', 'mongo']) {
    const { from, missing } = await prepareTestServer(kind);
    found[kind] = from ?? `not here (${missing}); its tests are left out`;
  }
  return found;
}

/** The closing totals that tap writes: `# { total: 4, pass: 2, fail: 1, skip: 1 }`. */
function count(tapText) {
  const closing = [...tapText.matchAll(/^# \{ (total: .*) \}$/gm)].at(-1)?.[1] ?? '';
  const of = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(closing)?.[1] ?? 0);
  return { passed: of('pass'), failed: of('fail'), skipped: of('skip') + of('todo') };
}

/** Every `not ok` with the lines of its diagnosis. */
function failures(tapText) {
  const lines = tapText.split('\n');
  const out = [];
  for (let i = 0; i < lines.length; i += 1) {
    if (!/^\s*not ok/.test(lines[i])) continue;
    out.push(lines[i]);
    for (
      let j = i + 1;
      j < lines.length && j < i + 40 && !/^\s*(not ok|ok|# Subtest|1\.\.)/.test(lines[j]);
      j += 1
    )
      out.push(lines[j]);
  }
  return out.slice(0, 600).join('\n');
}
