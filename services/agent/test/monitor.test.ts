/** Tests `sentinel monitor` against honest logs, rewritten logs, and servers with wrong answers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { concatBytes, noteVerifierKey, toHex } from '@sentinel-node/contracts';
import { runMonitor } from '../src/monitor/command.ts';
import { headerLog, newKey, type HeaderLog, type LogOptions } from './note-logs.ts';

const ORIGIN = 'log.example.org/one';
const AGENT = new URL('../src/index.js', import.meta.url).href;
const RUN = `const { cli } = await import('${AGENT}'); process.exitCode = await cli(process.argv.slice(1));`;

const KEY = newKey();

type Log = Pick<HeaderLog, 'note' | 'tile'>;

/** Returns a log of `size` entries; entries from `forkAt` on are another log's. */
const logOf = (size: number, changed: Partial<LogOptions> = {}): Log =>
  headerLog(size, { key: KEY, origin: ORIGIN, ...changed });

const answerBy =
  ({ note, tile }: Log) =>
  (path: string, answer: ServerResponse): void => {
    const bytes = path === '/checkpoint' ? note : tile(path);
    if (bytes === undefined) answer.writeHead(404).end();
    else answer.end(bytes);
  };

async function run(...args: string[]) {
  const said = { stdout: '', stderr: '' };
  const to = (stream: keyof typeof said) => ({ write: (text: string) => (said[stream] += text) });
  const code = await runMonitor(args, { stdout: to('stdout'), stderr: to('stderr') });
  return { code, ...said };
}

/** Returns a monitor with its own state file, and a server whose answers the test chooses. */
async function monitorOf(t: Test) {
  const folder = t.testdir();
  const state = join(folder, 'kept');
  const trustFile = join(folder, 'trust.json');
  const publicKey = toHex(KEY.publicKey);
  const vkey = noteVerifierKey(ORIGIN, KEY.publicKey);
  const trust = { origin: ORIGIN, publicKey, vkey, network: 'test', genesisTxid: '0'.repeat(64) };
  writeFileSync(trustFile, JSON.stringify(trust));
  let answering = answerBy(logOf(0));
  const server = createServer((request, answer) => answering(request.url!, answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ['--once', '--trust', trustFile, '--state', state];
  return {
    ...{ args, state, trust, trustFile, url },
    look: (by: Log | typeof answering = answering) => {
      answering = typeof by === 'function' ? by : answerBy(by);
      return run(...args, '--url', url);
    },
    kept: () => (existsSync(state) ? readFileSync(state, 'utf8') : undefined),
    contradiction: () => readFileSync(`${state}.contradiction`, 'utf8'),
  };
}

t.test('a log that goes on', async (t) => {
  const { look, kept, args, url } = await monitorOf(t);
  t.match(await look(logOf(0)), { code: 10, stderr: /^EMPTY: .* has no batch yet: nothing is shown/ });
  t.equal(kept(), undefined, 'an empty log binds nobody');
  for (const size of [1, 300, 300, 600, 601]) {
    t.match(
      await look(logOf(size)),
      { code: 0, stderr: '', stdout: new RegExp(` ${size} batches, the newest of \\d{4}-[-0-9T:.]+Z \\(`) },
      `${size}`,
    );
    t.equal(kept(), logOf(size).note);
  }
  const shorter = await look(logOf(600));
  t.match(shorter, { code: 5, stderr: /^BEHIND: the log shows 600 batches, kept are 601/ });
  t.equal(kept(), logOf(601).note, 'what is kept stays');
  t.equal((await run(...args, '--url', `${url}/`)).code, 5, 'a slash at the end of the address is no other');
});

t.test('of two looks with one state file at once, the second looks at nothing', async (t) => {
  const { look, kept } = await monitorOf(t);
  t.equal((await look(logOf(3))).code, 0);
  let goOn = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const slowly = (path: string, answer: ServerResponse): void => {
    if (path !== '/checkpoint') return answerBy(logOf(9))(path, answer);
    answerLate = () => answerBy(logOf(5))(path, answer);
    goOn();
  };
  let answerLate = (): void => undefined;
  const slow = look(slowly);
  await asked;
  const other = await look(logOf(9));
  answerLate();
  t.match(await slow, { code: 0, stdout: / 5 batches/ });
  t.equal(kept(), logOf(5).note, 'no older checkpoint comes in the place of a newer');
  t.match(other, {
    code: 1,
    stdout: '',
    stderr: /another monitor looks with .* at this moment: nothing was looked at/,
  });
  t.match(await look(logOf(9)), { code: 0 }, 'afterwards it is free');
});

t.test('a newest batch that is closed in the future is not well', async (t) => {
  const { look } = await monitorOf(t);
  const ahead = logOf(3, { closedAt: Date.now() + 86_400_000 });
  t.match(await look(ahead), {
    code: 8,
    stdout: '',
    stderr: /^TOO OLD: the newest batch is ahead of the clock; /,
  });
  t.match(await look(logOf(3, { closedAt: Date.now() + 60_000 })), { code: 4 }, 'another log');
});

t.test('a trust file that no log can have is not the fault of the log', async (t) => {
  const { look, trustFile, trust } = await monitorOf(t);
  writeFileSync(trustFile, JSON.stringify({ ...trust, vkey: undefined, origin: 'two words' }));
  t.match(await look(logOf(3)), { code: 1, stderr: /is no trust file: .*UNKNOWN_FORM at \/origin/ });
});

t.test('a state file that is gone is no silent first look', async (t) => {
  const { look, kept, state } = await monitorOf(t);
  t.equal((await look(logOf(3))).code, 0);
  rmSync(state);
  t.match(await look(logOf(5, { forkAt: 1 })), {
    code: 9,
    stderr: /^NOTHING KEPT: .*the state file of an earlier look was lost/,
  });
  t.equal(kept(), logOf(5, { forkAt: 1 }).note, 'it is kept from now on');
  t.equal((await look()).code, 0);
  rmSync(`${state}.begun`);
  t.equal((await look()).code, 0);
  t.ok(existsSync(`${state}.begun`), 'a state file of an earlier version is marked');
  rmSync(state);
  t.match(await look(logOf(0)), { code: 5, stderr: /^BEHIND: the log shows no batch, and had some/ });
  writeFileSync(state, logOf(0).note);
  t.match(
    await look(logOf(5)),
    { code: 9, stderr: /^NOTHING KEPT: / },
    'the empty log is a part of every log',
  );
  writeFileSync(state, '');
  t.match(await look(), { code: 1, stderr: /holds no checkpoint of this log/ });
});

t.test('a log that was rewritten', async (t) => {
  const { look, kept, contradiction } = await monitorOf(t);
  const honest = logOf(300);
  t.equal((await look(honest)).code, 0);
  for (const forged of [
    logOf(300, { forkAt: 299 }),
    logOf(600, { forkAt: 10 }),
    logOf(301, { forkAt: 299 }),
    logOf(512, { forkAt: 0 }),
  ]) {
    const answer = await look(forged);
    t.match(answer, { code: 4, stderr: /^CONTRADICTION: / });
    t.equal(contradiction(), forged.note, 'the second signed checkpoint is evidence');
    t.equal(kept(), honest.note, 'and so is the first');
  }
  t.equal((await look(logOf(600, { forkAt: 300 }))).code, 0, 'what comes later was not known');
});

t.test('a checkpoint of another key or log', async (t) => {
  const { look, kept } = await monitorOf(t);
  const strangers = [logOf(3, { key: newKey() }), logOf(3, { origin: 'log.example.org/two' })];
  const changed = { ...logOf(3), note: logOf(3).note.replace('\n3\n', '\n4\n') };
  for (const other of [...strangers, changed, { ...logOf(3), note: 'not found' }]) {
    t.match(await look(other), { code: 3, stderr: /^NOT SIGNED: / });
    t.equal(kept(), undefined);
  }
});

t.test('a log that answers wrongly changes nothing', async (t) => {
  const { look, kept, state, url, args } = await monitorOf(t);
  t.equal((await look(logOf(300))).code, 0);
  const log = logOf(600);
  const tiles = (change: (path: string, bytes: Uint8Array | undefined) => Uint8Array | undefined): Log => ({
    ...log,
    tile: (path) => change(path, log.tile(path)),
  });
  const wrong: [code: number, says: RegExp, log: Log | ReturnType<typeof answerBy>][] = [
    [1, /has 31 bytes, not 8192/, tiles((_, bytes) => bytes?.subarray(0, 31))],
    [1, /has more than 8192 bytes/, tiles((_, bytes) => bytes && concatBytes(bytes, bytes))],
    [
      1,
      /there is no http.*\/tile\/0\/002.p\/88/,
      tiles((path, bytes) => (path.includes('/002') ? undefined : bytes)),
    ],
    [4, /CONTRADICTION/, tiles((_, bytes) => bytes?.map((byte) => byte ^ 1))],
    [1, /answers 503/, (_, answer) => void answer.writeHead(503).end()],
    [1, /there is no http.*\/checkpoint/, (_, answer) => void answer.writeHead(404).end()],
    [1, /has more than 65536 bytes/, (_, answer) => void answer.end('x'.repeat(70_000))],
    [
      1,
      /has more than 65536 bytes/,
      (_, answer) =>
        void answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(104_857_600))),
    ],
    [1, /cannot be read/, (_, answer) => void answer.destroy()],
  ];
  for (const [code, says, by] of wrong) {
    t.match(await look(by), { code, stderr: says });
    t.equal(kept(), logOf(300).note);
  }
  const nowhere = await run(...args, '--url', url.replace(/\d+$/, '1'));
  t.match(nowhere, { code: 1, stderr: /cannot be read/ });
  const onlyFull = tiles((path, bytes) => (path.endsWith('/002.p/88') ? undefined : bytes));
  const grown = logOf(768);
  const withFull = { ...log, tile: (path: string) => onlyFull.tile(path) ?? grown.tile(path) };
  t.equal((await look(withFull)).code, 0, 'the full tile stands for a partial one that is gone');
  writeFileSync(state, 'no note');
  t.match(await look(log), { code: 1, stderr: /holds no checkpoint of this log/ });
  t.equal(kept(), 'no note');
});

t.test('wrong usage', async (t) => {
  const { args, url } = await monitorOf(t);
  for (const bad of [
    args,
    [...args, '--url', url, '--end'],
    [...args, '--url', url, '--max-age', '0'],
    [...args.slice(1), '--url', url, '--interval', '1.5'],
    [...args.slice(1), '--url', url, '--webhook', 'x'],
    [...args, '--url', 'ftp://a'],
    [...args, '--url', 'a'],
  ])
    t.match(await run(...bad), { code: 2, stderr: /usage: sentinel monitor/ }, bad.at(-1)!);
  // A tenth more than the interval has to be shorter than a timer can wait (2^31 ms), which would fire at once.
  t.match(await run(...args.slice(1), '--url', url, '--interval', '1900801'), {
    ...{ code: 2, stderr: /^sentinel monitor: --interval takes at most 1900800 seconds \(22 days\)\n/ },
  });
  t.match(await run('--help'), { code: 0, stdout: /Exit codes:/ });
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUN, 'monitor', ...args, '--none']);
  const [, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  t.equal(child.exitCode, 2);
  t.match(stderr, /^sentinel monitor: Unknown option '--none'/);
});
