/** Tests `sentinel monitor` without `--once`: entries, witnesses, ages and alarms. */
import { spawn } from 'node:child_process';
import { sign } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import {
  cosign,
  formatVerifierKey,
  logIdOf,
  noteVerifierKey,
  parseCheckpoint,
  toHex,
} from '@sentinel-node/contracts';
import { runMonitor } from '../src/monitor/command.ts';
import { checkEntries } from '../src/monitor/entries.ts';
import type { Found } from '../src/monitor/judge-look.ts';
import { PublishedLog } from '../src/monitor/published-log.ts';
import { FAILURES_BEFORE_ALARM, waitAfter, watch } from '../src/monitor/watch.ts';
import { FILE_MS } from './agent-process.ts';
import { headerLog, newKey, type HeaderLog, type LogOptions } from './note-logs.ts';

t.setTimeout(FILE_MS);

const ORIGIN = 'log.example/one';
const KEY = newKey();
const AGENT = new URL('../src/index.js', import.meta.url).href;
const RUN = `const { cli } = await import('${AGENT}'); process.exitCode = await cli(process.argv.slice(1));`;
const logOf = (size: number, changed: Partial<LogOptions> = {}): HeaderLog =>
  headerLog(size, { key: KEY, origin: ORIGIN, ...changed });

async function published(t: Test, policy?: string, stateName = 'kept') {
  const folder = t.testdir();
  const trustFile = join(folder, 'trust.json');
  const trust = {
    origin: ORIGIN,
    publicKey: toHex(KEY.publicKey),
    vkey: noteVerifierKey(ORIGIN, KEY.publicKey),
    network: 'test',
    genesisTxid: '0'.repeat(64),
    ...(policy !== undefined && { policy }),
  };
  writeFileSync(trustFile, JSON.stringify(trust));
  let log: Pick<HeaderLog, 'note' | 'tile'> = logOf(0);
  let isAway = false;
  const posted: string[] = [];
  const answer = async (path: string, body: string, response: ServerResponse): Promise<void> => {
    if (isAway) return void response.destroy();
    if (path === '/hook') {
      posted.push(body);
      return void response.end('thanks');
    }
    const bytes = path === '/checkpoint' ? log.note : log.tile(path);
    if (bytes === undefined) response.writeHead(404).end();
    else response.end(bytes);
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => answer(request.url!, body, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state = join(folder, stateName);
  const args = ['--trust', trustFile, '--state', state, '--url', url];
  const run = async (of: typeof log, ...more: string[]) => {
    log = of;
    let said = '';
    const output = { write: (line: string) => (said += line) };
    const code = await runMonitor([...args, ...more], { stdout: output, stderr: output });
    return { code, said };
  };
  return {
    ...{ args, folder, posted, run, state, url },
    once: (of: typeof log, ...more: string[]) => run(of, '--once', ...more),
    show: (of: typeof log) => void (log = of),
    away: (is: boolean) => void (isAway = is),
    kept: () => (existsSync(state) ? parseCheckpoint(readFileSync(state, 'utf8'))?.size : undefined),
    evidence: () => readdirSync(folder).filter((name) => name.startsWith('kept.evidence-')),
  };
}

t.test('headers that do not follow one another, though signed', async (t) => {
  const { once: look, kept, evidence, folder } = await published(t);
  t.match(await look(logOf(300)), { code: 0 });
  const zeros = new Uint8Array(32);
  const changes: [says: RegExp, change: NonNullable<LogOptions['change']>][] = [
    [/batch 305 has the number 306/, (h) => (h.batch === 305 ? { ...h, batch: 306 } : h)],
    [
      /batch 300 does not name the header before/,
      (h) => (h.batch === 300 ? { ...h, previousHash: zeros } : h),
    ],
    [/batch 600 counts 7 leaves/, (h) => (h.batch === 600 ? { ...h, totalLeaves: 7 } : h)],
    [
      /batch 400 was closed before the batch before it/,
      (h) => (h.batch === 400 ? { ...h, closedAt: h.closedAt - 1_001 } : h),
    ],
    [/batch 301 is of the log 0{64}/, (h) => (h.batch === 301 ? { ...h, logId: zeros } : h)],
  ];
  for (const [at, [says, change]] of changes.entries()) {
    const found = await look(logOf(601, { change }));
    t.equal(found.code, 6);
    t.match(found.said, says);
    t.equal(kept(), 300, 'what is kept stays');
    t.equal(evidence().length, at + 1);
  }
  t.match(await look(logOf(601, { change: changes[0]![1] })), { code: 6 });
  t.equal(evidence().length, changes.length, 'the same once');
  const found = JSON.parse(readFileSync(join(folder, evidence()[0]!), 'utf8')) as object;
  t.match(found, {
    result: 'BAD_ENTRIES',
    text: /batch/,
    checkpoint: /^log\.example/,
    kept: /^log\.example\/one\n300\n[^]*\n— /,
    entry: /^[0-9a-f]{364}$/,
    at: /Z$/,
  });
  t.match(await look(logOf(601)), { code: 0 });
});

t.test('of too many new entries the newest are read, and the others are named', async (t) => {
  const log = logOf(601);
  const now = parseCheckpoint(log.note)!;
  const kept = parseCheckpoint(logOf(300).note)!;
  const published = new PublishedLog('http://log.example', (address) => {
    const bytes = log.tile(new URL(String(address)).pathname);
    return Promise.resolve(new Response(bytes === undefined ? null : Buffer.from(bytes)));
  });
  const logId = logIdOf(KEY.publicKey);
  const of = (most: number) => {
    const { entries, hashes } = published;
    return checkEntries({ kept, now, logId, hashes, entries, most });
  };
  const { passedOver, problem } = await of(100);
  t.same([passedOver, problem], [[300, 500], undefined]);
  t.equal((await of(301)).passedOver, undefined, 'all new ones');
  t.equal((await of(302)).passedOver, undefined);
});

t.test('entries that are not those of the signed roots', async (t) => {
  const { once: look, kept } = await published(t);
  t.match(await look(logOf(300)), { code: 0 });
  const log = logOf(601);
  const serving = (of: HeaderLog, change = (bytes: Uint8Array) => bytes) => ({
    note: log.note,
    tile: (path: string) => {
      if (!path.startsWith('/tile/entries')) return log.tile(path);
      const bytes = of.tile(path);
      return bytes && change(bytes);
    },
  });
  const lines: [code: number, says: RegExp, served: Parameters<typeof look>[0]][] = [
    [6, /do not lead to the signed root/, serving(logOf(601, { forkAt: 600 }))],
    [6, /do not lead to the root of the kept checkpoint/, serving(logOf(601, { forkAt: 299 }))],
    [1, /is not 256 batch headers/, serving(log, (bytes) => bytes.slice(1))],
    [1, /is not 256 batch headers/, serving(log, (bytes) => bytes.map((byte, at) => (at === 0 ? 9 : byte)))],
    [
      6,
      /entry 299 is no batch header/,
      serving(log, (bytes) => bytes.map((byte, at) => (at === 43 * 184 + 2 ? 9 : byte))),
    ],
    [
      1,
      /there is no http/,
      { ...log, tile: (path) => (path.includes('entries') ? undefined : log.tile(path)) },
    ],
  ];
  for (const [code, says, served] of lines) {
    const found = await look(served);
    t.equal(found.code, code, found.said);
    t.match(found.said, says);
    t.equal(kept(), 300);
  }
});

t.test('the quorum of witnesses, and its age', async (t) => {
  const keys = [newKey(), newKey()];
  const cosigners = keys.map(({ publicKey }, at) => ({
    name: `w${at}.example`,
    type: 4 as const,
    publicKey,
  }));
  const witnesses = cosigners.map((one, at) => `witness w${at} ${formatVerifierKey(one)}\n`).join('');
  const {
    once: look,
    kept,
    folder,
    state,
  } = await published(t, `${witnesses}group both all w0 w1\nquorum both\n`);
  const seconds = Math.floor(Date.now() / 1_000);
  const line = ({ note }: HeaderLog, at: number, time = seconds, by = at): string => {
    const { text: signed } = parseCheckpoint(note)!;
    const signer = (message: Uint8Array) => new Uint8Array(sign(null, message, keys[by]!.privateKey));
    return cosign(signed, cosigners[at]!, time, signer).line;
  };
  const log = logOf(3);
  const with_ = (...lines: string[]) => ({ ...log, note: log.note + lines.join('') });
  t.match(await look(log), { code: 7, said: /NOT WITNESSED: cosigned by nobody: not the quorum/ });
  t.equal(kept(), 3, 'it goes on all the same');
  t.match(await look(with_(line(log, 0))), { code: 7, said: /cosigned by w0/ });
  const wrong = with_('— other.example AAAAAAAA\n', line(log, 0), line(log, 1, seconds, 0));
  t.match(await look(wrong), { code: 7, said: /w1 is not signed/ });
  t.equal(
    readFileSync(state, 'utf8'),
    log.note + line(log, 0),
    'lines that nobody checked, or that are wrong, are not kept: they would fail each proof',
  );
  t.match(await look(with_(line(log, 0), line(log, 1))), { code: 0, said: /cosigned by w0, w1/ });
  const old = with_(line(log, 0), line(log, 1, seconds - 90_000));
  t.match(await look(old), {
    code: 8,
    said: /TOO OLD: the quorum of cosignatures is older than 86400 seconds, or ahead/,
  });
  t.match(await look(old, '--max-age', '100000'), { code: 0 });
  const ahead = with_(line(log, 0), line(log, 1, seconds + 90_000));
  t.match(await look(ahead), {
    code: 8,
    said: /TOO OLD: .*is older than 86400 seconds, or ahead of the clock/,
  });
  t.match(
    await look(with_(line(log, 0), line(log, 1, seconds + 300))),
    { code: 0 },
    'clocks differ a little',
  );
  const own = join(folder, 'own');
  writeFileSync(own, `${witnesses}quorum w0\n`);
  t.match(await look(old, '--policy', own), { code: 0 });
  writeFileSync(own, 'quorum w0\n');
  t.match(await look(old, '--policy', own), { code: 1, said: /own:1 "w0" is not defined/ });
});

t.test('without a quorum the newest batch tells the time, if asked for', async (t) => {
  const { once: look } = await published(t);
  t.match(await look(logOf(3)), { code: 0 });
  t.match(await look(logOf(3), '--max-age', '60'), { code: 8, said: /TOO OLD: the newest batch/ });
  t.match(await look(logOf(4, { closedAt: Date.now() }), '--max-age', '60'), { code: 4 });
  const { once: looks } = await published(t, 'quorum none\n');
  t.match(await looks(logOf(3)), { code: 0 }, 'a policy that asks for no quorum');
  t.match(await looks(logOf(3), '--max-age', '60'), { code: 8, said: /TOO OLD: the newest batch/ });
});

t.test('a cosignature from before its batch was closed does not count', async (t) => {
  const { publicKey, privateKey } = newKey();
  const cosigner = { name: 'w.example', type: 4 as const, publicKey };
  const policy = `witness w ${formatVerifierKey(cosigner)}\nquorum w\n`;
  const { once: look } = await published(t, policy);
  const now = Date.now();
  const log = logOf(3, { closedAt: now });
  const signedAt = (ms: number) => {
    const signer = (message: Uint8Array) => new Uint8Array(sign(null, message, privateKey));
    const { line } = cosign(parseCheckpoint(log.note)!.text, cosigner, Math.floor(ms / 1_000), signer);
    return { ...log, note: log.note + line };
  };
  t.match(await look(signedAt(now - 700_000)), { code: 8, said: /TOO OLD: .*, or from before its batch/ });
  t.match(await look(signedAt(now - 300_000)), { code: 0 }, 'clocks differ a little');
});

t.test('a newest batch that is ahead of the clock tells no time', async (t) => {
  const { once: look } = await published(t);
  const closedAt = Date.now() + 90_000_000;
  t.match(await look(logOf(3, { closedAt }), '--max-age', '60'), { code: 8, said: /or ahead of the clock/ });
});

t.test('a command and a webhook are told, and it ends by the exit code', async (t) => {
  const { run, once: look, posted, folder, url } = await published(t);
  t.match(await look(logOf(5)), { code: 0 });
  const told = join(folder, 'told');
  const command = `printf '%s|%s|%s' "$SENTINEL_MONITOR_RESULT" "$SENTINEL_MONITOR_ORIGIN" "$SENTINEL_MONITOR_EVIDENCE" > '${told}'`;
  const more = ['--end', '--command', command, '--webhook', `${url}/hook`];
  t.match(await run(logOf(6, { forkAt: 2 }), ...more), { code: 4, said: /^CONTRADICTION: / });
  t.match(
    readFileSync(told, 'utf8'),
    /^CONTRADICTION\|log\.example\/one\|.*kept\.evidence-contradiction-[0-9a-f]{16}\.json$/,
  );
  t.match(JSON.parse(posted[0]!), {
    result: 'CONTRADICTION',
    origin: ORIGIN,
    text: /^the log of 6 batches is not shown to go on from the kept log of 5; /,
    at: /Z$/,
  });
  const wrong = await run(logOf(4), '--end', '--command', 'exit 9', '--webhook', `${url}/none`);
  t.match(wrong, { code: 5, said: /the command ended with 9\nthe webhook answers 404\n/ });
});

t.test('what was found is told also when it cannot be written', async (t) => {
  // Beside a name this long only .begun and .part fit into the 255 bytes of a name.
  const { run, once: look, posted, url } = await published(t, undefined, 'k'.repeat(244));
  t.match(await look(logOf(5)), { code: 0 });
  const fork = logOf(5, { forkAt: 2 });
  const said =
    /^CONTRADICTION: .*could not be written \(ENAMETOOLONG\); the evidence was not kept \(ENAMETOOLONG\)\n/;
  t.match(await look(fork), { code: 4, said });
  t.match(await run(fork, '--end', '--webhook', `${url}/hook`), { code: 4, said });
  t.match(JSON.parse(posted[0]!), { result: 'CONTRADICTION', evidence: undefined });
});

t.test('a fork of the kept size is kept though there is no room for what anybody can cause', async (t) => {
  const { once: look, evidence, folder } = await published(t);
  t.match(await look(logOf(5)), { code: 0 });
  for (let n = 0; n < 100; n++) writeFileSync(join(folder, `kept.evidence-contradiction-${n}.json`), '');
  t.match(await look(logOf(6, { forkAt: 2 })), {
    code: 4,
    said: /; the evidence was not kept \(100 files of such evidence are there\)\n/,
  });
  t.equal(evidence().length, 100);
  const fork = logOf(5, { forkAt: 2 });
  for (const noise of ['', '— other.example AAAAAAAA\n'])
    t.match(await look({ ...fork, note: fork.note + noise }), { code: 4 });
  const [kept, ...more] = evidence().filter((name) => name.startsWith('kept.evidence-two-roots-'));
  t.match(JSON.parse(readFileSync(join(folder, kept!), 'utf8')), {
    result: 'CONTRADICTION',
    checkpoint: fork.note,
    kept: logOf(5).note,
  });
  t.same(more, [], 'unchecked lines make no second file');
});

/** Runs a watch over given looks; the watch ends after the last. */
async function watched(
  looks: (Found['result'] | undefined)[],
  tells: boolean[] = [],
  isEndedByProblem = false,
) {
  const ending = new AbortController();
  const waits: number[] = [];
  const raised: string[] = [];
  const left = [...looks];
  const result = await watch({
    ...{ intervalMs: 1_000, isEndedByProblem, origin: ORIGIN, ending: ending.signal },
    look: () => Promise.resolve({ result: left.shift(), text: 'text' } as Found),
    wait: (ms) => {
      waits.push(ms);
      if (left.length === 0) ending.abort();
      return Promise.resolve();
    },
    chance: () => 0.5,
    raise: (problem) => {
      raised.push(problem.result);
      return Promise.resolve((tells.shift() ?? true) ? [] : ['not told']);
    },
    writeLine: () => undefined,
    now: () => 0,
  });
  return { result, waits, raised };
}

t.test('a problem is told once, until it has passed', async (t) => {
  const good = 'GOES_ON';
  t.same(
    (await watched([good, 'BEHIND', 'BEHIND', 'CONTRADICTION', 'CONTRADICTION', good, 'BEHIND'])).raised,
    ['BEHIND', 'CONTRADICTION', 'BEHIND'],
  );
  t.same(
    (await watched(['BEHIND', 'BEHIND', 'BEHIND'], [false, true])).raised,
    ['BEHIND', 'BEHIND'],
    'until it is told',
  );
  const away = await watched([undefined, undefined, undefined, undefined, good, undefined]);
  t.same(away.raised, ['UNREADABLE'], `after ${FAILURES_BEFORE_ALARM} in a row`);
  t.same(away.waits, [2_000, 4_000, 8_000, 16_000, 1_000, 2_000]);
  matchWhole(t, await watched([good, 'TOO_OLD', good], [], true), { result: 'TOO_OLD', raised: ['TOO_OLD'] });
  t.match(await watched([undefined, undefined, undefined], [], true), { result: 'UNREADABLE' });
  t.match(await watched([good], [], true), { result: undefined });
  t.same(
    [0, 1].map((chance) => waitAfter(0, 1_000, chance)),
    [900, 1_100],
  );
  t.equal(waitAfter(1_000, 1_000, 0.5), 3_600_000);
  t.equal(waitAfter(1_000, 7_200_000, 0.5), 7_200_000, 'never more often than asked for');
  t.equal(waitAfter(1, 1_000, 0.5, 60_000), 60_000, 'nor than its server asks for');
});

t.test('it goes on while the log is away, and ends by a signal', { timeout: FILE_MS }, async (t) => {
  const { args, show, away, kept } = await published(t);
  show(logOf(3));
  const child = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    RUN,
    'monitor',
    ...args,
    '--interval',
    '1',
  ]);
  const ended = once(child, 'exit');
  const out = createInterface(child.stdout)[Symbol.asyncIterator]();
  const errors = createInterface(child.stderr)[Symbol.asyncIterator]();
  t.match((await out.next()).value, /^GOES ON: .* 3 batches, the newest of \S+Z \(the first look: /);
  away(true);
  t.match((await errors.next()).value, /^NOT READ: .*cannot be read/);
  away(false);
  show(logOf(4));
  let line: unknown;
  do line = (await out.next()).value;
  while (/ 3 batches/.test(String(line)));
  t.match(line, /^GOES ON: .* 4 batches, the newest of \S+Z \(3 before\)/);
  t.equal(kept(), 4);
  child.kill('SIGTERM');
  t.same(await ended, [0, null]);
});
