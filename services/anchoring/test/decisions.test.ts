import t from 'tap';
import {
  CompactRange,
  decodeBatchHeader,
  fromHex,
  leafHash,
  toHex,
  type AnchorTransaction,
} from '@sentinel-node/contracts';
import { compileChecker, type LedgerAnswer, type LedgerStatus } from '@sentinel-node/platform';
import { buildCut, EMPTY_LOG } from '../src/domain/build-cut.ts';
import { MinimalChainRecordSchema } from '../src/domain/chain-entries.ts';
import { chosenBatches } from '../src/domain/chosen-batches.ts';
import { consistencyOf, type LogAfter } from '../src/domain/log-nodes.ts';
import { Pending } from '../src/domain/pending.ts';
import {
  isSpendable,
  isClosed,
  isRejected,
  observe,
  signed,
  SIGNED,
} from '../src/domain/transaction-state.ts';
import { fileId, linkHash, LOG_KEY } from './support.ts';

const entry = (number: number) => ({
  number,
  acceptedAt: 1_000 * number,
  linkHash: linkHash(fileId(1), number),
});
const due = (at: number) => at;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

t.test('entries that wait', async (t) => {
  t.test('nothing was read yet', async (t) => {
    const pending = new Pending(new Map([[3, 7]]));
    t.equal(pending.leafCount, 0);
    t.equal(pending.dueAt, undefined);
    t.equal(pending.nextOffset(3), 7);
    t.equal(pending.nextOffset(4), 0);
    t.equal(pending.lastNumber(fileId(1)), undefined);
    t.same(pending.collected().ranges, [], 'partitions without records are left out');
  });

  t.test('records are covered by partition, rising, from the last cut on', async (t) => {
    const pending = new Pending(new Map([[3, 7], [12, 1]])); // prettier-ignore
    pending.add({ partition: 12, offset: 1 }, fileId(1), [entry(4), entry(5)], due);
    pending.add({ partition: 2, offset: 0 }, fileId(2), [entry(0)], due);
    pending.add({ partition: 12, offset: 2 }, fileId(1), [entry(6)], due);
    t.equal(pending.nextOffset(12), 3);
    t.equal(pending.lastNumber(fileId(1)), 6);
    t.equal(pending.lastNumber(fileId(2)), 0);
    t.equal(pending.leafCount, 4);
    const { ranges, next, runs, linkHashes, leafCount } = pending.collected();
    t.same(ranges, [
      { partition: 2, from: 0, to: 1 },
      { partition: 12, from: 1, to: 3 },
    ]);
    t.same([...next], [[3, 7], [12, 3], [2, 1]]); // prettier-ignore
    t.same([...runs], [
      [fileId(1), { from: 4, offsets: [0, 32, 96] }],
      [fileId(2), { from: 0, offsets: [64] }],
    ]); // prettier-ignore
    const came = [4, 5, 0, 6].map((number) => entry(number).linkHash);
    t.equal(toHex(linkHashes.subarray(0, 32 * leafCount)), came.join(''));
    t.equal(leafCount, 4);
  });

  t.test('link hashes are copied, as bytes or hex, however many they are', async (t) => {
    const pending = new Pending(new Map());
    const bytes = new Uint8Array(32);
    const count = 3_000;
    const hex: string[] = [];
    for (let number = 0; number < count; number++) {
      bytes.fill(number).set([number >> 8], 1);
      hex.push(toHex(bytes));
      const linkHash = number % 2 === 0 ? bytes : toHex(bytes);
      pending.add({ partition: 0, offset: number }, fileId(1), [{ number, acceptedAt: 1, linkHash }], due);
    }
    const { runs, linkHashes } = pending.collected();
    const { offsets } = runs.get(fileId(1))!;
    t.same(
      offsets.map((at) => toHex(linkHashes.subarray(at, at + 32))),
      hex,
    );
    const short = [{ number: count, acceptedAt: 1, linkHash: 'ab' }];
    t.throws(() => pending.add({ partition: 0, offset: count }, fileId(1), short, due), RangeError);
  });

  t.test('a record without new entries, or without a subject, is covered and adds no leaf', async (t) => {
    const pending = new Pending(new Map());
    pending.add({ partition: 0, offset: 4 }, fileId(1), [], due);
    pending.add({ partition: 1, offset: 0 }, null, [entry(1)], due);
    t.equal(pending.leafCount, 0);
    t.equal(pending.dueAt, undefined);
    t.equal(pending.nextOffset(0), 5);
    t.equal(pending.nextOffset(1), 1);
    t.equal(pending.collected().runs.size, 0);
  });
});

t.test('a batch is closed now, or when the one before was if that is later', async (t) => {
  const pending = new Pending(new Map());
  pending.add({ partition: 0, offset: 0 }, fileId(1), [entry(0)], due);
  const close = async (now: number, closedAt: number) => {
    const log = { ...EMPTY_LOG, closedAt };
    const built = await buildCut(LOG_KEY.logId, log, pending.collected(), now, () => Promise.resolve());
    return [built.cut.closedAt, built.log.closedAt, decodeBatchHeader(fromHex(built.cut.header))?.closedAt];
  };
  t.same(await close(9, 5), [9, 9, 9]);
  t.same(await close(5, 9), [9, 9, 9]);
});

t.test('a subtree at the end of a log is read from its last peak', async (t) => {
  const log = new CompactRange();
  const after = range(0, 8).map((n): LogAfter => {
    const header = new Uint8Array(182).fill(n);
    log.append(leafHash(header));
    return { header, peaks: log.peaks };
  });
  const reads = async (from: number, to: number) => {
    const sizes: number[] = [];
    await consistencyOf(from, to, (size) => {
      sizes.push(size);
      return Promise.resolve(after[size - 1]!);
    });
    return sizes;
  };
  t.same(await reads(4, 6), [6]);
  t.same(await reads(4, 8), [8, 7], 'a right child is made of the peaks before its last leaf');
});

t.test('batches that a start compares', async (t) => {
  /** Returns 6 bytes that are the fraction `share` of 1. */
  const bytes = (share: number) => {
    const value = new Uint8Array(6);
    for (let rest = share, n = 0; n < 6; n += 1) {
      value[n] = Math.floor(rest * 256);
      rest = rest * 256 - value[n]!;
    }
    return value;
  };
  const never = () => {
    throw new Error('all are compared: no chance is asked');
  };
  t.same(chosenBatches(0, never), [0]);
  t.same(chosenBatches(99, never), range(0, 100));
  t.same(chosenBatches(100, never), range(0, 101));
  t.same(chosenBatches(199, never), range(0, 200));

  t.same(
    chosenBatches(2, never, [1, 4]),
    [0, 1, 2, 4],
    'those that contradicted, each once, also beyond the end',
  );
  t.same(chosenBatches(-1, never, [4]), [4]);
  t.same(chosenBatches(-1, never), []);

  const asked: number[] = [];
  const rising = () => {
    asked.push(asked.length);
    return bytes((asked.length - 1) / 128);
  };
  const chosen = chosenBatches(1_123, rising);
  t.same(chosen.slice(101), range(1_024, 1_124), 'the newest hundred');
  t.same(chosen.slice(0, 101), range(0, 101).map((n) => n * 8), 'the first, and a hundred of the others by chance'); // prettier-ignore
  t.equal(asked.length, 101, 'the first was drawn too');

  let calls = 0;
  const falling = chosenBatches(1_123, () => bytes(1 - (1 + Math.floor(calls++ / 2)) / 128));
  t.same(falling, [0, ...range(28, 128).map((n) => n * 8), ...range(1_024, 1_124)], 'rising, each once');

  const ends = chosenBatches(65_635, () => {
    calls += 1;
    return Uint8Array.of(255, 255 - (calls % 100), 255, 255, 255, 255);
  });
  t.same(ends.slice(1, 101), range(65_436, 65_536), 'the second byte counts, and the end is not reached');
});

t.test('a transaction', async (t) => {
  const SENT: AnchorTransaction = {
    txid: 'ab',
    status: 'SIGNED',
    blockHash: null,
    blockHeight: null,
    merklePath: null,
    confirmations: 0,
  };
  const MINED: AnchorTransaction = {
    txid: 'ab',
    status: 'MINED',
    blockHash: 'b1',
    blockHeight: 10,
    merklePath: 'path',
    confirmations: 3,
  };
  const answer = (changes: Partial<LedgerAnswer>) => ({ txid: 'ab', ...changes }) as LedgerAnswer;
  const mined = answer({ status: 'MINED', blockHash: 'b1', blockHeight: 10, merklePath: 'path' });
  const ON_THE_WAY: LedgerStatus[] = [
    'QUEUED',
    'RECEIVED',
    'STORED',
    'ANNOUNCED_TO_NETWORK',
    'REQUESTED_BY_NETWORK',
    'SENT_TO_NETWORK',
    'ACCEPTED_BY_NETWORK',
    'SEEN_ON_NETWORK',
  ];

  t.test('is signed first', async (t) => {
    t.equal(SIGNED, 'SIGNED', 'it stands in stored records');
    t.strictSame(signed('ab'), SENT);
  });

  t.test('goes forward on its way, never back', async (t) => {
    for (const [n, status] of ON_THE_WAY.entries()) {
      const reached = observe(signed('ab'), answer({ status }), 0);
      t.strictSame(reached, { ...SENT, status });
      for (const earlier of ON_THE_WAY.slice(0, n + 1))
        t.equal(observe(reached, answer({ status: earlier }), 0), reached);
      for (const later of ON_THE_WAY.slice(n + 1))
        t.equal(observe(reached, answer({ status: later }), 0).status, later);
    }
  });

  t.test('is mined or rejected from wherever it is', async (t) => {
    for (const status of ON_THE_WAY) {
      t.strictSame(observe({ ...SENT, status }, mined, 12), MINED, status);
      t.equal(observe({ ...SENT, status }, answer({ status: 'REJECTED' }), 12).status, 'REJECTED', status);
    }
  });

  t.test('a block that was taken back takes its members with it', async (t) => {
    t.strictSame(observe(MINED, answer({ status: 'SEEN_ON_NETWORK' }), 12), {
      ...SENT,
      status: 'SEEN_ON_NETWORK',
    });
    t.strictSame(observe(MINED, answer({ status: 'REJECTED' }), 12), { ...SENT, status: 'REJECTED' });
  });

  t.test('is mined with what the ledger tells', async (t) => {
    t.strictSame(observe(SENT, mined, 12), MINED);
    t.strictSame(observe(SENT, answer({ status: 'MINED' }), 12), {
      ...SENT,
      status: 'MINED',
      confirmations: 1,
    });
  });

  t.test('confirmations count the block itself, and are never fewer than one', async (t) => {
    const confirmations = (tip: number) => observe(SENT, mined, tip).confirmations;
    t.equal(confirmations(10), 1);
    t.equal(confirmations(11), 2);
    t.equal(confirmations(4), 1, 'the tip was read before the block came');
  });

  t.test('is the same object when nothing is new', async (t) => {
    t.equal(observe(MINED, mined, 12), MINED);
    t.not(observe(MINED, mined, 13), MINED);
  });

  t.test('carries the next once the network has it', async (t) => {
    for (const status of [SIGNED, ...ON_THE_WAY, 'MINED', 'REJECTED'] as const)
      t.equal(isSpendable({ ...SENT, status }), status === 'SEEN_ON_NETWORK' || status === 'MINED', status);
  });

  t.test('is closed when rejected or deep enough', async (t) => {
    for (const isFollowed of [true, false]) {
      t.notOk(isClosed(SENT, { depth: 0, isFollowed }));
      const seen = { ...SENT, status: 'SEEN_ON_NETWORK', confirmations: 9 };
      t.notOk(isClosed(seen, { depth: 3, isFollowed }));
      t.notOk(isClosed(MINED, { depth: 4, isFollowed }));
      t.ok(isClosed(MINED, { depth: 3, isFollowed }));
      const rejected = { ...SENT, status: 'REJECTED' };
      t.equal(isClosed(rejected, { depth: 3, isFollowed }), !isFollowed, 'the newest only');
    }
    t.ok(isRejected({ ...SENT, status: 'REJECTED' }));
    t.notOk(isRejected(MINED));
  });
});

t.test('a chain record has what a cut needs', async (t) => {
  const { check } = compileChecker(MinimalChainRecordSchema);
  const record = { fileId: fileId(1), category: 'STANDARD', entries: [entry(1)] };
  const without = (value: object, member: string) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => name !== member));
  t.ok(check(record));
  t.ok(check({ ...record, fileId: null, more: 1 }), 'and may have more');
  for (const member of Object.keys(record)) t.notOk(check(without(record, member)), member);
  for (const member of Object.keys(entry(1)))
    t.notOk(check({ ...record, entries: [without(entry(1), member)] }), member);
});
