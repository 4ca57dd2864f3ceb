/** Tests consolidations of small outputs of the anchoring key, on a ledger behind ARC. */
import {
  createMetrics,
  LedgerUnavailableError,
  type FeePolicy,
  type Ledger,
  type LedgerAnswer,
} from '@sentinel-node/platform';
import { dropBlocks } from '@sentinel-node/test-kit/fakes';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { OWN_COLLECTIONS, type TransactionDocument } from '../src/collections.ts';
import { confirmedFunding } from '../src/funds/imported-outputs.ts';
import { fundsState, importPayment } from '../src/index.ts';
import { ANCHORING_LIMITS } from '../src/limits.ts';
import { arcLedgerOf } from './crash-ledgers.ts';
import { CrashPoint } from './crash-point.ts';
import { KEY_HASH } from './crash-suite.ts';
import { accountsOf } from './ledger-accounts.ts';
import { payIn } from './payments.ts';
import { fileId, openWorld } from './support.ts';

t.setTimeout(300_000);
const DAY_MS = 86_400_000;
const many = (count: number, satoshis: number): number[] => Array.from({ length: count }, () => satoshis);

async function opened(t: Test) {
  const world = await openWorld();
  const arc = await arcLedgerOf(world);
  t.teardown(async () => {
    await arc.stop();
    await world.close();
  });
  /** Replaces the ledger's answers about transactions that are no anchors, and its fees. */
  const lies: { answer?: () => Promise<LedgerAnswer>; policy?: FeePolicy } = {};
  const { ledger: real } = arc.open(new CrashPoint(Infinity));
  const anchors = async () =>
    new Set((await world.transactions()).map(({ record }) => record.transaction?.txid));
  const ledger = new Proxy<Ledger>(real, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: unknown[]) => unknown;
      if (name === 'submit')
        return async (tx: string) => {
          const isAnchor = (await world.transactions()).some(({ extendedTx }) => extendedTx === tx);
          return isAnchor || lies.answer === undefined ? call(tx) : lies.answer();
        };
      if (name === 'status')
        return async (txid: string) =>
          (await anchors()).has(txid) || lies.answer === undefined ? call(txid) : lies.answer();
      if (name === 'policy') return async () => lies.policy ?? call();
      return call;
    },
  });
  const metrics = createMetrics('anchoring', { processMetrics: false });
  const { cutter, anchorer } = await world.anchoring({ ...world, ledger }, metrics);
  let file = 0;
  const turn = async (ms = 61_000) => {
    world.clock.advance(ms);
    await cutter.step();
    await anchorer.step();
  };
  const anchor = async () => {
    await world.deliver({ file: fileId(++file), from: 0, count: 1, acceptedAt: world.clock.now() });
    await turn();
    return (await world.transactions()).at(-1)!;
  };
  const deep = async () => {
    for (let block = 0; block < 14; block++) {
      if (!(await world.ledger.mine())) await anchor();
      await turn();
    }
  };
  const state = () =>
    fundsState(world.store, { network: 'test', publicKeyHash: KEY_HASH }, world.clock.now());
  return { world, ledger, lies, turn, anchor, deep, state, metrics };
}

const joinedOf = (sent: readonly TransactionDocument[]) =>
  sent.flatMap(({ consolidation }) => (consolidation === undefined ? [] : [consolidation]));

t.test('ten small outputs become one, which pays anchors; nothing is lost but the fee', async (t) => {
  const { world, anchor, turn, deep, state, metrics } = await opened(t);
  await payIn(world, [20_000, ...many(9, 100)]);
  t.equal((await anchor()).consolidation, undefined, 'nine are left as they are');
  await payIn(world, many(3, 100));
  const consolidation = (await anchor()).consolidation!;
  t.equal(consolidation.inputs.length, 12);
  t.equal(consolidation.funds + consolidation.fee, 1_200);
  t.ok(
    consolidation.fee >= consolidation.rawTx.length / 2 / 10 && consolidation.fee < 200,
    'the fee of its size',
  );
  const all = async () =>
    [...(await accountsOf(world.store, KEY_HASH)).unspent.values()].reduce((a, b) => a + b, 0);
  t.equal((await state()).satoshis, await all(), 'counted on its way');
  await payIn(world, many(12, 100));
  t.equal((await anchor()).consolidation, undefined, 'one at a time');
  await world.ledger.mine();
  await turn();
  t.equal((await state()).satoshis, await all(), 'counted in a block');
  await deep();
  t.equal(joinedOf(await world.transactions())[0]?.state, 'confirmed');
  t.match(await metrics.text(), /anchoring_joined_outputs_total\{[^}]*\} 12/);
  t.match(
    (await state()).imported.find(({ id }) => id === consolidation.inputs[0]),
    {
      spentBy: null,
      consolidation: { txid: consolidation.txid, state: 'confirmed' },
    },
  );
  t.equal((await state()).satoshis, await all());
  t.same((await accountsOf(world.store, KEY_HASH)).doubleSpent, []);
});

t.test('what is not well paid by itself leaves small outputs to the next anchors', async (t) => {
  const { world, anchor } = await opened(t);
  await payIn(world, many(40, 200));
  const first = await anchor();
  matchList(t, [first.inputs.length, first.consolidation], [1, undefined]);
  const second = await anchor();
  matchList(t, [second.inputs.length, second.consolidation], [11, undefined]);
});

t.test('an anchor is no payment: its seal is neither brought nor joined', async (t) => {
  const { world, anchor, state } = await opened(t);
  await payIn(world, [20_000, ...many(12, 60)]);
  const { rawTx, record } = await anchor();
  await world.ledger.mine();
  const ledger = {
    network: 'test',
    header: world.ledger.header.bind(world.ledger),
    status: world.ledger.status.bind(world.ledger),
  };
  const { store, clock } = world;
  const deps = { store, clock, ledger, publicKeyHash: KEY_HASH };
  t.match(await importPayment(deps, Buffer.from(rawTx, 'hex')), /seal of an anchor is none/);
  const seal = `${record.transaction!.txid}:1`;
  t.notOk((await state()).imported.some(({ id }) => id === seal));
  for (let n = 0; n < 3; n++) await anchor();
  t.notOk(joinedOf(await world.transactions()).some(({ inputs }) => inputs.includes(seal)));
});

t.test('a ledger that does not answer about it delays no anchor', async (t) => {
  const { world, lies, anchor, turn, metrics } = await opened(t);
  lies.answer = () => Promise.reject(new LedgerUnavailableError('by the test'));
  await payIn(world, [20_000, ...many(12, 60)]);
  for (let n = 0; n < 4; n++) await anchor();
  const sent = await world.transactions();
  t.equal(sent.length, 4);
  t.ok(sent.every(({ record }) => record.transaction?.status === 'SEEN_ON_NETWORK'));
  t.match(await metrics.text(), /anchoring_alarms_total\{[^}]*reason="unavailable"[^}]*\} [1-9]/);
  delete lies.answer;
  await turn();
  t.equal((await world.ledger.status(sent[0]!.consolidation!.txid))?.status, 'SEEN_ON_NETWORK');
});

for (const status of ['REJECTED', 'DOUBLE_SPEND_ATTEMPTED'] as const)
  t.test(`${status}: told once, joined no more, counted no more, and taken in last`, async (t) => {
    const { world, ledger, lies, anchor, state, metrics } = await opened(t);
    lies.answer = () => Promise.resolve({ txid: '', status, detail: 'by the test' });
    await payIn(world, [4_000, ...many(12, 60)]);
    const { consolidation, funds } = await anchor();
    t.equal(joinedOf(await world.transactions())[0]?.state, 'refused');
    t.match(await metrics.text(), /anchoring_alarms_total\{[^}]*reason="consolidation"[^}]*\} 1/);
    t.equal((await state()).satoshis, funds);
    delete lies.answer;
    await payIn(world, many(2, 70));
    const isOfConsolidation = (id: string) => consolidation!.inputs.includes(id);
    // Outputs are joined while what is there pays a hundred fees: a few high ones use that up.
    const policy = await ledger.policy();
    lies.policy = { ...policy, satoshis: 20 * policy.satoshis };
    let newest = await anchor();
    for (let n = 0; newest.funds > newest.fee && n < 10; n++) newest = await anchor();
    delete lies.policy;
    for (let n = 0; !newest.inputs.some(isOfConsolidation) && n < 40; n++) newest = await anchor();
    const sent = await world.transactions();
    t.equal(joinedOf(sent).length, 1);
    const others = sent.slice(1, -1).flatMap(({ inputs }) => inputs.slice(1));
    t.equal(others.length, 2, 'others first');
    t.equal(newest.inputs.filter(isOfConsolidation).length, 1, 'no more than are needed');
    t.ok(sent.at(-2)!.funds < newest.fee, 'when nothing else pays');
    t.equal(newest.record.transaction?.status, 'SEEN_ON_NETWORK');
  });

t.test('what a refused consolidation spends delays no alarm of funds', async (t) => {
  const { world, lies, anchor, state, metrics } = await opened(t);
  lies.answer = () => Promise.resolve({ txid: '', status: 'REJECTED', detail: 'by the test' });
  await payIn(world, [10_000, ...many(60, 1_000)]);
  for (let n = 0; n < 3; n++) await anchor();
  t.equal(joinedOf(await world.transactions())[0]?.state, 'refused');
  const told = /anchoring_funds_days\{[^}]*\} (\S+)/.exec(await metrics.text())?.[1];
  t.equal(Number(told), (await state()).days, 'the alarm counts what sentinel funds counts');
});

t.test('a consolidation that is set aside for long counts as refused', async (t) => {
  const { world, lies, anchor, turn, state, metrics } = await opened(t);
  lies.answer = () => Promise.resolve({ txid: '', status: 'SEEN_IN_ORPHAN_MEMPOOL' });
  await payIn(world, [20_000, ...many(12, 60)]);
  const { funds } = await anchor();
  for (let poll = 2; poll < ANCHORING_LIMITS.setAsideAnswers; poll++) await turn();
  t.equal(joinedOf(await world.transactions())[0]?.state, 'open');
  await turn();
  t.equal(joinedOf(await world.transactions())[0]?.state, 'refused');
  t.match(await metrics.text(), /anchoring_alarms_total\{[^}]*reason="consolidation"[^}]*\} 1/);
  t.equal((await state()).satoshis, funds, 'counted no more');
});

t.test('a reorganisation moves what was joined to its new block', async (t) => {
  const { world, anchor, turn, ledger } = await opened(t);
  await payIn(world, [20_000, ...many(12, 60)]);
  const { consolidation } = await anchor();
  await world.ledger.mine();
  await turn();
  const id = `${consolidation!.txid}:0`;
  const kept = async () => (await world.store.get(OWN_COLLECTIONS.funds.name, id))?.['merklePath'];
  const isFunding = async () =>
    (await confirmedFunding(world.store, { network: 'test', headers: ledger }, KEY_HASH)).some(
      ({ satoshis }) => satoshis === consolidation!.funds,
    );
  const before = await kept();
  t.ok(await isFunding());
  await dropBlocks(world.store, 1);
  t.notOk(await isFunding(), 'it is no funding without its block');
  await anchor();
  await world.ledger.mine();
  await turn();
  t.not(await kept(), before);
  t.ok(await isFunding());
});

t.test('funds of many small outputs are no reason for an alarm', async (t) => {
  const { world, anchor, state, metrics } = await opened(t);
  await payIn(world, [1_000, ...many(200, 2_000)]);
  await anchor();
  world.clock.advance(DAY_MS);
  await anchor();
  const { days } = await state();
  t.ok(days! > 14);
  const told = /anchoring_funds_days\{[^}]*\} (\S+)/.exec(await metrics.text())?.[1];
  t.ok(Number(told) > 14, `${told} days`);
  t.notMatch(await metrics.text(), /reason="low_funds"[^}]*\} [1-9]/);
});
