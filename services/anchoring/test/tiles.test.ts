/** Reads the log as monitors do: tiles, entries and checkpoint, over HTTP. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { inclusionPath, leafHash, noteVerifierKey, toBase64, toHex } from '@sentinel-node/contracts';
import { OverloadedError } from '@sentinel-node/platform';
import { otherProgram, skipWithoutPython } from '@sentinel-node/test-kit/other-programs';
import t, { type Test } from 'tap';
import { TileReads } from '../src/tile-reads.ts';
import { ORIGIN, publishedLog } from './published-log.ts';
import { LOG_KEY } from './support.ts';

const SIZE = 600;
const NO_STORE = { 'cache-control': 'no-store' };
const FOR_EVER = { 'cache-control': 'public, max-age=31536000, immutable' };
const reader = fileURLToPath(new URL('../../../../contracts/test/tile_reader.py', import.meta.url));

type Published = Awaited<ReturnType<typeof publishedLog>>;

// The test first builds the Go program.
t.setTimeout(300_000);

t.test('a log of 600 batches', async (t) => {
  const log = await publishedLog(SIZE);
  t.teardown(log.close);
  await t.test('tiles have the bytes of the log, and may be kept for ever', (t) => shownTiles(t, log));
  await t.test('what is no tile of the log is 404, and is not kept', (t) => refused(t, log));
  await t.test('HEAD and conditional requests', (t) => conditional(t, log));
  await t.test('entries are compressed for whoever takes it', (t) => compressed(t, log));
  await t.test('the checkpoint may be kept for a second', async (t) => {
    const { headers } = await log.get('/checkpoint');
    t.equal(headers['cache-control'], 'public, max-age=1');
    t.equal(headers['content-type'], 'text/plain; charset=utf-8');
  });
  await t.test('proofs that a batch is in the log', (t) => proven(t, log));
  await t.test('a reader in Python, from the document alone', { skip: skipWithoutPython() }, (t) =>
    strangers(t, log, ['python3', '-B', reader], PYTHON_SAYS),
  );
  const go = await otherProgram(t, 'go');
  if (go !== undefined)
    await t.test("Go's packages for logs and notes", (t) => strangers(t, log, go, GO_SAYS));
});

async function shownTiles(t: Test, { get, headers }: Published): Promise<void> {
  const leaves = headers.map((header) => toHex(leafHash(header)));
  const shown: [path: string, hex: string][] = [
    ['/tile/0/000', leaves.slice(0, 256).join('')],
    ['/tile/0/002.p/88', leaves.slice(512).join('')],
    // Older checkpoints had this partial tile; it stays when the full tile exists.
    ['/tile/0/002.p/1', leaves.slice(512, 513).join('')],
    ['/tile/0/000.p/255', leaves.slice(0, 255).join('')],
    [
      '/tile/entries/001.p/2',
      headers
        .slice(256, 258)
        .map((header) => `00b6${toHex(header)}`)
        .join(''),
    ],
  ];
  for (const [path, hex] of shown) {
    const answer = await get(path);
    t.equal(answer.statusCode, 200, path);
    t.equal(answer.rawPayload.toString('hex'), hex, path);
    t.match(answer.headers, { ...FOR_EVER, 'content-type': 'application/octet-stream' }, path);
  }
  t.equal((await get('/tile/0/000?any=query')).statusCode, 200);
  t.equal((await get('/tile/1/000.p/2')).rawPayload.length, 64);
  t.equal((await get('/tile/entries/000')).rawPayload.length, 256 * 184);
}

async function refused(t: Test, { get }: Published): Promise<void> {
  const beyond = [
    ...['/tile/0/002', '/tile/0/002.p/89', '/tile/0/003.p/1', '/tile/0/x001/000', '/tile/entries/002'],
    ...['/tile/1/000', '/tile/1/000.p/3', '/tile/1/001.p/1', '/tile/2/000.p/1', '/tile/63/000.p/1'],
    ...['/tile/6/000', '/tile/0/x009/x007/x199/x254/x740/991', '/tile/63/x009/x007/x199/x254/x740/991'],
  ];
  const noTile = [
    ...['/tile/', '/tile/0', '/tile/0/', '/tile/0/0', '/tile/00/000', '/tile/64/000', '/tile/-1/000'],
    ...['/tile/0/-01', '/tile/0/x001', '/tile/0/001/000', '/tile/0/x000/001', '/tile/0/000.p/0'],
    ...['/tile/0/000.p/256', '/tile/0/000.p/-1', '/tile/0/000.p/01', '/tile/0/000/', '/tile/0//000'],
    ...['/tile/%30/000', '/tile/0/%30%30%30', '/tile/0/%zz', '/tile/0/000%00', '/tile/data/000'],
    `/tile/0/${'x001/'.repeat(2_000)}000`,
  ];
  for (const path of [...beyond, ...noTile]) {
    const answer = await get(path);
    t.match(answer.json(), { status: 404, code: 'NOT_FOUND' }, path.slice(0, 60));
    t.match(answer.headers, NO_STORE, path.slice(0, 60));
  }
  const posted = await get('/tile/0/000', {}, 'POST');
  t.match(posted.json(), { status: 405, code: 'METHOD_NOT_ALLOWED' });
  t.equal(posted.headers['allow'], 'GET, HEAD');
  t.equal((await get('/tile/0/0', {}, 'POST')).statusCode, 404, 'what is no tile takes no method');
}

async function conditional(t: Test, { get }: Published): Promise<void> {
  const path = '/tile/0/002.p/88';
  const { headers } = await get(path);
  const tag = String(headers['etag']);
  t.match(tag, /^W\/"[0-9a-f]{32}"$/);
  const head = await get(path, {}, 'HEAD');
  t.match(head, { statusCode: 200, body: '' });
  t.match(head.headers, { ...FOR_EVER, etag: tag, 'content-length': String(88 * 32) });
  for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*'])
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await get(path, { 'if-none-match': known }, method);
      t.match(answer, { statusCode: 304, body: '' }, `${method} ${known}`);
      t.match(answer.headers, { ...FOR_EVER, etag: tag });
    }
  for (const other of ['"other"', 'W/"other"', '', tag.slice(3)])
    t.equal((await get(path, { 'if-none-match': other })).statusCode, 200, `not ${other}`);
  const none = await get('/tile/0/003.p/1', { 'if-none-match': '*' });
  t.equal(none.statusCode, 404, 'a tile that is not there is not known');
  t.equal((await get('/tile/0/003.p/1', {}, 'HEAD')).statusCode, 404);
}

async function compressed(t: Test, { get }: Published): Promise<void> {
  const path = '/tile/entries/000';
  const plain = await get(path);
  t.match(plain.headers, { vary: 'accept-encoding', 'content-encoding': undefined });
  for (const accepted of ['gzip', 'br, gzip;q=0.5', 'gzip, identity']) {
    const answer = await get(path, { 'accept-encoding': accepted });
    t.match(answer.headers, { ...FOR_EVER, 'content-encoding': 'gzip', vary: 'accept-encoding' }, accepted);
    t.equal(answer.headers['etag'], plain.headers['etag']);
    t.ok(answer.rawPayload.length < plain.rawPayload.length, `${answer.rawPayload.length} bytes`);
    t.ok(gunzipSync(answer.rawPayload).equals(plain.rawPayload));
  }
  for (const accepted of ['identity', 'gzip;q=0', 'gzip; q=0.0, identity', 'br'])
    t.notOk((await get(path, { 'accept-encoding': accepted })).headers['content-encoding'], accepted);
  const hashes = await get('/tile/0/000', { 'accept-encoding': 'gzip' });
  t.notOk(hashes.headers['content-encoding'], 'hashes would not get smaller');
}

async function proven(t: Test, { get, headers }: Published): Promise<void> {
  const note = (await get('/checkpoint')).body;
  const leaves = headers.map(leafHash);
  for (const batch of [0, 1, 255, 256, 511, 512, SIZE - 1]) {
    const answer = await get(`/batches/${batch}/proof`);
    t.match(answer.headers, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=1',
    });
    const lines = [`extra ${toBase64(headers[batch]!)}`, `index ${batch}`];
    const path = inclusionPath(leaves, batch).map(toBase64);
    t.equal(
      answer.body,
      ['c2sp.org/tlog-proof@v1', ...lines, ...path, '', note].join('\n'),
      `batch ${batch}`,
    );
  }
  for (const none of [SIZE, '999999999999999'])
    t.match((await get(`/batches/${none}/proof`)).json(), { code: 'NOT_FOUND' }, String(none));
  for (const bad of ['01', '-1', 'x', '1e3', '1.0', '9999999999999999'])
    t.match((await get(`/batches/${bad}/proof`)).json(), { code: 'VALIDATION_FAILED' }, bad);
}

/** Serves the log at an address, with answers that `change` rewrites. */
async function addressOf(t: Test, { get }: Published, change: (path: string, bytes: Buffer) => Buffer) {
  const server = createServer((request, answer) => {
    const path = request.url ?? '';
    void get(path).then(({ statusCode, rawPayload }) =>
      answer.writeHead(statusCode).end(change(path, rawPayload)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const unchanged = (_: string, bytes: Buffer): Buffer => bytes;
const flip = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[at]! ^= 1;
  return changed;
};

interface Says {
  readonly key: RegExp;
  readonly leaves: RegExp;
  readonly level: RegExp;
  readonly entry: RegExp;
  readonly width: RegExp;
  readonly proof: RegExp;
  readonly short: RegExp;
}
const PYTHON_SAYS: Says = {
  key: /^signatures of the key/,
  leaves: /^leaf hashes/,
  level: /^level 1/,
  entry: /^leaf hashes/,
  width: /^length in/,
  proof: /^(inclusion of 300|the log cannot be read|signature)/,
  short: /^bytes of \/tile\/0\/001/,
};
const GO_SAYS: Says = {
  key: /^checkpoint: (note has no|invalid signature|verifier)/,
  leaves: /^tiles: downloaded inconsistent tile/,
  level: /^tiles: downloaded inconsistent tile/,
  entry: /^entry 256: invalid/,
  width: /^entries: /,
  proof: /^proof of 300: /,
  short: /^tiles: /,
};

/** Checks that foreign programs accept the log, and refuse it when any byte is changed on the way. */
async function strangers(
  t: Test,
  log: Published,
  [program, ...args]: readonly [string, ...string[]],
  says: Says,
): Promise<void> {
  const vkey = noteVerifierKey(ORIGIN, LOG_KEY.publicKey);
  const read = async (key: string, change = unchanged) =>
    promisify(execFile)(program, [...args, await addressOf(t, log, change), key]).catch(
      (error: { stderr: string }) => ({ stdout: '', stderr: error.stderr }),
    );
  t.match(await read(vkey), { stdout: `${SIZE}\n`, stderr: '' });
  const other = noteVerifierKey(ORIGIN, flip(Buffer.from(LOG_KEY.publicKey), 0));
  t.match((await read(other)).stderr, says.key);
  const changes: [path: string, at: number, says: RegExp][] = [
    ['/checkpoint', ORIGIN.length + 1, says.key],
    ['/tile/0/001', 77, says.leaves],
    ['/tile/0/002.p/88', 88 * 32 - 1, says.leaves],
    ['/tile/1/000.p/2', 33, says.level],
    ['/tile/entries/001', 5, says.entry],
    ['/tile/entries/002.p/88', 1, says.width],
    ['/batches/300/proof', 300, says.proof],
  ];
  for (const [path, at, words] of changes) {
    const { stderr } = await read(vkey, (asked, bytes) => (asked === path ? flip(bytes, at) : bytes));
    t.match(stderr, words, `${path} at ${at}`);
  }
  const short = (asked: string, bytes: Buffer) => (asked === '/tile/0/001' ? bytes.subarray(32) : bytes);
  t.match((await read(vkey, short)).stderr, says.short);
}

t.test('an empty log has no tiles', async (t) => {
  const { get, close } = await publishedLog(0);
  t.teardown(close);
  for (const path of ['/tile/0/000', '/tile/0/000.p/1', '/tile/entries/000.p/1'])
    t.equal((await get(path)).statusCode, 404, path);
  t.match((await get('/batches/0/proof')).json(), { code: 'NOT_FOUND' });
});

t.test('reads of tiles are made one at a time, and an address leaves room for others', async (t) => {
  const log = await publishedLog(3);
  t.teardown(log.close);
  const { store } = log.world;
  let running = 0;
  let most = 0;
  const watched = new Proxy(store, {
    get: (target, name) =>
      name === 'getMany'
        ? async (collection: string, ids: readonly string[]) => {
            most = Math.max(most, (running += 1));
            const found = await target.getMany(collection, ids);
            running -= 1;
            return found;
          }
        : (Reflect.get(target, name) as unknown),
  });
  const tiles = new TileReads(watched, 8);
  const tile = { level: 0, index: 0, width: 3 } as const;
  const asked = Array.from({ length: 4 }, () => tiles.read(tile, 'one'));
  await t.rejects(tiles.read(tile, 'one'), OverloadedError);
  asked.push(tiles.read(tile, 'another'));
  t.equal(tiles.used, 5);
  for (const bytes of await Promise.all(asked)) t.equal(bytes?.length, 96);
  t.same([tiles.used, most], [0, 1]);
  const failing = new TileReads({ ...store, get: () => Promise.reject(new Error('gone')) }, 8);
  await t.rejects(failing.read(tile, 'one'), /gone/);
  t.equal(failing.used, 0, 'a failed read gives its place back');
});
