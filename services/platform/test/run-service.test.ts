import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { EXIT_DEADLINE_MS, failureMessage, UnreadableRecordError } from '../src/index.ts';

const CHILD = fileURLToPath(new URL('run-service-child.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly ms: number;
}

/** Runs the child; sends the next signal each time `when` appears again in its output. After the last one its input ends. */
function run(
  behaviour: string,
  signals: readonly (readonly [when: string, signal: NodeJS.Signals])[] = [],
  env: Record<string, string> = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD, behaviour], { env: { ...process.env, ...env } });
    const waiting = [...signals];
    let [out, err] = ['', ''];
    let begin = performance.now();
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      for (let next = waiting[0]; next && out.includes(next[0]); next = waiting[0]) {
        begin = performance.now();
        child.kill(next[1]);
        waiting.shift();
      }
      if (waiting.length === 0) child.stdin.end();
    });
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err, ms: performance.now() - begin }));
  });
}

t.test('SIGTERM and SIGINT stop the service and end with 0', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const ended = await run('', [['started', signal]]);
    matchWhole(t, ended, { code: 0, out: 'started\nstopping\nstopped\n', err: '' }, signal);
  }
});

t.test('a second signal during the drain is ignored', async (t) => {
  const ended = await run('slow', [
    ['started', 'SIGTERM'],
    ['stopping', 'SIGTERM'],
    ['stopping', 'SIGINT'],
  ]);
  matchWhole(t, ended, { code: 0, out: 'started\nstopping\nstopped\n' });
});

t.test('a stop that hangs ends with 1, after its deadline', async (t) => {
  const ended = await run('hangs', [['started', 'SIGTERM']]);
  matchWhole(t, ended, { code: 1, err: 'test-service: did not stop in time\n' });
  t.ok(ended.ms >= EXIT_DEADLINE_MS - 100, `${ended.ms} ms`);
});

t.test('what keeps it from starting is one line without a stack, and 1', async (t) => {
  const NEXT = 'stop it, or set SENTINEL_DATA_DIR to another folder';
  const lines: Record<string, string> = {
    config: 'test-service: SENTINEL_X: is wrong\n',
    folder: `test-service: another process uses the data folder /data; ${NEXT}\n`,
    surprise: 'test-service: stopped by an internal error: undefined is not a function\n',
    'late-throw': 'test-service: stopped by an internal error: later\n',
    'late-reject': 'test-service: stopped by an internal error: nobody waits\n',
    failed: `test-service: another process uses the data folder /lost; ${NEXT}\n`,
  };
  for (const [behaviour, err] of Object.entries(lines)) {
    matchWhole(t, await run(behaviour), { code: 1, err }, behaviour);
  }
});

t.test('a wrong variable and a port in use are told in words', async (t) => {
  const wrong = await run('environment', [], { SENTINEL_PROT: '1' });
  matchWhole(t, wrong, {
    code: 1,
    err: 'test-service: SENTINEL_PROT: is not a known variable; did you mean SENTINEL_PORT?\n',
  });
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const taken = await run('port', [], { SENTINEL_PORT: String(port) });
  server.close();
  matchWhole(t, taken, {
    code: 1,
    err: `test-service: port ${port} of 127.0.0.1 is in use; stop what uses it, or set SENTINEL_PORT\n`,
  });
});

t.test('the log says that a signal stops the service, and when it has stopped', async (t) => {
  const { code, out } = await run('logged-stop', [['started', 'SIGTERM']]);
  t.equal(code, 0);
  const lines = out.split('\n').filter((line) => line.startsWith('{'));
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  matchList(t, logged, [
    { level: 30, signal: 'SIGTERM', msg: 'stopping' },
    { level: 30, signal: 'SIGTERM', msg: 'stopped' },
  ]);
});

t.test('the log of a surprise holds the stack', async (t) => {
  const { code, out } = await run('logged');
  const entry = JSON.parse(out.split('\n').find((line) => line.startsWith('{')) ?? '{}');
  t.equal(code, 1);
  t.match(entry, { level: 60, err: { message: 'later', stack: /run-service-child/ } });
});

t.test('words for what the system answers', async (t) => {
  const error = (members: object) => Object.assign(new Error('x'), members);
  const listening = { syscall: 'listen', address: '127.0.0.1', port: 80 };
  t.match(
    failureMessage(error({ ...listening, code: 'EACCES' })),
    /port 80 .*set SENTINEL_PORT to 1024 or above/,
  );
  t.match(failureMessage(error({ ...listening, code: 'EADDRNOTAVAIL' })), /set SENTINEL_HOST/);
  t.match(failureMessage(error({ code: 'EROFS', path: '/d' })), /^\/d: the file system can only be read/);
  t.match(failureMessage(error({ code: 'EIO', path: '/d' })), '/d: the system answers EIO');
  t.equal(
    failureMessage(new UnreadableRecordError('sentinel.chain.v1', { partition: 3, offset: 7 })),
    'the record at sentinel.chain.v1/3/7 cannot be read: sentinel audit says what else is not as it was written',
  );
  t.equal(failureMessage(error({})), undefined);
  t.equal(failureMessage('text'), undefined);
});
