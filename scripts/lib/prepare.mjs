// Installs missing packages and builds stale output, for start, test and bench. Plain Node, no dependency.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const MINIMUM_NODE = [20, 19];
/** Compiles every package, relative to `root`. One checker a project: several check the same types again, for twice the work. */
export const COMPILE = ['node_modules/native-typescript/bin/tsc', '-b', '--checkers', '1'];

/** Prints one line and exits with code 1. A problem that a person can solve needs no stack trace. */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1])) return;
  fail(`Sentinel Node needs Node ${MINIMUM_NODE.join('.')} or newer; this is ${process.versions.node}.`);
}

/** Runs a command and resolves with its output. When the command fails, prints the output and exits. */
export function run(title, command, args, { quiet = true } = {}) {
  return new Promise((resolve) => {
    const started = Date.now();
    process.stderr.write(`${title} … `);
    const windows = process.platform === 'win32';
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], shell: windows });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    const stop = () => child.kill('SIGTERM');
    process.once('SIGTERM', stop);
    child.on('error', (error) => fail(`failed: ${error.message}`));
    child.on('close', (code) => {
      process.off('SIGTERM', stop);
      if (code !== 0) fail(`failed.\n${output}`);
      process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1)} s\n`);
      if (!quiet) process.stdout.write(output);
      resolve(output);
    });
  });
}

const hashOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

async function install() {
  const mark = join(root, 'node_modules', '.sentinel-installed');
  const wanted = hashOf(join(root, 'package-lock.json'));
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  const inside = existsSync(join(root, 'node_modules', '.package-lock.json'));
  await run(inside ? 'Updating the packages' : 'Installing the packages (once, about a minute)', 'npm', [
    'ci',
    '--no-fund',
    '--no-audit',
    '--no-progress',
  ]);
  writeFileSync(mark, wanted);
}

function newest(folder, ignore) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (ignore.has(entry.name) || entry.name.startsWith('dist')) continue;
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path, ignore) : statSync(path).mtimeMs);
  }
  return latest;
}

/** Builds when a source is newer than the last build; without the console when `web` is false. */
async function build({ web }) {
  const cache = join(root, 'node_modules', '.cache');
  const ignore = new Set(['node_modules', '.tap', 'data']);
  const bases = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json'];
  const base = Math.max(...bases.map((file) => statSync(join(root, file)).mtimeMs));
  const sources = Math.max(
    base,
    ...['contracts', 'services', 'web'].map((part) => newest(join(root, part), ignore)),
  );
  const stamp = (name) => join(cache, `sentinel-built-${name}`);
  const stale = (name) => !existsSync(stamp(name)) || statSync(stamp(name)).mtimeMs < sources;
  const done = (name) => {
    mkdirSync(cache, { recursive: true });
    writeFileSync(stamp(name), '');
  };
  const node = process.execPath;
  if (stale('services') || !existsSync(join(root, 'services/all-in-one/dist/bundle/main.js'))) {
    await run('Building the services', node, COMPILE);
    await run('Bundling the services', node, ['scripts/bundle.mjs']);
    done('services');
  }
  if (web && (stale('web') || !existsSync(join(root, 'web/dist/index.html')))) {
    await run('Building the console', 'npm', ['run', 'build', '--workspace', 'web']);
    done('web');
  }
}

export async function prepare({ web = true } = {}) {
  checkNode();
  await install();
  await build({ web });
}
