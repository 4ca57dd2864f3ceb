/** A transaction that the ledger knows and does not forward: it counts as refused after a while. */
import {
  createMetrics,
  LedgerUnavailableError,
  type Ledger,
  type LedgerStatus,
} from '@sentinel-node/platform';
import t, { type Test } from 'tap';
import { batchId, OWN_COLLECTIONS, type TransactionDocument } from '../src/collections.ts';
import { ANCHORING_LIMITS } from '../src/limits.ts';
import { markResume } from '../src/resume.ts';
import { judgeAnchoring } from '../src/standing/judge.ts';
import { bound } from './anchored.ts';
import { fileId, openWorld } from './support.ts';

const { transactions } = OWN_COLLECTIONS;
const ANSWERS = ANCHORING_LIMITS.setAsideAnswers;
t.setTimeout(300_000);

/** Opens a log with one anchor on the network, and a ledger that sets the next ones aside. */
async function opened(t: Test, aside: LedgerStatus) {
  const world = await openWorld();
  t.teardown(() => world.close());
  const dev = world.ledger;
  const says = {
    /** What is said of transactions that the ledger does not have, when asked and when sent. */
    status: undefined as LedgerStatus | undefined,
    submit: undefined as LedgerStatus | 'AWAY' | undefined,
    fee: 100,
  };
  const sent: string[] = [];
  const ledger: Ledger = {
    ...bound(dev),
    policy: () => Promise.resolve({ satoshis: says.fee, bytes: 1_000 }),
    status: async (txid) => (await dev.status(txid)) ?? (says.status && { txid, status: says.status }),
    submit: async (extendedTx) => {
      sent.push(extendedTx);
      const isKnown = (await world.transactions()).some(
        (one) => one.extendedTx === extendedTx && one.record.transaction?.status === 'SEEN_ON_NETWORK',
      );
      if (isKnown || says.submit === undefined) return dev.submit(extendedTx);
      if (says.submit === 'AWAY') throw new LedgerUnavailableError('by the test');
      return { txid: '', status: says.submit, detail: 'by the test' };
    },
  };
  const metrics = createMetrics('anchoring', { processMetrics: false });
  const { cutter, anchorer } = await world.anchoring({ ...world, ledger }, metrics);
  let file = 0;
  const cut = async () => {
    await world.deliver({ file: fileId(++file), from: 0, count: 1, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
    await cutter.step();
    await anchorer.step();
  };
  const polls = async (count: number) => {
    for (let poll = 0; poll < count; poll++) {
      world.clock.advance(61_000);
      await anchorer.step();
    }
  };
  const read = async (batch: number) =>
    (await world.store.get(transactions.name, batchId(batch))) as TransactionDocument;
  const gauge = async () => /anchoring_refused\{[^}]*\} (\d)/.exec(await metrics.text())?.[1];
  const told = async () => /reason="rejected"[^}]*\} (\d+)/.exec(await metrics.text())?.[1];
  await cut();
  Object.assign(says, { status: aside, submit: aside });
  await cut();
  return { world, says, sent, cut, polls, read, gauge, told };
}

for (const aside of ['SEEN_IN_ORPHAN_MEMPOOL', 'MINED_IN_STALE_BLOCK'] as const)
  t.test(`${aside}: sent again after its parent, then refused, and resumed`, async (t) => {
    const { world, says, sent, cut, polls, read, gauge, told } = await opened(t, aside);
    const first = await read(1);
    t.equal(first.record.transaction?.status, aside);
    sent.length = 0;
    await polls(1);
    t.same(sent, [(await read(0)).extendedTx, first.extendedTx], 'the parent first');
    await polls(ANSWERS - 3);
    t.equal(await gauge(), '0');
    t.equal(await markResume(world.store), undefined, 'it may be harmless yet');
    // A service that receives it anew each time, and one that does not take it now, do not begin the count again.
    says.submit = 'RECEIVED';
    await polls(1);
    t.same([await gauge(), await told()], ['1', '1']);
    says.submit = 'AWAY';
    await polls(3);
    t.same([await gauge(), await told()], ['1', '1'], 'it is told once');
    const refused = await read(1);
    t.equal(refused.record.transaction?.status, aside, 'the word of the ledger stays');
    t.equal(refused.setAside, ANSWERS);
    const waiting = { batch: 1, closedAt: 0 };
    const progress = { last: refused, waiting, unfunded: undefined, isContradicted: false };
    t.match(judgeAnchoring(progress, undefined, 0), { state: 'wrong', why: /refused/ });
    t.equal((await markResume(world.store))?.batch, 1);
    says.submit = 'RECEIVED';
    says.fee = 200;
    await polls(1);
    const anew = await read(1);
    t.not(anew.rawTx, first.rawTx, 'what is only received again is signed anew');
    t.equal(anew.inputs[0], first.inputs[0], 'over the same seal');
    t.equal(anew.setAside, undefined);
    t.equal(await gauge(), '0');
    Object.assign(says, { status: undefined, submit: undefined });
    await polls(1);
    await cut();
    t.equal((await read(2)).record.transaction?.status, 'SEEN_ON_NETWORK', 'the next follow');
  });

t.test('what was set aside for long and is on the network then goes on by itself', async (t) => {
  const { says, cut, polls, read, gauge } = await opened(t, 'SEEN_IN_ORPHAN_MEMPOOL');
  await polls(ANSWERS);
  t.equal(await gauge(), '1');
  says.submit = undefined;
  await polls(1);
  t.equal(await gauge(), '0');
  t.match(await read(1), { setAside: undefined, record: { transaction: { status: 'SEEN_ON_NETWORK' } } });
  await cut();
  t.equal((await read(2)).record.transaction?.status, 'SEEN_ON_NETWORK');
});
