import { gzipSync } from 'node:zlib';
import t from 'tap';
import { LIMITS } from '@sentinel-node/contracts';
import { OverloadedError, type DocumentStore } from '@sentinel-node/platform';
import { fileEntity, HASH, newId, NOW, report, SEQUENCE, startWorld, type World } from './support.ts';

const line = (world: World, n: number, changes: object = {}): string =>
  JSON.stringify({ fileId: world.file.id, ...report({ sequence: SEQUENCE + n, ...changes }) });
const lines = (world: World, count: number): string[] =>
  Array.from({ length: count }, (_, n) => line(world, n));
const codes = (rejected: { line: number; code: string }[]) =>
  rejected.map(({ line, code }) => `${line} ${code}`);

t.test('takes a report a line, in order, and keeps the bytes of each', async (t) => {
  const world = await startWorld(t);
  const sent = [
    line(world, 1),
    ` ${line(world, 2)}\t`,
    line(world, 3, { error: { code: 'E', message: 'ü😀' } }),
    line(world, 4),
  ];
  const answer = await world.bulk(`${sent[0]}\n\n${sent[1]}\r\n\r\n${sent[2]}\n${sent[3]}`);
  t.equal(answer.statusCode, 202);
  t.same(answer.json(), { accepted: 4, rejected: [] });
  const records = await world.records();
  t.same(
    records.map((record) => record.report),
    sent,
  );
  t.same(
    records.map(({ id }) => id),
    [1, 2, 3, 4].map((n) => `${world.file.id}:${SEQUENCE + n}`),
  );
});

t.test('an empty body has nothing to take', async (t) => {
  const world = await startWorld(t);
  for (const body of ['', '\n', '\r\n\n\n'])
    t.same((await world.bulk(body)).json(), { accepted: 0, rejected: [] });
});

const LIMITED = { SENTINEL_LIMIT_DEVICE_REPORTS: '100', SENTINEL_LIMIT_DEVICE_BURST: '6000' };
/** Reports that a body of the most bytes counts for, by docs/protocol.md. */
const LARGEST = LIMITS.bulkBytes / 4_096;

t.test('a body counts by its bytes when it has few lines, or is refused', async (t) => {
  const lineOf16MiB = Buffer.alloc(LIMITS.bulkBytes, ' ');
  const bodies: Record<string, [body: Buffer, status: number, encoding?: string]> = {
    'empty lines': [Buffer.alloc(LIMITS.bulkBytes, '\n'), 413],
    'empty lines, gzip': [gzipSync(Buffer.alloc(LIMITS.bulkBytes, '\n')), 413, 'gzip'],
    'one line': [lineOf16MiB, 202],
    'one line, gzip': [gzipSync(lineOf16MiB), 202, 'gzip'],
    'too large once it is decompressed': [gzipSync(Buffer.alloc(2 * LIMITS.bulkBytes, ' ')), 413, 'gzip'],
    'broken gzip': [gzipSync(lineOf16MiB).subarray(0, -9), 422, 'gzip'],
  };
  for (const [what, [body, status, encoding]] of Object.entries(bodies)) {
    const world = await startWorld(t, { env: LIMITED });
    const send = () => world.bulk(body, encoding === undefined ? {} : { encoding });
    for (let sent = 0; sent < 2; sent += 1) t.equal((await send()).statusCode, status, what);
    const refused = await send();
    t.equal(refused.statusCode, 429, `${what}: the third within a second is refused`);
    t.equal(refused.headers['ratelimit-remaining'], '0');
    t.ok(
      Number(refused.headers['retry-after']) > (2 * LARGEST - 6_000) / 100 - 10,
      'it waits until both are paid',
    );
    world.clock.advance(Number(refused.headers['retry-after']) * 1_000);
    t.equal((await send()).statusCode, status, 'as told');
  }
});

t.test('a body without a line counts as one report, and lines of usual length count once', async (t) => {
  const env = { SENTINEL_LIMIT_DEVICE_REPORTS: '1', SENTINEL_LIMIT_DEVICE_BURST: '40' };
  const world = await startWorld(t, { env });
  const signature = 's'.repeat(200);
  const sent = Array.from({ length: 36 }, (_, n) => line(world, n, { signature })).join('\n');
  t.ok(sent.length > 2 * 4_096);
  t.equal((await world.bulk(sent)).json().accepted, 36);
  for (let n = 0; n < 4; n += 1) t.equal((await world.bulk('\n')).statusCode, 202);
  t.equal((await world.bulk('\n')).statusCode, 429);
});

t.test('gzip is taken', async (t) => {
  const world = await startWorld(t);
  const answer = await world.bulk(gzipSync(lines(world, 100).join('\n')), { encoding: 'gzip' });
  t.same(answer.json(), { accepted: 100, rejected: [] });
  t.equal((await world.records()).length, 100);
});

t.test('gzip of several members is taken, whichever size the last one names', async (t) => {
  const world = await startWorld(t);
  const all = lines(world, 200);
  const members = [all.slice(0, 199), all.slice(199)].map((part) => gzipSync(`${part.join('\n')}\n`));
  const answer = await world.bulk(Buffer.concat(members), { encoding: 'gzip' });
  t.same(answer.json(), { accepted: 200, rejected: [] });
});

t.test('gzip that is broken, and other encodings', async (t) => {
  const world = await startWorld(t);
  const good = gzipSync(lines(world, 100).join('\n'));
  const changed = Buffer.from(good);
  changed[good.length >> 1]! ^= 0xff;
  for (const body of [good.subarray(0, good.length - 9), changed, Buffer.from('not gzip'), Buffer.alloc(0)]) {
    const answer = await world.bulk(body, { encoding: 'gzip' });
    t.equal(answer.statusCode, 422);
    t.equal(answer.json().code, 'VALIDATION_FAILED');
  }
  for (const encoding of ['br', 'deflate', 'gzip, gzip'])
    t.equal((await world.bulk(good, { encoding })).statusCode, 415, encoding);
  for (const type of ['application/json', 'nothing that is a type']) {
    t.equal((await world.bulk('{}', { type })).statusCode, 415, type);
    t.equal((await world.bulk('{}', { type, key: 'sk1.no' })).statusCode, 401, `${type}, from nobody`);
  }
  t.same(await world.records(), []);
});

t.test('16 MiB at most, after decompression too', async (t) => {
  const world = await startWorld(t);
  const first = line(world, 1);
  const padded = (bytes: number) =>
    Buffer.concat([Buffer.from(`${first}\n`), Buffer.alloc(bytes - first.length - 1, ' ')]);
  const rejected = [{ line: 2, code: 'PAYLOAD_TOO_LARGE' }];
  t.match((await world.bulk(padded(LIMITS.bulkBytes))).json(), { accepted: 1, rejected });
  const over = await world.bulk(padded(LIMITS.bulkBytes + 1));
  t.equal(over.statusCode, 413);
  t.equal(over.json().code, 'PAYLOAD_TOO_LARGE');
  t.equal((await world.bulk(gzipSync(padded(LIMITS.bulkBytes)), { encoding: 'gzip' })).statusCode, 202);
  const bomb = gzipSync(padded(LIMITS.bulkBytes + 1));
  t.ok(bomb.length < 100_000);
  t.equal((await world.bulk(bomb, { encoding: 'gzip' })).statusCode, 413);
  const members = Buffer.concat(Array(4).fill(gzipSync(Buffer.alloc(LIMITS.bulkBytes / 2, '\n'))));
  t.equal((await world.bulk(members, { encoding: 'gzip' })).statusCode, 413);
  const empty = gzipSync('');
  const empties = Buffer.concat(Array(Math.ceil(LIMITS.bulkBytes / empty.length) + 1).fill(empty));
  t.equal((await world.bulk(empties, { encoding: 'gzip' })).statusCode, 413);
});

t.test('10,000 lines at most', async (t) => {
  const world = await startWorld(t);
  const over = await world.bulk(lines(world, LIMITS.bulkLines + 1).join('\n'));
  t.equal(over.statusCode, 413);
  t.same(await world.records(), [], 'and nothing of it is taken');
  const empty = await world.bulk(`\n${lines(world, LIMITS.bulkLines).join('\n')}`);
  t.equal(empty.statusCode, 413, 'an empty line is one of them');
  t.same(await world.records(), []);
  const answer = await world.bulk(`${lines(world, LIMITS.bulkLines).join('\n')}\n`);
  t.same(answer.json(), { accepted: LIMITS.bulkLines, rejected: [] });
  const records = await world.records();
  t.same(
    records.map(({ id }) => id),
    Array.from({ length: LIMITS.bulkLines }, (_, n) => `${world.file.id}:${SEQUENCE + n}`),
  );
});

t.test('lines are judged one by one', async (t) => {
  const off = fileEntity({ enabled: false });
  const world = await startWorld(t, { device: { files: [fileEntity(), off] } });
  const ahead = (NOW + LIMITS.sequenceAheadMs) * 1_000 + 1;
  const long = JSON.stringify(report({ fileId: world.file.id })).padEnd(LIMITS.reportBytes + 1, ' ');
  const answer = await world.bulk(
    [
      line(world, 1),
      'not JSON',
      JSON.stringify({ fileId: newId(), ...report() }),
      JSON.stringify({ fileId: off.id, ...report() }),
      JSON.stringify({ fileId: world.file.id, ...report({ sequence: ahead }) }),
      line(world, 2, { versions: [{ length: 1, hash: 'x' }] }),
      '{"__proto__":{"fileId":"x"}}',
      JSON.stringify(report()),
      long,
      line(world, 3),
    ].join('\n'),
  );
  t.equal(answer.statusCode, 202);
  const { accepted, rejected } = answer.json();
  t.equal(accepted, 2);
  t.same(codes(rejected), [
    '2 VALIDATION_FAILED',
    '3 NOT_FOUND',
    '4 MONITORING_DISABLED',
    '5 SEQUENCE_AHEAD',
    '6 VALIDATION_FAILED',
    '7 VALIDATION_FAILED',
    '8 VALIDATION_FAILED',
    '9 PAYLOAD_TOO_LARGE',
  ]);
  t.match(rejected[4].detail, /versions\/0\/hash/);
  const records = await world.records();
  t.same(
    records.map(({ header }) => header.kind),
    ['report', 'notice', 'report'],
  );
  t.match(records[1]!.header, { type: 'MALFORMED_DATA', fileId: world.file.id });
});

t.test('attributes that do not fit spoil their own line only', async (t) => {
  const world = await startWorld(t);
  const kind = 'LINK';
  const sent = [
    line(world, 1, { attributes: { kind: 'FILE', mode: '0644', owner: 0, group: 0, inode: 7 } }),
    line(world, 2, { attributes: { kind: 'FILE', mode: '-644' } }),
    line(world, 3, { attributes: { kind, linkTarget: 'x'.repeat(1_000_000) } }),
    line(world, 4, { attributes: { kind } }).replace('"kind"', '"kind":"FILE","kind"'),
    line(world, 5, { attributes: { kind, linkTarget: '/srv/ü:1' } }),
  ];
  const answer = await world.bulk(sent.join('\n'));
  t.equal(answer.statusCode, 202);
  t.equal(answer.json().accepted, 2);
  t.same(
    codes(answer.json().rejected),
    [2, 3, 4].map((n) => `${n} VALIDATION_FAILED`),
  );
  const taken = (await world.records()).filter(({ header }) => header.kind === 'report');
  t.same(
    taken.map((record) => record.report),
    [sent[0], sent[4]],
    'the bytes as they came',
  );
});

t.test('bytes that are not UTF-8 spoil their own line only', async (t) => {
  const world = await startWorld(t);
  const body = Buffer.concat([
    Buffer.from(`${line(world, 1, { signature: 'ü' })}\n{"a":"`),
    Buffer.from([0xff]),
    Buffer.from(`"}\n${line(world, 2)}`),
  ]);
  const { accepted, rejected } = (await world.bulk(body)).json();
  t.equal(accepted, 2);
  t.same(codes(rejected), ['2 VALIDATION_FAILED']);
});

t.test('once a line of a file is refused by the rate, its later lines are too', async (t) => {
  const files = Array.from({ length: 50 }, (_, n) => fileEntity({ path: `${n}.log` }));
  const env = { SENTINEL_LIMIT_DEVICE_REPORTS: '100', SENTINEL_LIMIT_DEVICE_BURST: '2' };
  const world = await startWorld(t, { device: { files }, env });
  // Time passes during the judgement of the body, so that the bucket has room again for some lines but not for all.
  const now = world.clock.now.bind(world.clock);
  let asked = 0;
  world.clock.now = () => now() + 3 * asked++;
  const passes = [1, 2, 3].flatMap((n) =>
    files.map(({ id }) => JSON.stringify({ fileId: id, ...report({ sequence: SEQUENCE + n }) })),
  );
  const { accepted, rejected } = (await world.bulk(passes.join('\n'))).json();
  t.equal(accepted + rejected.length, passes.length);
  for (const { code } of rejected) t.equal(code, 'RATE_LIMITED');
  const refused = new Set<number>(rejected.map(({ line }: { line: number }) => line));
  const outcomes = files.map((_, n) =>
    [0, 1, 2].map((pass) => (refused.has(pass * 50 + n + 1) ? 'no' : 'yes')),
  );
  for (const outcome of outcomes) t.match(outcome.join(' '), /^(yes ?)*(no ?)*$/, 'none overtakes');
  const firstRefused = outcomes.findIndex(([first]) => first === 'no');
  t.ok(
    firstRefused >= 0 && outcomes.slice(firstRefused).some(([, second]) => second === 'yes'),
    'there was room',
  );
});

t.test('429 when the device has nothing left', async (t) => {
  const env = { SENTINEL_LIMIT_DEVICE_REPORTS: '1', SENTINEL_LIMIT_DEVICE_BURST: '2' };
  const world = await startWorld(t, { env });
  t.same((await world.bulk(lines(world, 2).join('\n'))).json(), { accepted: 2, rejected: [] });
  const limited = await world.bulk(lines(world, 2).join('\n'));
  t.equal(limited.statusCode, 429);
  t.equal(Number(limited.headers['retry-after']), 1);
  t.equal(Number(limited.headers['ratelimit-limit']), 2);
});

t.test('a file that was added, or switched on again, is taken at once', async (t) => {
  const world = await startWorld(t);
  t.equal((await world.bulk(line(world, 1))).json().accepted, 1);
  const added = fileEntity({ path: 'new.log' });
  await world.change({ files: [...world.device.files, added] }, { published: false });
  const body = `${line(world, 2)}\n${JSON.stringify({ fileId: added.id, ...report() })}`;
  t.same((await world.bulk(body)).json(), { accepted: 2, rejected: [] });
});

t.test('401 and 503', async (t) => {
  const world = await startWorld(t, { deps: { limits: { bulkBodyBytes: 2_000 } } });
  t.equal((await world.bulk(line(world, 1), { key: 'sk1.no' })).statusCode, 401);
  const busy = await world.bulk(lines(world, 20).join('\n'));
  t.equal(busy.statusCode, 503);
  t.equal(busy.json().code, 'OVERLOADED');
  const small = gzipSync(lines(world, 20).join('\n'));
  t.equal(
    (await world.bulk(small, { encoding: 'gzip' })).statusCode,
    503,
    'what counts is the size in memory',
  );
  t.equal((await world.bulk(line(world, 1, { versions: [{ length: 1, hash: HASH }] }))).json().accepted, 1);
});

t.test('a body that is refused midway takes no event of its malformed lines with it', async (t) => {
  let failing: Error | undefined;
  const wrapStore = (store: DocumentStore): DocumentStore => {
    const find = store.find.bind(store);
    store.find = (collection, query) =>
      failing === undefined ? find(collection, query) : Promise.reject(failing);
    return store;
  };
  const world = await startWorld(t, { wrapStore });
  await world.tick();
  t.equal((await world.bulk(line(world, 1))).statusCode, 202, 'the device is known');
  const malformed = JSON.stringify({ fileId: world.file.id, ...report({ change: 'GROWN' }) });
  // The device is read again for a file that it may have got meanwhile.
  const body = `${malformed}\n${JSON.stringify({ fileId: newId(), ...report() })}`;
  for (const [error, status] of [
    [new OverloadedError('busy'), 503],
    [new Error('broken'), 500],
  ] as const) {
    failing = error;
    t.equal((await world.bulk(body)).statusCode, status);
    failing = undefined;
    const before = (await world.records()).length;
    const { rejected } = (await world.bulk(body)).json();
    t.same(codes(rejected), ['1 VALIDATION_FAILED', '2 NOT_FOUND']);
    t.equal((await world.records()).length, before + 1, 'told when the body comes again');
    world.clock.advance(60_000);
    await world.tick();
  }
});
