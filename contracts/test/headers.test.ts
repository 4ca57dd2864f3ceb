import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { fromHex } from '../src/bytes/bytes.ts';
import { HEADER_CHECKPOINTS } from '../src/ledger/header-checkpoints.ts';
import { DIFFICULTY_ANCESTORS, difficultyRules, requiredBits } from '../src/ledger/header-difficulty.ts';
import { HeaderRun, type BlockHeader, type HeaderFault } from '../src/ledger/header-run.ts';
import { bitsOf, targetOf, workOf } from '../src/ledger/header-target.ts';
import { checkHeaders, FIRST_OWN_BLOCK, MAX_HEADERS, type HeaderCheckpoint } from '../src/proof/headers.ts';
import { shownHash } from '../src/ledger/transaction.ts';
import { easyHeaders, EASY_BITS, hashAt, headerAt, MAIN_800_000, PUBLIC } from './header-support.ts';
import { withoutPython } from './python.ts';
import { flipBit, vector } from './support.ts';

const recorded = vector<{ headers: string; checkpoint: HeaderCheckpoint }>('proof.json');
const NETWORKS = ['main', 'test'] as const;

t.test('headers follow each other from a checkpoint, with work', async (t) => {
  const { checkpoint } = recorded;
  const bytes = fromHex(recorded.headers);
  const check = (of: Uint8Array, from = checkpoint, network = 'recorded') => checkHeaders(of, from, network);
  const chain = check(bytes);
  t.match(chain, { tipHeight: 600_008, tipTime: Date.UTC(2026, 10, 21, 11, 30) / 1_000, work: 18n });
  if ('problem' in chain) return;
  t.same(chain.headerAt(600_000), bytes.slice(0, 80));
  t.equal(chain.headerAt(599_999), undefined);
  t.equal(chain.headerAt(600_009), undefined);
  t.same(check(bytes.slice(0, 79)), { problem: 'NOT_HEADERS' });
  t.same(check(bytes.slice(0, 0)), { problem: 'NOT_HEADERS' });
  t.same(
    check(new Uint8Array(80 * MAX_HEADERS + 1)),
    { problem: 'TOO_MANY_HEADERS' },
    'as far as a file is read',
  );
  t.same(check(bytes, { ...checkpoint, hash: '11'.repeat(32) }), { problem: 'NOT_LINKED', height: 600_000 });
  t.match(check(bytes.slice(80)), { problem: 'NOT_LINKED' });
  const gap = Buffer.concat([bytes.slice(0, 80), bytes.slice(160)]);
  t.same(check(gap), { problem: 'NOT_LINKED', height: 600_001 });
  t.match(check(bytes, { ...checkpoint, bits: 0x1d00ffff }), { problem: 'TOO_EASY' });
  const early = { ...checkpoint, height: FIRST_OWN_BLOCK - 1 };
  t.same(check(bytes, early, 'main'), { problem: 'BEFORE_FORK' });
  for (const network of NETWORKS) {
    const own = check(bytes, checkpoint, network);
    t.same(own, { problem: 'TOO_EASY', height: 600_000 }, 'easy headers of one’s own');
  }
  const idle = bytes.slice(0, 80);
  for (let nonce = 0; !('problem' in check(idle)); nonce++) idle[76] = nonce;
  t.match(check(idle), { problem: 'NO_WORK' });
});

t.test('headers that begin with the known block itself need no bits', async (t) => {
  const bytes = easyHeaders({ count: 3 });
  const known = { height: 5, hash: hashAt(bytes, 0) };
  const chain = checkHeaders(bytes, known, 'regtest');
  t.match(chain, { tipHeight: 7, uncalculated: 0, work: 4n });
  if (!('problem' in chain)) t.same(chain.headerAt(5), bytes.slice(0, 80));
  t.same(checkHeaders(bytes.slice(80), known, 'regtest'), { problem: 'BITS_UNKNOWN' });
  t.same(checkHeaders(bytes, known, 'test'), { problem: 'TOO_EASY', height: 5 });
  const none = new Uint8Array(80);
  t.same(checkHeaders(none, { height: 5, hash: hashAt(none, 0) }, 'regtest'), {
    problem: 'NO_WORK',
    height: 5,
  });
});

t.test('a chain of the main network without the block that is known of it is another chain', async (t) => {
  const { height, hash } = HEADER_CHECKPOINTS['main']!;
  t.equal(shownHash(MAIN_800_000.hash), hash);
  t.equal(
    shownHash(MAIN_800_000.previous),
    '00000000000000000b6ae23bbe9f549844c20943d8c20b8ceedbae8aa1dde8e0',
    'as the list of files in wallet-toolbox has 799,999',
  );
  const { bytes } = PUBLIC.main;
  const wrong = { height: height - 1, hash: hashAt(bytes, 0) };
  t.same(checkHeaders(bytes, wrong, 'main'), { problem: 'OTHER_CHAIN', height });
});

t.test('a known block of one’s own cannot stand in the place of the one that is known', async (t) => {
  const { height } = HEADER_CHECKPOINTS['main']!;
  const { bytes } = PUBLIC.main;
  const other = { height, hash: hashAt(bytes, 0) };
  t.same(checkHeaders(bytes, other, 'main'), { problem: 'OTHER_CHAIN', height }, 'it begins the file');
  const bits = headerAt(bytes, 0).bits;
  const after = checkHeaders(bytes.slice(80), { ...other, bits }, 'main');
  t.same(after, { problem: 'OTHER_CHAIN', height }, 'the file follows it');
});

for (const network of NETWORKS) {
  const { first, bytes } = PUBLIC[network];
  const count = bytes.length / 80;
  const known = { height: first, hash: hashAt(bytes, 0) };

  t.test(`${network}: public headers hold, and each target that can be calculated is right`, async (t) => {
    const chain = checkHeaders(bytes, known, network);
    t.match(chain, { tipHeight: first + count - 1 });
    const late = Array.from({ length: count - 1 }, (_, at) => at + 1).filter(
      (at) =>
        network === 'test' &&
        at < DIFFICULTY_ANCESTORS &&
        headerAt(bytes, at).time > headerAt(bytes, at - 1).time + 1_200,
    );
    t.match(chain, { uncalculated: DIFFICULTY_ANCESTORS - 1 - late.length });
    const targets = new Set(Array.from({ length: count }, (_, at) => headerAt(bytes, at).bits));
    t.ok(targets.size > count / 2, 'targets change');
    if (network === 'test') t.ok(late.length > 0 && targets.has(0x1d00ffff), 'late blocks are easy');
  });

  t.test(`${network}: any changed bit is refused at the height of its header`, async () => {
    const refused = fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
      const at = Math.floor(bit / 640);
      const from = Math.max(0, at - 1);
      const part = flipBit(bytes, bit).slice(from * 80, (at + 1) * 80);
      const before = { height: first + from, hash: hashAt(bytes, from) };
      const result = checkHeaders(part, before, network);
      // The first header is known by its hash: a changed one neither is the known block nor follows the known block.
      return 'problem' in result && (at === 0 || result.height === first + at);
    });
    fc.assert(refused, { numRuns: 500 });
  });
}

t.test(
  'a second implementation, from docs/formats.md alone, calculates the same',
  { skip: withoutPython },
  async (t) => {
    const [script = '', fixture = ''] = ['second_headers.py', 'fixtures/block-headers.json'].map((name) =>
      fileURLToPath(new URL(`../../test/${name}`, import.meta.url)),
    );
    const { stdout, stderr } = spawnSync('python3', ['-B', script, fixture], { encoding: 'utf8' });
    const calculated = NETWORKS.map((network) => {
      const { bytes, first } = PUBLIC[network];
      const chain = checkHeaders(bytes, { height: first, hash: hashAt(bytes, 0) }, network);
      return 'problem' in chain ? 0 : bytes.length / 80 - 1 - chain.uncalculated;
    });
    t.equal(stdout, `${calculated[0]! + calculated[1]!}\n`, stderr);
  },
);

t.test(
  'a chain of easy headers with a changed bit is refused there, or where the next one follows',
  async () => {
    const bytes = easyHeaders({ count: 20 });
    const known = { height: -1, hash: '00'.repeat(32), bits: EASY_BITS };
    const refused = fc.property(fc.nat(19 * 640 - 1), (bit) => {
      const result = checkHeaders(flipBit(bytes, bit), known, 'regtest');
      const at = Math.floor(bit / 640);
      return 'problem' in result && (result.height === at || result.height === at + 1);
    });
    fc.assert(refused, { numRuns: 1_000 });
  },
);

t.test('a target is refused that the headers before do not give', async (t) => {
  const { bytes } = PUBLIC.main;
  const before = Array.from({ length: DIFFICULTY_ANCESTORS }, (_, at) => headerAt(bytes, at));
  const next = headerAt(bytes, DIFFICULTY_ANCESTORS);
  const start = { network: 'main', hash: shownHash(next.previous), bits: next.bits };
  t.equal(new HeaderRun({ ...start, before }).add(next), undefined);
  const slower = before.map((header, at) => ({ ...header, time: header.time + at }));
  t.equal(new HeaderRun({ ...start, before: slower }).add(next), 'WRONG_DIFFICULTY');
  const few = new HeaderRun({ ...start, before: slower.slice(1) });
  t.equal(few.add(next), undefined, 'with 146 before it nothing can be calculated');
  t.equal(few.uncalculated, 1);
});

t.test('the time of 144 blocks counts as 12 to 48 hours, and no target is above the highest', async (t) => {
  const rules = difficultyRules('main')!;
  const bits = 0x1c00ffff;
  const work = workOf(targetOf(bits)!);
  const steps = (seconds: number) =>
    Array.from({ length: DIFFICULTY_ANCESTORS }, (_, at) => ({
      time: 1_000_000 + at * seconds,
      bits,
      work: work * BigInt(at),
    }));
  const after = (seconds: number) => requiredBits(rules, steps(seconds), 0, bits);
  t.equal(after(600), bits);
  t.equal(after(1), after(300), 'not shorter than 12 hours');
  t.equal(after(300), bitsOf(targetOf(bits)! / 2n));
  t.equal(after(100_000), after(1_200), 'not longer than 48 hours');
  const easiest = steps(1_200).map((step, at) => ({ ...step, work: workOf(rules.limit) * BigInt(at) }));
  t.equal(requiredBits(rules, easiest, 0, bits), 0x1d00ffff);
  t.equal(requiredBits(rules, [], 0, bits), undefined);
});

t.test('of equal times the median is the block that the nodes’ exchanges leave in the middle', async (t) => {
  const rules = difficultyRules('main')!;
  const work = workOf(targetOf(0x1c00ffff)!);
  const bitsWith = (newest: readonly number[]) => {
    const steps = Array.from({ length: DIFFICULTY_ANCESTORS }, (_, at) => ({
      time: newest[at - DIFFICULTY_ANCESTORS + 3] ?? at * 600,
      bits: 0x1c00ffff,
      // The work of each step identifies the chosen median.
      work: work * BigInt(at * at),
    }));
    return requiredBits(rules, steps, 0, 0x1c00ffff);
  };
  const time = 146 * 600;
  const [first, second, third] = [
    [time, time - 1, time + 1],
    [time - 1, time, time + 1],
    [time - 1, time + 1, time],
  ].map(bitsWith);
  t.equal(new Set([first, second, third]).size, 3);
  t.equal(bitsWith([time, time, time]), second);
  t.equal(bitsWith([time + 9, time, time]), second, 'the first is the latest');
  t.equal(bitsWith([time, time, time - 9]), second, 'the third is the earliest');
  t.equal(bitsWith([time, time - 9, time]), first, 'the second is the earliest');
  t.equal(bitsWith([time, time + 9, time]), third, 'the second is the latest');
});

t.test('test: a block more than 20 minutes late has the highest target, and only then', async (t) => {
  const rules = difficultyRules('test')!;
  const steps = [{ time: 1_000, bits: 0x1a33c833, work: 1n }];
  t.equal(requiredBits(rules, steps, 2_200, 0x1a33c833), undefined);
  t.equal(requiredBits(rules, steps, 2_201, 0x1a33c833), 0x1d00ffff);
  t.equal(requiredBits(difficultyRules('main')!, steps, 2_201, 0x1a33c833), undefined);
  t.equal(difficultyRules('toString'), undefined);
});

t.test('regtest: the target never changes', async (t) => {
  const easier = easyHeaders({ count: 2, bits: 0x200fffff });
  const known = { height: -1, hash: '00'.repeat(32), bits: 0x200fffff };
  const next = easyHeaders({ count: 1, after: headerAt(easier, 1).hash });
  const problem = checkHeaders(Buffer.concat([easier, next]), known, 'regtest');
  t.same(problem, { problem: 'WRONG_DIFFICULTY', height: 2 });
  const first = checkHeaders(next, { height: 5, hash: hashAt(easier, 1), bits: 0x200fffff }, 'regtest');
  t.same(first, { problem: 'WRONG_DIFFICULTY', height: 6 }, 'nor after the known block');
  const own = checkHeaders(next, { height: 5, hash: hashAt(easier, 1), bits: 0x203fffff }, 'own');
  t.match(own, { tipHeight: 6, uncalculated: 1 }, 'a network without known rules');
});

t.test('a block is later than the median of the eleven before, and at most two hours ahead', async (t) => {
  const bytes = easyHeaders({ count: 11, timeOf: (at) => 1_000 + ((at * 7) % 11) });
  const add = (time: number, now?: number): HeaderFault | undefined => {
    const run = new HeaderRun({
      network: 'regtest',
      hash: hashAt(bytes, 10),
      bits: EASY_BITS,
      before: Array.from({ length: 11 }, (_, at): BlockHeader => headerAt(bytes, at)),
    });
    return run.add(
      headerAt(easyHeaders({ count: 1, after: headerAt(bytes, 10).hash, timeOf: () => time }), 0),
      now,
    );
  };
  t.equal(add(1_005), 'TIME_TOO_OLD', 'the median itself');
  t.equal(add(1_006), undefined);
  t.equal(add(20_000), undefined, 'no clock is known');
  t.equal(add(20_000, 20_000 - 7_200), undefined);
  t.equal(add(20_000, 20_000 - 7_201), 'TIME_TOO_NEW');
});

t.test('the bytes of a Buffer stay as they are', async (t) => {
  const bytes = Buffer.from(easyHeaders({ count: 3 }));
  const known = { height: -1, hash: '00'.repeat(32), bits: EASY_BITS };
  t.match(checkHeaders(bytes, known, 'regtest'), { tipHeight: 2 });
  t.same(bytes, Buffer.from(easyHeaders({ count: 3 })));
});

t.test('compact targets', async (t) => {
  // Bitcoin's first target, and the examples of its developer reference.
  t.equal(targetOf(0x1d00ffff), 0xffffn << 208n);
  t.equal(targetOf(0x05009234), 0x92340000n);
  t.equal(targetOf(0x02008000), 0x80n);
  for (const bits of [0, 0x01003456, 0x04923456, 0x21010000, 0xff7fffff]) t.equal(targetOf(bits), undefined);
  t.equal(bitsOf(0x80n), 0x02008000, 'a mantissa that would look negative');
  t.equal(bitsOf((1n << 224n) - 1n), 0x1d00ffff);
  t.equal(workOf(targetOf(0x1d00ffff)!), 0x100010001n);
  t.equal(workOf(targetOf(EASY_BITS)!), 2n);
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: (1n << 255n) - 1n }), (target) => {
      const kept = targetOf(bitsOf(target))!;
      return (kept <= target && target - kept < target >> 14n) || kept === target;
    }),
  );
});
