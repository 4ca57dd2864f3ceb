/** Tests that no command ends with a stack, or with 0 while its output is not whole. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const SENTINEL = fileURLToPath(new URL('../../bin/sentinel.mjs', import.meta.url));
const CLI = new URL('../src/cli.js', import.meta.url).href;
const STACK = /\n\s+at |Node\.js v/;

/** Runs the command `x`, whose body is `run`, in a process of its own. */
function running(run: string) {
  const program = `const { cli } = await import('${CLI}');
process.exitCode = await cli(['x'], [{ name: 'x', summary: '', run: async () => { ${run} } }]);`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
}

t.test('an unexpected error is one line, which says where', async (t) => {
  for (const run of [
    "throw new TypeError('no\\n such thing')",
    "setImmediate(() => { throw new TypeError('no\\n such thing') }); await new Promise((end) => setTimeout(end, 60_000))",
    "Promise.reject(new TypeError('no\\n such thing')); await new Promise((end) => setTimeout(end, 60_000))",
  ]) {
    const { status, stderr, stdout } = running(run);
    t.equal(status, 1, run);
    t.equal(stdout, '');
    t.match(stderr, /^sentinel x: stopped by an internal error: no such thing \(at .+\)\n$/);
  }
  t.match(running("throw 'a text'").stderr, /^sentinel x: stopped by an internal error: a text\n$/);
});

t.test('what is thrown is not always an error', async (t) => {
  const { status, stderr } = running('throw undefined');
  t.equal(status, 1);
  t.match(stderr, /^sentinel x: stopped by an internal error: undefined\n$/);
});

t.test('output to a reader that has gone', async (t) => {
  const child = spawn(process.execPath, [SENTINEL, 'verify', '--help'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = await once(child, 'close');
  t.equal(code, 1);
  t.match(said, /^sentinel verify: what reads the output has ended: the output is not whole\n$/);
});

t.test('output to a full disk', { skip: process.platform !== 'linux' }, async (t) => {
  const full = openSync('/dev/full', 'w');
  for (const args of [['--help'], ['verify', '--help'], ['--version']]) {
    const stdio: ['ignore', number, 'pipe'] = ['ignore', full, 'pipe'];
    const { status, stderr } = spawnSync(process.execPath, [SENTINEL, ...args], { stdio, encoding: 'utf8' });
    t.equal(status, 1, args.join(' '));
    t.match(
      stderr,
      /^sentinel( verify)?: the output cannot be written \(the disk is full\): it is not whole\n$/,
    );
  }
});

t.test('of an output that fits in part the end is not lost in silence', async (t) => {
  const file = join(t.testdir(), 'out');
  const script = `ulimit -f 2; exec "${process.execPath}" "${SENTINEL}" verify --help > "${file}"`;
  const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  t.equal(statSync(file).size, 2_048);
  t.equal(status, 1);
  t.match(stderr, /^sentinel verify: the output cannot be written \(.+\): it is not whole\n$/);
  t.notMatch(stderr, STACK);
});

t.test('without anybody who reads errors the command goes on', async (t) => {
  const child = spawn(process.execPath, [SENTINEL, 'verify', 'a', 'b', 'c'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.destroy();
  t.same(await once(child, 'close'), [2, null]);
});
