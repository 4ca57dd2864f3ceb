/** Tests block headers from sources that answer, lie, hang or are unreachable. */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { fromHex, toHex } from '@sentinel-node/contracts';
import { blockHeadersContract } from '@sentinel-node/test-kit/contract-suites';
import { easyHash, easyHeaders, EASY_START, ManualClock, withoutWork } from '@sentinel-node/test-kit/fakes';
import {
  createBlockHeaders,
  createDevLedger,
  HEADER_LIMITS,
  ledgerBlockHeaders,
  type HeadersFrom,
} from '../src/ledger/index.ts';
import {
  createLog,
  createMetrics,
  LedgerUnavailableError,
  openDataFolder,
  openEmbeddedDocumentStore,
  silentLog,
  type DocumentStore,
} from '../src/index.ts';
import { boundedFetch } from '../src/ledger/headers/bounded-fetch.ts';
import { startHeaderServer, type HeaderServer } from './header-server.ts';

const FIRST = 100;
const base = easyHeaders({ count: 60 });
const checkpoint = { height: FIRST, hash: easyHash(base, 0) };
const timers = {
  every: () => ({ stop: () => Promise.resolve(), failed: new Promise<never>(() => undefined) }),
};

/** One folder a test, because a second `testdir` would remove the first. */
const folders = new WeakMap<Test, string>();
function folderOf(t: Test): string {
  const folder = folders.get(t) ?? t.testdir();
  folders.set(t, folder);
  return folder;
}

async function openStore(t: Test): Promise<DocumentStore> {
  const folder = openDataFolder(await mkdtemp(join(folderOf(t), 'data-')));
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await store.close();
    folder.release();
  });
  return store;
}

/** Returns started headers after their first request. */
async function follow(t: Test, from: HeadersFrom, given: { store?: DocumentStore; network?: string } = {}) {
  const store = given.store ?? (await openStore(t));
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = createLog({ level: 'info', service: 'anchoring', destination });
  const metrics = createMetrics('anchoring', { processMetrics: false });
  const clock = new ManualClock((EASY_START + 600 * 100) * 1_000);
  const network = given.network ?? 'regtest';
  const headers = createBlockHeaders({ store, clock, timers, log, metrics, network, checkpoint, from });
  await headers.start();
  t.teardown(() => headers.stop());
  await headers.look();
  const look = async () => {
    clock.advance(HEADER_LIMITS.longestWaitMs);
    await headers.look();
  };
  return { clock, headers, lines, look, metrics, store };
}
const service = ({ url }: HeaderServer): HeadersFrom => ({ kind: 'service', url, key: 'secret' });
const after = (index: number, count: number, salt = 0): Uint8Array =>
  easyHeaders({ count, salt, after: base.slice(index * 80, index * 80 + 80) });
const refused = async ({ text }: { text(): Promise<string> }): Promise<number> =>
  Number(/block_headers_alarms_total\{reason="refused"[^}]*\} (\d+)/.exec(await text())?.[1]);

await blockHeadersContract(t, 'block headers service', async (t) => {
  const server = await startHeaderServer(t, base, FIRST);
  const { headers, look } = await follow(t, service(server));
  const grow = async () => {
    server.best = Buffer.concat([base, after(59, 1)]);
    await look();
  };
  return { headers, first: FIRST, grow };
});

await blockHeadersContract(t, 'file of headers', async (t) => {
  const path = join(folderOf(t), 'headers');
  await writeFile(path, base);
  const { headers, look } = await follow(t, { kind: 'file', path });
  const grow = async () => {
    await writeFile(path, Buffer.concat([base, after(59, 1)]));
    await look();
  };
  return { headers, first: FIRST, grow };
});

await blockHeadersContract(t, 'development ledger', async (t) => {
  const store = await openStore(t);
  const ledger = createDevLedger({ store, clock: new ManualClock(), timers });
  await ledger.start();
  for (let key = 1; key <= 3; key++) await ledger.funding(toHex(new Uint8Array(20).fill(key)));
  t.teardown(() => ledger.stop());
  const grow = async () => void (await ledger.funding(toHex(new Uint8Array(20).fill(9))));
  return { headers: ledgerBlockHeaders(ledger), first: 0, grow };
});

t.test('headers of a service are known, shown, and there after a restart without it', async (t) => {
  const server = await startHeaderServer(t, base, FIRST);
  const { headers, metrics, store } = await follow(t, service(server));
  t.equal(await headers.height(), FIRST + 59);
  t.equal(await headers.header(FIRST + 59), toHex(base.slice(-80)));
  t.ok(server.tokens.every((token) => token === 'Bearer secret'));
  const text = await metrics.text();
  t.match(text, /sentinel_block_headers_height\{[^}]*\} 159\n/);
  t.match(text, new RegExp(`sentinel_block_headers_age_seconds\\{[^}]*\\} ${41 * 600}\\n`));
  await headers.stop();
  server.instead = (_, response) => void response.writeHead(500).end();
  const again = await follow(t, service(server), { store });
  t.equal(await again.headers.height(), FIRST + 59);
  t.match(again.lines.join(''), /answers with 500/);
});

t.test('a reader beside the process that keeps headers writes none', async (t) => {
  const server = await startHeaderServer(t, base, FIRST);
  const store = await openStore(t);
  const reader = createBlockHeaders({
    ...{ store, timers, network: 'regtest', checkpoint, from: service(server), isReader: true },
    ...{ clock: new ManualClock((EASY_START + 600 * 100) * 1_000), log: silentLog() },
  });
  await reader.start();
  t.teardown(() => reader.stop());
  await reader.look();
  t.equal(await reader.height(), FIRST + 59, 'it knows them');
  t.same(await store.find('block_headers', { limit: 1 }), []);
});

t.test('without any header the port says so', async (t) => {
  const server = await startHeaderServer(t, base, FIRST);
  server.instead = (_, response) => void response.writeHead(401).end('{}');
  const { headers, metrics } = await follow(t, service(server));
  await t.rejects(headers.height(), LedgerUnavailableError);
  await t.rejects(headers.header(FIRST), LedgerUnavailableError);
  t.match(await metrics.text(), /sentinel_block_headers_height\{[^}]*\} -1\n/);
});

t.test('stale headers among the answer do not mislead', async (t) => {
  const server = await startHeaderServer(t, base, FIRST);
  const beside = after(19, 3, 7);
  server.stale = [0, 1, 2].map((at) => ({
    height: FIRST + 20 + at,
    header: beside.slice(at * 80, at * 80 + 80),
  }));
  const twin = after(58, 1, 7);
  server.stale.push({ height: FIRST + 59, header: twin });
  const { headers, look } = await follow(t, service(server));
  t.equal(await headers.height(), FIRST + 58, 'which of two newest blocks counts is not known yet');
  server.best = Buffer.concat([base, after(59, 1)]);
  await look();
  t.equal(await headers.height(), FIRST + 60);
  t.equal(await headers.header(FIRST + 59), toHex(base.slice(-80)));
});

t.test('a reorganisation replaces the newest headers, in the store too', async (t) => {
  const server = await startHeaderServer(t, base, FIRST);
  const { headers, look, metrics, store } = await follow(t, service(server));
  const branch = after(9, 60, 3);
  server.best = Buffer.concat([base.slice(0, 800), branch]);
  await look();
  t.equal(await headers.height(), FIRST + 69);
  t.equal(await headers.header(FIRST + 69), toHex(branch.slice(-80)));
  t.equal(await headers.header(FIRST + 9), toHex(base.slice(720, 800)));
  t.equal(await refused(metrics), 0);
  await headers.stop();
  const again = await follow(t, service(server), { store });
  t.equal(await again.headers.header(FIRST + 69), toHex(branch.slice(-80)));
});

for (const [what, best, known] of [
  ['ends before its newest block', Buffer.concat([base, after(59, 5)]), FIRST + 64],
  ['gives a branch in part', Buffer.concat([base.slice(0, 800), after(9, 20, 3)]), FIRST + 59],
] as const)
  t.test(`a service that ${what} is told, and asked later`, async (t) => {
    const server = await startHeaderServer(t, base, FIRST);
    const { headers, lines, look, metrics } = await follow(t, service(server));
    Object.assign(server, { best, claimed: FIRST + 100 });
    await look();
    t.equal(await headers.height(), known, 'what holds is taken');
    t.match(await metrics.text(), /block_headers_alarms_total\{reason="unavailable"[^}]*\} 1/);
    t.equal(await refused(metrics), 0);
    t.match(lines.at(-1), `names block ${FIRST + 100} as its newest, and gives no header from block`);
  });

const wrongBits = easyHeaders({ count: 1, after: base.slice(-80), bits: 0x207ffffe });
const LIES: Record<string, { headers: Uint8Array; problem: RegExp }> = {
  'a longer run that does not follow': {
    headers: Buffer.concat([base, easyHeaders({ count: 5, salt: 2 })]),
    problem: /NOT_LINKED/,
  },
  'a branch of less work': {
    headers: Buffer.concat([base.slice(0, 800), after(9, 20, 3)]),
    problem: /LESS_WORK/,
  },
  'another difficulty': { headers: Buffer.concat([base, wrongBits]), problem: /WRONG_DIFFICULTY/ },
  'another chain': { headers: easyHeaders({ count: 90, salt: 5 }), problem: /OTHER_CHAIN/ },
  'a time far ahead': {
    headers: Buffer.concat([
      base,
      easyHeaders({ count: 1, after: base.slice(-80), spacingSeconds: 200_000 }),
    ]),
    problem: /TIME_TOO_NEW/,
  },
};
for (const [lie, { headers: lies, problem }] of Object.entries(LIES)) {
  t.test(`a source that lies: ${lie}`, async (t) => {
    const server = await startHeaderServer(t, base, FIRST);
    const { headers, lines, look, metrics } = await follow(t, service(server));
    server.best = lies;
    await look();
    t.equal(await headers.height(), FIRST + 59, 'what was known stays');
    t.equal(await headers.header(FIRST + 59), toHex(base.slice(-80)));
    t.equal(await refused(metrics), 1);
    t.match(lines.join(''), problem);
    server.best = Buffer.concat([base, after(59, 1)]);
    await look();
    t.equal(await headers.height(), FIRST + 60, 'and it goes on when the source is right again');
  });
}

t.test('a header whose work is missing is refused', async (t) => {
  const path = join(folderOf(t), 'headers');
  await writeFile(path, base);
  const { headers, look, metrics, lines } = await follow(t, { kind: 'file', path });
  await writeFile(path, Buffer.concat([base, withoutWork(after(59, 1))]));
  await look();
  t.equal(await refused(metrics), 1);
  t.match(lines.join(''), /NO_WORK/);
  t.equal(await headers.height(), FIRST + 59);
});

const ANSWERS: Record<string, { instead: NonNullable<HeaderServer['instead']>; told: RegExp }> = {
  'no JSON': { instead: (_, response) => void response.end('<html>'), told: /does not answer with JSON/ },
  'other JSON': {
    instead: (_, response) => void response.end('{"height":"7"}'),
    told: /no height of its tip/,
  },
  'a redirect': {
    instead: (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    told: /does not answer/,
  },
  'a tip below the checkpoint': {
    instead: (_, response) => void response.end('{"height":99}'),
    told: /ends at block 99, below the checkpoint/,
  },
  'headers that are none': {
    instead: ({ url = '' }, response) =>
      void response.end(url.includes('tip') ? '{"height":500}' : '[{"nonce":-1}]'),
    told: /gives no headers/,
  },
  '100 MB': {
    instead: (_, response) => {
      const piece = Buffer.alloc(1_048_576, ' ');
      let left = 100;
      const more = (): void => {
        while (left-- > 0) if (!response.write(piece)) return void response.once('drain', more);
        response.end();
      };
      more();
    },
    told: new RegExp(`more than ${HEADER_LIMITS.answerBytes} bytes`),
  },
  '100 MB in a hundred kilobytes': {
    instead: (_, response) =>
      void response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(104_857_600, ' '))),
    told: new RegExp(`more than ${HEADER_LIMITS.answerBytes} bytes`),
  },
  'a broken connection': { instead: (_, response) => void response.destroy(), told: /does not answer/ },
};
for (const [answer, { instead, told }] of Object.entries(ANSWERS)) {
  t.test(`a service that answers with ${answer} loses nothing`, async (t) => {
    const server = await startHeaderServer(t, base, FIRST);
    const { headers, lines, look } = await follow(t, service(server));
    server.instead = instead;
    await look();
    t.match(lines.join(''), told);
    t.notMatch(lines.join(''), /secret/);
    t.equal(await headers.height(), FIRST + 59);
    server.instead = undefined;
    server.best = Buffer.concat([base, after(59, 1)]);
    await look();
    t.equal(await headers.height(), FIRST + 60);
  });
}

t.test('stopping does not wait for a service that hangs', async (t) => {
  const server = await startHeaderServer(t, base, FIRST);
  const { headers } = await follow(t, service(server));
  let isAsked: () => void;
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  server.instead = () => isAsked();
  const looking = headers.look();
  await asked;
  await headers.stop();
  await looking;
  t.equal(await headers.height(), FIRST + 59);
});

t.test('an answer that does not come whole is cut off by time', async (t) => {
  const server = await startHeaderServer(t, base, FIRST);
  server.instead = (_, response) => void response.write('[');
  const { signal } = new AbortController();
  const asked = boundedFetch(server.url, { maxBytes: 10, timeoutMs: 100, signal });
  await t.rejects(asked, { code: 'LEDGER_UNAVAILABLE', message: /does not answer: within 100 ms/ });
});

t.test('after failures the source is asked less often', async (t) => {
  const server = await startHeaderServer(t, base, FIRST);
  server.instead = (_, response) => void response.writeHead(503).end();
  const { clock, headers } = await follow(t, service(server));
  const asked = () => server.asked.length;
  t.equal(asked(), 1);
  for (const [minutes, calls] of [
    [0.5, 1],
    [0.5, 2],
    [1, 2],
    [1, 3],
    [3, 3],
    [1, 4],
  ] as const) {
    clock.advance(minutes * 60_000);
    await headers.look();
    t.equal(asked(), calls);
  }
  const now = clock.now();
  clock.advance(365 * 86_400_000);
  await headers.look();
  clock.set(now);
  await headers.look();
  clock.advance(HEADER_LIMITS.longestWaitMs);
  await headers.look();
  t.equal(asked(), 6, 'nor by a clock that was ahead at a failure and is set back');
});

t.test('a file: begins with block 0 or the checkpoint, whole headers only', async (t) => {
  const path = join(folderOf(t), 'headers');
  const early = easyHeaders({ count: FIRST, salt: 1 });
  await writeFile(path, Buffer.concat([early, base]));
  const from: HeadersFrom = { kind: 'file', path };
  const { headers, lines, look } = await follow(t, from);
  t.equal(await headers.height(), FIRST + 59);
  for (const [bytes, told] of [
    [base.slice(0, 200), /200 bytes are not headers of 80 bytes each/],
    [new Uint8Array(0), /0 bytes are not headers/],
    [base.slice(80), /begins neither with block 0 nor with the checkpoint/],
  ] as const) {
    lines.length = 0;
    await writeFile(path, bytes);
    await look();
    t.match(lines.join(''), told);
    lines.length = 0;
    await look();
    t.match(lines.join(''), told, 'and again while the file is the same');
    t.equal(await headers.height(), FIRST + 59);
  }
  const none = await follow(t, { kind: 'file', path: `${path}-none` });
  t.match(none.lines.join(''), /ENOENT/);
  execFileSync('mkfifo', [`${path}-pipe`]);
  const pipe = await follow(t, { kind: 'file', path: `${path}-pipe` });
  t.match(pipe.lines.join(''), /is no file/);
});

t.test('a URL of a file is asked whether it changed', async (t) => {
  const asked: (string | undefined)[] = [];
  let body = Buffer.from(base);
  const server = createServer((request, response) => {
    const etag = `"${body.length}"`;
    asked.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.setHeader('etag', etag).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const { headers, look } = await follow(t, {
    kind: 'file-url',
    url: `http://127.0.0.1:${port}/main.headers`,
  });
  await look();
  body = Buffer.concat([base, after(59, 1)]);
  await look();
  t.equal(await headers.height(), FIRST + 60);
  t.same(asked, [undefined, '"4800"', '"4800"']);
});

t.test('a first synchronisation over many answers is kept answer by answer', async (t) => {
  const many = easyHeaders({ count: 4_100 });
  const server = await startHeaderServer(t, many, 0);
  const store = await openStore(t);
  const clock = new ManualClock((EASY_START + 600 * 5_000) * 1_000);
  const log = createLog({ level: 'silent', service: 'anchoring' });
  const start = { network: 'regtest', checkpoint: { height: 0, hash: easyHash(many, 0) } };
  const headers = createBlockHeaders({ store, clock, timers, log, from: service(server), ...start });
  await headers.start();
  t.teardown(() => headers.stop());
  await headers.look();
  t.equal(await headers.height(), 4_099);
  t.same(fromHex((await headers.header(4_099)) ?? ''), many.slice(-80));
  t.same(
    server.asked.map((path) => /height=(\d+)/.exec(path)?.[1]),
    [undefined, '0', '2000', '4000'],
  );
});
