import { setImmediate } from 'node:timers/promises';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import {
  inclusionPath,
  leafData,
  leafHash,
  mapKey,
  merkleRoot,
  sortLeaves,
  type Cut,
} from '@sentinel-node/contracts';
import { BatchTrees } from '../src/proofs/batch-trees.ts';
import { LeafCollector } from '../src/proofs/leaf-collector.ts';
import { LeafTree } from '../src/proofs/leaf-tree.ts';
import { hash, uuid } from './chain-records.ts';

const logId = new Uint8Array(32).fill(7);
const yieldTurn = () => setImmediate();

t.test('the tree of a batch is that of RFC 6962 over the sorted leaves', async (t) => {
  // Runs of subjects: the number of entries, and the number of the first.
  const runs = fc.array(fc.record({ first: fc.nat(5), count: fc.integer({ min: 1, max: 9 }) }), {
    minLength: 1,
    maxLength: 9,
  });
  const property = fc.asyncProperty(runs, fc.infiniteStream(fc.nat()), async (given, chance) => {
    const subjects = given.map((run, n) => ({ ...run, id: uuid(n), key: mapKey(logId, 'FILE', uuid(n)) }));
    const leaves = subjects.flatMap(({ key, first, count }) =>
      Array.from({ length: count }, (_, i) => ({
        mapKey: key,
        number: first + i,
        linkHash: hash(first + i),
      })),
    );
    const hashes = sortLeaves(
      leaves.map((leaf) => ({ ...leaf, linkHash: Buffer.from(leaf.linkHash, 'hex') })),
    ).map((leaf) => leafHash(leafData(leaf.mapKey, leaf.number, leaf.linkHash)));
    const collector = new LeafCollector(logId, leaves.length);
    // Subjects take turns at random; the entries of each come in order, sometimes twice.
    const waiting = subjects.map((subject) => ({ ...subject, next: 0 }));
    for (let left = waiting; left.length > 0; left = left.filter(({ next, count }) => next < count)) {
      const n = chance.next().value as number;
      const one = left[n % left.length]!;
      const number = one.first + one.next++;
      for (let times = 0; times <= n % 2; times++) collector.take(one.id, { number, linkHash: hash(number) });
    }
    if (!collector.isWhole) throw new Error('not whole');
    const tree = await LeafTree.of(await collector.sort(yieldTurn), yieldTurn);
    for (const { key, first, count } of subjects) {
      if (tree.indexOf(key, first - 1) !== undefined || tree.indexOf(key, first + count) !== undefined)
        throw new Error('an entry too many');
      for (let number = first; number < first + count; number++) {
        const index = tree.indexOf(key, number)!;
        const expected = [merkleRoot(hashes), hashes[index], ...inclusionPath(hashes, index)].map(hexOf);
        const found = [tree.root()!, tree.leafHash(index), ...tree.path(index)].map(hexOf);
        if (expected.join() !== found.join()) throw new Error(`leaf ${index}`);
      }
    }
    return tree.indexOf(new Uint8Array(32).fill(255), 0) === undefined;
  });
  const found = await fc.check(property, { numRuns: 200 });
  t.notOk(found.failed, fc.defaultReportMessage(found) ?? 'all are');
});

const hexOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');

t.test('a collector says when leaves are missing or too many', async (t) => {
  const collector = new LeafCollector(logId, 1);
  t.notOk(collector.isWhole);
  collector.take(uuid(1), { number: 0, linkHash: hash(1) });
  t.ok(collector.isWhole);
  collector.take(uuid(1), { number: 0, linkHash: hash(1) });
  t.ok(collector.isWhole, 'the same again');
  collector.take(uuid(2), { number: 0, linkHash: hash(1) });
  t.notOk(collector.isWhole);
});

const cut = (batch: number) => ({ batch }) as Cut;
const LIMITS = {
  treeCacheBytes: 10_000,
  waitingRequests: 8,
  waitingPerMember: 3,
  waitMs: 60_000,
  retryAfterSeconds: 5,
};
const CALLER = { orgId: 'an organisation', member: 'a person' };

async function treeOf(leaves: number): Promise<LeafTree> {
  const collector = new LeafCollector(logId, leaves);
  for (let n = 0; n < leaves; n++) collector.take(uuid(1), { number: n, linkHash: hash(n) });
  return LeafTree.of(await collector.sort(yieldTurn), yieldTurn);
}

t.test('a tree is made once, one at a time, and kept while there is room', async (t) => {
  const tree = await treeOf(60);
  const asked: number[] = [];
  let running = 0;
  const trees = new BatchTrees(async ({ batch }) => {
    asked.push(batch);
    t.equal((running += 1), 1, 'one at a time');
    await yieldTurn();
    running -= 1;
    return tree;
  }, LIMITS);
  const [a, b] = await Promise.all([
    trees.get(cut(1), CALLER),
    trees.get(cut(1), CALLER),
    trees.get(cut(2), CALLER),
  ]);
  t.equal(a, b);
  t.same(asked, [1, 2], 'asked for twice, made once');
  t.ok(2 * tree.bytes < LIMITS.treeCacheBytes && 3 * tree.bytes > LIMITS.treeCacheBytes);
  await trees.get(cut(1), CALLER);
  await trees.get(cut(3), CALLER);
  t.same(asked, [1, 2, 3]);
  await trees.get(cut(1), CALLER);
  t.same(asked, [1, 2, 3], 'asked for last: kept');
  await trees.get(cut(2), CALLER);
  t.same(asked, [1, 2, 3, 2], 'asked for longest ago: given up');
});

t.test('whoever comes when too many wait, or waits too long, is told to come again', async (t) => {
  let finish: (tree: LeafTree) => void = () => undefined;
  const slow = () => new Promise<LeafTree>((resolve) => (finish = resolve));
  const full = new BatchTrees(slow, LIMITS);
  const by = (orgId: string, member = 'one') => full.get(cut(1), { orgId, member });
  const busy = { code: 'OVERLOADED', status: 503, retryAfterSeconds: 5 };
  const waiting = [by('a'), by('a'), by('a')];
  await t.rejects(by('a'), busy, 'a person has as many as one may have');
  waiting.push(by('a', 'two'));
  await t.rejects(by('a', 'three'), busy, 'the organisation has as many as are free');
  waiting.push(by('b'));
  await t.rejects(by('a', 'two'), busy);
  await yieldTurn();
  const tree = await treeOf(2);
  finish(tree);
  t.same(await Promise.all(waiting), Array(5).fill(tree));

  // Keeps the process alive as a listening server would; a waiting request alone does not.
  const listening = setInterval(() => undefined, 60_000);
  t.teardown(() => clearInterval(listening));
  const late = new BatchTrees(slow, { ...LIMITS, waitMs: 1 });
  await t.rejects(late.get(cut(1), CALLER), { code: 'OVERLOADED', retryAfterSeconds: 5 });
  finish(tree);
  await yieldTurn();
  t.equal(await late.get(cut(1), CALLER), tree, 'it was made all the same');
});

t.test('a tree that nobody waits for any more is not made', async (t) => {
  const tree = await treeOf(2);
  const asked: number[] = [];
  const finish: ((made: LeafTree) => void)[] = [];
  const slow = ({ batch }: Cut) => {
    asked.push(batch);
    return new Promise<LeafTree>((resolve) => finish.push(resolve));
  };
  const listening = setInterval(() => undefined, 60_000);
  t.teardown(() => clearInterval(listening));
  const trees = new BatchTrees(slow, { ...LIMITS, waitMs: 1 });
  const late = { code: 'OVERLOADED' };
  await Promise.all([1, 2, 3].map((batch) => t.rejects(trees.get(cut(batch), CALLER), late)));
  const again = t.rejects(trees.get(cut(3), CALLER), late);
  finish[0]!(tree);
  await again;
  t.same(asked, [1, 3], 'the second was given up, the third asked for again');
  finish[1]!(tree);
  await yieldTurn();
  t.equal(await trees.get(cut(3), CALLER), tree);
  const second = t.rejects(trees.get(cut(2), CALLER), late);
  await yieldTurn();
  t.same(asked, [1, 3, 2], 'and what was given up is made when it is asked for');
  await second;
  finish[2]!(tree);
});

t.test('a tree that cannot be made fails for those who wait, and is tried again', async (t) => {
  let calls = 0;
  const trees = new BatchTrees(async () => {
    if ((calls += 1) === 1) throw new Error('gone');
    return treeOf(1);
  }, LIMITS);
  await Promise.all([1, 2].map(() => t.rejects(trees.get(cut(1), CALLER), { message: 'gone' })));
  t.ok(await trees.get(cut(1), CALLER));
  t.equal(calls, 2);
});
