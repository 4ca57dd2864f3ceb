import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import {
  defaultLogOrigin,
  logIdOf,
  signReceipts,
  toHex,
  type BulkReceipt,
  type KeptReceipt,
  type Proof,
  type ProofTrust,
  type Report,
} from '@sentinel-node/contracts';
import type { Answer } from '../src/net/server.ts';
import type { InLog } from '../src/log-watch.ts';
import { Receipts, type SentLine } from '../src/receipts.ts';

const FILE = '01932b5e-7c00-7a11-8b22-000000000003';
const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 21, 10);
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const raw = new Uint8Array(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
const logId = logIdOf(raw);
const TRUST: ProofTrust = {
  origin: defaultLogOrigin(logId),
  publicKey: toHex(raw),
  network: 'dev',
  genesisTxid: '00'.repeat(32),
};
const version = (n: number) => ({ length: n, hash: createHash('sha256').update(String(n)).digest('hex') });
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function taken(n: number, changes: Partial<SentLine> = {}): SentLine {
  const report: Report = {
    sequence: n,
    timestamp: new Date(START).toISOString(),
    change: 'REPLACED',
    versions: [version(n), version(n + 1)],
  };
  return {
    task: { id: FILE },
    entry: { report },
    text: JSON.stringify({ fileId: FILE, ...report }),
    sentBefore: false,
    ...changes,
  };
}

/** Returns a bulk receipt for the lines of one body, as the server makes it. */
function bulkReceipt(lines: readonly SentLine[], acceptedAt = START, by = privateKey): BulkReceipt {
  const reports = lines.map(({ task, text }) => ({ fileId: task.id, acceptedAt, reportHash: hashOf(text) }));
  const { signed, path } = signReceipts(logId, reports, (message) => sign(null, message, by));
  return {
    ...signed,
    lines: lines.map((_, index) => ({ line: index + 1, acceptedAt, index, path: path(index) })),
  };
}

const NOT_FOUND: Answer<Proof> = { kind: 'refused', status: 404, code: 'NOT_FOUND' };
const AWAY: Answer<Proof> = { kind: 'unreachable', detail: 'ECONNREFUSED', retryAfterMs: undefined };

/** Returns the parts of a proof that the agent compares. */
const proofOf = ({ fileId, receipt, reportHash }: KeptReceipt, more: object = {}): Proof =>
  ({
    format: 'sentinel/proof/v1',
    state: 'CUT',
    subject: { type: 'FILE', id: fileId },
    entry: { number: 1, acceptedAt: receipt.acceptedAt, reportHash },
    ...more,
  }) as unknown as Proof;
const shown = (kept: KeptReceipt, more: object = {}): Answer<Proof> => ({
  kind: 'ok',
  value: proofOf(kept, more),
});

function scene(t: Test, trust?: ProofTrust, hasLog?: (note: string) => Promise<InLog>) {
  const state = { now: START, answer: (kept: KeptReceipt): Answer<Proof> => shown(kept) };
  const asked: KeptReceipt[] = [];
  const notices: string[] = [];
  const folder = join(t.testdir(), 'receipts');
  const open = async () => {
    const receipts = new Receipts({
      folder,
      server: {
        proofOfReceipt: (kept) => {
          asked.push(kept);
          return Promise.resolve(state.answer(kept));
        },
      },
      serverMs: () => state.now,
      log: () => undefined,
      notice: (code) => void notices.push(code),
      trust,
      hasLog,
    });
    await receipts.load();
    return receipts;
  };
  const take = (receipts: Receipts, lines: readonly SentLine[], bulk = bulkReceipt(lines)) =>
    receipts.take(lines, bulk, new Set());
  return { state, asked, notices, folder, open, take };
}

t.test('a report that the server shows in a batch is asked about once, when it is due', async (t) => {
  const { state, asked, notices, open, take } = scene(t);
  const receipts = await open();
  await take(receipts, [taken(1)]);
  await receipts.check();
  t.same(asked, [], 'not yet');
  state.now += 2 * HOUR_MS;
  await receipts.check();
  await receipts.check();
  matchList(t, asked, [{ fileId: FILE, reportHash: hashOf(taken(1).text) }]);
  t.same(notices, []);
  t.equal(receipts.broken, 0);
});

t.test('an accepted report that is gone is told, and the evidence stays, also after a restart', async (t) => {
  const { state, notices, folder, open, take } = scene(t);
  const receipts = await open();
  await take(receipts, [taken(1), taken(2)]);
  state.now += 2 * HOUR_MS;
  state.answer = (kept) => (kept.reportHash === hashOf(taken(2).text) ? NOT_FOUND : shown(kept));
  await receipts.check();
  t.same(notices, ['ACCEPTED_REPORT_MISSING']);
  t.equal(receipts.broken, 1);
  const [name = ''] = readdirSync(folder).filter((one) => one.startsWith('broken-promise'));
  const kept: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  t.match(kept, { fileId: FILE, reportHash: hashOf(taken(2).text) });
  t.equal((await open()).broken, 1);
});

t.test('a restart forgets no promise, and a line that was cut short is left out', async (t) => {
  const { state, asked, folder, open, take } = scene(t);
  await take(await open(), [taken(1), taken(2)]);
  appendFileSync(join(folder, 'receipts.ndjson'), '{"format":"sentinel/rec');
  const receipts = await open();
  state.now += 2 * HOUR_MS;
  await receipts.check();
  t.equal(asked.length, 2);
  await take(receipts, [taken(3)]);
  const lines = readFileSync(join(folder, 'receipts.ndjson'), 'utf8').trimEnd().split('\n');
  const hashes = lines.map((line) => (JSON.parse(line) as KeptReceipt).reportHash);
  t.strictSame(
    hashes,
    [1, 2, 3].map((n) => hashOf(taken(n).text)),
    'others can read every line',
  );
});

t.test('a server that is away or does not know yet is asked again', async (t) => {
  const { state, asked, notices, open, take } = scene(t);
  const receipts = await open();
  await take(receipts, [taken(1)]);
  state.now += 2 * HOUR_MS;
  state.answer = () => AWAY;
  await receipts.check();
  state.now += HOUR_MS;
  state.answer = (kept) => shown(kept, { state: 'PENDING' });
  await receipts.check();
  await receipts.check();
  t.equal(asked.length, 2, 'a link that waits for its batch has a day');
  state.now += 24 * HOUR_MS;
  await receipts.check();
  t.same(notices, ['ACCEPTED_REPORT_MISSING'], 'and no more');
});

const BUSY: Answer<Proof> = { kind: 'unreachable', detail: 'HTTP 503', retryAfterMs: 1_000 };
const NO_ANSWERS: readonly (readonly [string, Answer<Proof>])[] = [
  ...[403, 404, 405].map((status): [string, Answer<Proof>] => [
    `a proxy that says ${status}`,
    { kind: 'refused', status, code: `HTTP_${status}` },
  ]),
  ['a server that is away', AWAY],
  ['a server that is busy', BUSY],
];

t.test('an answer that says nothing breaks no promise, and is told after a day', async (t) => {
  for (const [name, answer] of NO_ANSWERS) {
    const { state, asked, notices, open, take } = scene(t);
    const receipts = await open();
    await take(receipts, [taken(1)]);
    state.answer = () => answer;
    for (const hours of [2, 23, 2, 1]) {
      t.equal(receipts.problem, null, name);
      state.now += hours * HOUR_MS;
      await receipts.check();
      await receipts.check();
      if (hours === 2 && asked.length === 3) break;
    }
    t.equal(asked.length, 3, 'asked again later, not at once');
    t.same(notices, ['RECEIPTS_NOT_CHECKED'], 'once');
    t.match(receipts.problem, /could not be checked for a day/);
    t.equal(receipts.broken, 0);
    state.now += HOUR_MS;
    await receipts.check();
    t.equal(notices.length, 1);
    state.now += HOUR_MS;
    state.answer = () => NOT_FOUND;
    await receipts.check();
    t.equal(receipts.broken, 1, `after ${name}`);
    t.equal(receipts.problem, null);
  }
});

t.test('a question that stays open hides no other, and is told by runs that end at once too', async (t) => {
  const { state, asked, notices, open, take } = scene(t);
  const hidden = hashOf(taken(1).text);
  await take(
    await open(),
    Array.from({ length: 9 }, (_, n) => taken(n)),
  );
  state.answer = (kept) => (kept.reportHash === hidden ? BUSY : shown(kept));
  state.now += 2 * HOUR_MS;
  for (let run = 0; run < 40; run += 1) {
    const receipts = await open();
    await receipts.check();
    state.now += HOUR_MS;
    if (receipts.problem !== null) break;
  }
  t.same(new Set(notices), new Set(['RECEIPTS_NOT_CHECKED']));
  t.ok(new Set(asked.map(({ reportHash }) => reportHash)).size > 3, 'others are asked about beside it');
});

t.test('many later receipts hide no question that the server does not settle', async (t) => {
  const unsettled: readonly [string, (kept: KeptReceipt) => Answer<Proof>, string][] = [
    ['no answer', () => BUSY, 'RECEIPTS_NOT_CHECKED'],
    ['a link without a batch', (kept) => shown(kept, { state: 'PENDING' }), 'ACCEPTED_REPORT_MISSING'],
  ];
  for (const [name, answer, told] of unsettled) {
    const { state, notices, open, take } = scene(t);
    state.answer = (kept) => (kept.reportHash < '8' ? answer(kept) : shown(kept));
    const receipts = await open();
    // Which receipts are asked about, and in which order, is random: a pause that the server asks for ends a look.
    for (let look = 0; look < 80 && notices.length === 0; look += 1) {
      const lines = Array.from({ length: 250 }, (_, n) => taken(look * 250 + n));
      await take(receipts, lines, bulkReceipt(lines, state.now));
      state.now += 2 * HOUR_MS;
      await receipts.check();
    }
    t.same([...new Set(notices)], [told], name);
  }
});

t.test('of many receipts each run takes a sample of all', async (t) => {
  const { state, asked, open, take } = scene(t);
  const receipts = await open();
  for (let body = 0; body < 10; body += 1)
    await take(
      receipts,
      Array.from({ length: 100 }, (_, n) => taken(body * 100 + n)),
    );
  const first = new Set(Array.from({ length: 800 }, (_, n) => hashOf(taken(n).text)));
  state.now += 2 * HOUR_MS;
  for (let run = 0; run < 10; run += 1) await (await open()).check();
  t.ok(
    asked.some(({ reportHash }) => first.has(reportHash)),
    'not only the newest 200',
  );
});

t.test('accepted reports without a receipt are told', async (t) => {
  const first = [taken(1), taken(3)];
  const someOf = (lines: readonly SentLine[]): BulkReceipt => {
    const { lines: all, ...signed } = bulkReceipt(lines);
    return { ...signed, lines: all.slice(1) };
  };
  await t.test('one of a body', async (t) => {
    const { notices, open, take } = scene(t);
    const receipts = await open();
    await take(receipts, first, someOf(first));
    t.same(notices, ['RECEIPT_MISSING']);
    t.match(receipts.problem, /gave no receipt/);
    await take(receipts, first, someOf(first));
    t.equal(notices.length, 1, 'once');
    await take(receipts, first);
    t.equal(receipts.problem, null, 'until a body has all');
    await take(receipts, first, someOf(first));
    t.equal(notices.length, 2);
  });
  await t.test('all of a body', async (t) => {
    for (const trust of [undefined, TRUST]) {
      const { notices, open, take } = scene(t, trust);
      const receipts = await open();
      await receipts.take(first, undefined, new Set());
      t.same(notices, trust === undefined ? [] : ['RECEIPT_MISSING'], 'an unknown server may give none');
      await take(receipts, first);
      await (await open()).take(first, undefined, new Set());
      t.equal(notices.at(-1), 'RECEIPT_MISSING');
    }
  });
  await t.test('not of refused lines, lines without a link and lines that were sent before', async (t) => {
    const { notices, open, take } = scene(t, TRUST);
    const receipts = await open();
    await take(receipts, first);
    const same = { ...first[0]!.entry.report, versions: [version(1)] };
    const others = [taken(5), taken(6, { sentBefore: true }), { ...taken(7), entry: { report: same } }];
    await receipts.take(others, undefined, new Set([1]));
    t.same(notices, []);
  });
});

t.test('some are asked about at a time, all in the end', async (t) => {
  const { state, asked, open, take } = scene(t);
  const receipts = await open();
  await take(
    receipts,
    Array.from({ length: 10 }, (_, n) => taken(n)),
  );
  state.now += 2 * HOUR_MS;
  await receipts.check();
  t.equal(asked.length, 3);
  for (let beat = 0; beat < 3; beat += 1) await receipts.check();
  t.equal(new Set(asked.map(({ reportHash }) => reportHash)).size, 10);
});

t.test('nothing is held against the server that it did not promise', async (t) => {
  const { state, asked, open, take } = scene(t);
  const receipts = await open();
  const unchanged = taken(1);
  const same = { ...unchanged.entry.report, versions: [version(1)] };
  await take(receipts, [{ ...unchanged, entry: { report: same } }, taken(2, { sentBefore: true })]);
  await receipts.take([taken(3)], undefined, new Set());
  state.now += 48 * HOUR_MS;
  await receipts.check();
  t.same(asked, []);
});

t.test('a receipt of a time to come is told, because it never falls due', async (t) => {
  const { notices, folder, open, take } = scene(t);
  const receipts = await open();
  const ahead = START + 11 * 60_000;
  await take(receipts, [taken(1), taken(2)], bulkReceipt([taken(1), taken(2)], ahead));
  t.same(notices, ['RECEIPT_AHEAD']);
  t.equal(receipts.problem, 'a receipt is of a time that is to come');
  t.notOk(existsSync(join(folder, 'receipts.ndjson')));
  await take(receipts, [taken(3)], bulkReceipt([taken(3)], START + 9 * 60_000));
  t.equal(receipts.problem, null, 'clocks differ');
});

t.test('with a trust file', async (t) => {
  await t.test('a receipt that the log did not sign is told and not kept', async (t) => {
    const { state, asked, notices, folder, open, take } = scene(t, TRUST);
    const receipts = await open();
    const other = generateKeyPairSync('ed25519').privateKey;
    await take(receipts, [taken(1)], bulkReceipt([taken(1)], START, other));
    t.same(notices, ['RECEIPT_INVALID']);
    t.notOk(existsSync(join(folder, 'receipts.ndjson')));
    await take(receipts, [taken(2)]);
    t.equal(notices.length, 1, 'a good one is kept');
    state.now += 2 * HOUR_MS;
    await receipts.check();
    t.equal(asked.length, 1);
  });

  await t.test('a proof that does not hold is told', async (t) => {
    const { state, notices, open, take } = scene(t, TRUST);
    const receipts = await open();
    await take(receipts, [taken(1)]);
    state.now += 2 * HOUR_MS;
    await receipts.check();
    t.same(notices, ['ACCEPTED_REPORT_MISSING']);
    t.equal(receipts.broken, 1);
  });
});

t.test('a batch binds the operator only in the log that the agent keeps', async (t) => {
  const open = async (t: Test) => {
    let found: InLog = { state: 'unknown' };
    const notes: string[] = [];
    const parts = scene(t, undefined, (note) => {
      notes.push(note);
      return Promise.resolve(found);
    });
    parts.state.answer = (kept) => shown(kept, { batch: { checkpoint: `note ${parts.asked.length}` } });
    const receipts = await parts.open();
    await parts.take(receipts, [taken(1)]);
    parts.state.now += HOUR_MS;
    const check = async (next: InLog): Promise<void> => {
      found = next;
      parts.state.now += HOUR_MS;
      await receipts.check();
      await receipts.check();
    };
    return { ...parts, receipts, notes, check };
  };

  await t.test('a log that cannot be read is asked again, and told after a day', async (t) => {
    const { asked, check, notes, notices, receipts } = await open(t);
    await check({ state: 'unknown' });
    t.equal(asked.length, 1, 'not at once again');
    t.same(notes, ['note 1']);
    for (let hour = 0; hour < 23; hour += 1) await check({ state: 'unknown' });
    t.same(notices, [], 'it may be read later');
    await check({ state: 'unknown' });
    t.same(notices, ['RECEIPTS_NOT_CHECKED']);
    await check({ state: 'there' });
    t.equal(receipts.problem, null);
    await check({ state: 'there' });
    t.equal(asked.length, 26, 'kept');
    t.equal(receipts.broken, 0);
  });

  await t.test('a kept log that is older comes to the batch', async (t) => {
    const { check, notes, notices } = await open(t);
    await check({ state: 'behind', looks: 7 });
    await check({ state: 'behind', looks: 8 });
    await check({ state: 'there' });
    await check({ state: 'there' });
    t.same(notes, ['note 1', 'note 1', 'note 1'], 'always the checkpoint that was shown first');
    t.same(notices, []);
  });

  await t.test('a batch that the published log never comes to is told', async (t) => {
    const { check, notices, receipts } = await open(t);
    for (const looks of [0, 1, 1, 2]) {
      t.same(notices, []);
      await check({ state: 'behind', looks });
    }
    t.same(notices, ['ACCEPTED_REPORT_MISSING']);
    t.equal(receipts.broken, 1);
  });

  await t.test('a batch of another log is told', async (t) => {
    const { check, notices, receipts } = await open(t);
    await check({ state: 'not-there' });
    t.same(notices, ['ACCEPTED_REPORT_MISSING']);
    t.equal(receipts.broken, 1);
  });
});

t.test('a state folder that cannot be used is a problem until all is kept', async (t) => {
  const { state, notices, folder, open, take } = scene(t);
  writeFileSync(folder, 'a file in its place');
  const receipts = await open();
  await take(receipts, [taken(1), taken(2)]);
  state.now += 2 * HOUR_MS;
  state.answer = (kept) => (kept.reportHash === hashOf(taken(2).text) ? NOT_FOUND : shown(kept));
  await receipts.check();
  t.same(notices, ['RECEIPTS_NOT_KEPT', 'ACCEPTED_REPORT_MISSING'], 'each once');
  t.match(receipts.problem, /receipts cannot be kept in the state folder \((ENOTDIR|EEXIST)\)/);
  t.equal(receipts.broken, 1, 'counted before it is saved');
  rmSync(folder);
  await receipts.check();
  t.equal(receipts.problem, null);
  t.equal(receipts.broken, 1);
  const lines = readFileSync(join(folder, 'receipts.ndjson'), 'utf8').trimEnd().split('\n');
  t.equal(lines.length, 2, 'receipts from before are kept');
  const again = await open();
  t.equal(again.broken, 1);
});

t.test('a broken promise whose evidence cannot be saved counts, and is saved later', async (t) => {
  const { state, notices, folder, open, take } = scene(t);
  const name = `broken-promise-${FILE}-${hashOf(taken(1).text).slice(0, 16)}.json`;
  const receipts = await open();
  await take(receipts, [taken(1)]);
  mkdirSync(join(folder, `${name}.part`));
  state.answer = () => NOT_FOUND;
  state.now += 2 * HOUR_MS;
  await receipts.check();
  state.answer = (kept) => shown(kept);
  await take(receipts, [taken(3)]);
  t.equal(receipts.broken, 1);
  t.match(receipts.problem, /EISDIR/, 'another write does not end it');
  t.match(readFileSync(join(folder, 'receipts.ndjson'), 'utf8'), hashOf(taken(3).text), 'nor fails with it');
  rmdirSync(join(folder, `${name}.part`));
  await receipts.check();
  t.equal(receipts.broken, 1);
  t.equal(receipts.problem, null);
  t.ok(existsSync(join(folder, name)));
  t.same(notices, ['ACCEPTED_REPORT_MISSING', 'RECEIPTS_NOT_KEPT']);
});

t.test('what was kept is not removed because it could not be read, or was moved away', async (t) => {
  const { folder, open, take, notices } = scene(t);
  const file = join(folder, 'receipts.ndjson');
  mkdirSync(file, { recursive: true });
  t.match((await open()).problem, /EISDIR/);
  t.same(notices, ['RECEIPTS_NOT_KEPT'], 'an error is no empty file');
  rmdirSync(file);
  const receipts = await open();
  await take(receipts, [taken(1), taken(2)]);
  renameSync(file, join(folder, 'moved'));
  mkdirSync(file);
  await take(receipts, [taken(3)]);
  rmdirSync(file);
  writeFileSync(file, 'short\n');
  await take(receipts, [taken(4)]);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  t.equal(lines[0], 'short');
  t.ok(
    lines.slice(1).every((line) => JSON.parse(line) as unknown),
    'no line has zeros before it',
  );
});
