// What a command and a thread load from the bundle: each start pays for every module (docs/decisions/049-bundled-programs.md).
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { THREADS } from '../bundle.mjs';
import { root } from '../lib/prepare.mjs';

const FOLDER = join(root, 'services/all-in-one/dist/bundle');
const BYTES_PER_KIB = 1024;
/** Most code that `sentinel --help` and `sentinel agent --help` load, in KiB. */
const COMMAND_LINE_KIB = 64;
/** Most code that a command of operators loads before it opens its stores, in KiB: no web server, no library of Bitcoin. */
const OPERATOR_KIB = 2_200;

const textOf = (file) => readFileSync(join(FOLDER, file), 'utf8');
const STATIC = /^(?:import|export)\b[^;'"]*?(?:\bfrom\s*)?"\.\/([^"]+)";$/gm;
const DYNAMIC = /\bimport\("\.\/([^"]+)"\)/g;
const importsOf = (file, kind) => [...textOf(file).matchAll(kind)].map(([, name]) => name);

/** Returns the files that a file loads at its start, and the file. */
function loadedBy(file, known = new Set()) {
  if (known.has(file)) return known;
  known.add(file);
  for (const name of importsOf(file, STATIC)) loadedBy(name, known);
  return known;
}

const kibOf = (files) =>
  [...files].reduce((sum, file) => sum + statSync(join(FOLDER, file)).size, 0) / BYTES_PER_KIB;

t.test('the command line loads no command', async (t) => {
  const files = loadedBy('sentinel.js');
  t.ok(kibOf(files) < COMMAND_LINE_KIB, `${kibOf(files).toFixed(1)} KiB`);
  const agent = [...files]
    .flatMap((file) => importsOf(file, DYNAMIC))
    .find((file) => /export \{ .*\brunAgent\b/.test(textOf(file)));
  t.ok(agent, 'the agent is one of the commands');
  const withHelp = loadedBy(agent, files);
  t.ok(kibOf(withHelp) < COMMAND_LINE_KIB, `with the agent's help: ${kibOf(withHelp).toFixed(1)} KiB`);
});

t.test('a command of operators loads what it uses, not the whole system', async (t) => {
  const commands = importsOf('commands.js', DYNAMIC);
  t.ok(commands.length > 0);
  for (const file of commands) {
    const files = loadedBy(file);
    const [, name] = /export \{ .*\b(run\w+)\b/.exec(textOf(file)) ?? [];
    t.ok(kibOf(files) < OPERATOR_KIB, `${name}: ${kibOf(files).toFixed(1)} KiB`);
    const server = [...files].find((other) => textOf(other).includes('node_modules/fastify/fastify.js'));
    t.equal(server, undefined, `${name} loads no web server`);
  }
});

t.test('the body of a thread is one file', async (t) => {
  for (const name of Object.keys(THREADS)) t.same([...loadedBy(`${name}.js`)], [`${name}.js`]);
});

t.test('the thread that reads Kafka has the limits that a test changes before the start', async (t) => {
  const limits = [...loadedBy('kafka.js')].filter((file) => textOf(file).includes('sessionTimeoutMs:'));
  t.equal(limits.length, 1);
  const name = 'thread-main.js';
  const ofThread = [...loadedBy(name)].filter((file) => textOf(file).includes('sessionTimeoutMs:'));
  t.same(ofThread, limits);
});
