/** After an anchor that the ledger refused: it goes on over the same seal when a person says so. */
import { Transaction } from '@bsv/sdk';
import { TOPICS, type AnchorRecord } from '@sentinel-node/contracts';
import {
  createMetrics,
  silentLog,
  type Funding,
  type Ledger,
  type LedgerStatus,
} from '@sentinel-node/platform';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { createAlarms } from '../src/alarms.ts';
import {
  batchId,
  OWN_COLLECTIONS,
  type FundsDocument,
  type TransactionDocument,
} from '../src/collections.ts';
import { loggedDifference } from '../src/comparison/compare-told.ts';
import { markResume } from '../src/resume.ts';
import { fundsState } from '../src/index.ts';
import { outpointOf, publicKeyHashOf } from '../src/transaction/sign-anchor.ts';
import { payment } from './payments.ts';
import { ANCHORING_KEY, fileId, LOG_KEY, openWorld, type World } from './support.ts';

const { transactions } = OWN_COLLECTIONS;

const HASH = publicKeyHashOf(ANCHORING_KEY);

const spends = (extendedTx: string, outpoint: string | undefined): boolean =>
  Transaction.fromHex(Transaction.fromHexEF(extendedTx).toHex()).inputs.some(
    ({ sourceTXID, sourceOutputIndex }) => `${sourceTXID}:${sourceOutputIndex}` === outpoint,
  );

/** Returns an imported output. */
function kept({ rawTx, outputIndex, satoshis }: Funding): FundsDocument {
  const txid = Transaction.fromHex(rawTx).id('hex');
  const own = { id: `${txid}:${outputIndex}`, network: 'dev', publicKeyHash: HASH, merklePath: '' };
  return { ...own, txid, rawTx, outputIndex, satoshis, importedAt: 0 };
}

/** Opens a world whose ledger answers new transactions with the status in `refusal`, if set. */
async function opened(t: Test) {
  const world = await openWorld();
  t.teardown(() => world.close());
  const refusal: {
    status: LedgerStatus | undefined;
    fee: number;
    funding?: readonly Funding[];
    /** An output that somebody else spent. */
    isSpent?: string;
  } = { status: undefined, fee: 100 };
  const { ledger: dev } = world;
  const ledger = new Proxy<Ledger>(dev, {
    get: (target, name) => {
      if (name === 'submit')
        return (tx: string) => {
          const status = spends(tx, refusal.isSpent) ? 'REJECTED' : refusal.status;
          return status === undefined
            ? dev.submit(tx)
            : Promise.resolve({ txid: '', status, detail: 'by the test' });
        };
      if (name === 'status')
        return async (txid: string) =>
          (await dev.status(txid)) ?? (refusal.status && { txid, status: refusal.status });
      if (name === 'funding' && refusal.funding !== undefined) return () => Promise.resolve(refusal.funding);
      if (name === 'policy') return () => Promise.resolve({ satoshis: refusal.fee, bytes: 1_000 });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
  const metrics = createMetrics('anchoring', { processMetrics: false });
  const start = () => world.anchoring({ ...world, ledger }, metrics);
  const { cutter, anchorer } = await start();
  let file = 0;
  const anchor = async () => {
    await world.deliver({ file: fileId(++file), from: 0, count: 1, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
    await cutter.step();
    await anchorer.step();
  };
  const read = async (batch: number) =>
    (await world.store.get(transactions.name, batchId(batch))) as TransactionDocument;
  const gauge = async () => /anchoring_refused\{[^}]*\} (\d)/.exec(await metrics.text())?.[1];
  /** Returns the gauge of another process that starts. */
  const restarted = async () => {
    const other = createMetrics('anchoring', { processMetrics: false });
    await world.anchoring({ ...world, ledger }, other);
    return /anchoring_refused\{[^}]*\} (\d)/.exec(await other.text())?.[1];
  };
  return { world, refusal, anchor, anchorer, read, gauge, metrics, restarted };
}

/** What the audit asks of the transactions that the log names. */
async function everyToldWasSigned(t: Test, world: World): Promise<void> {
  const deps = { store: world.store, logId: LOG_KEY.logId };
  const told = new Set<string>();
  for await (const { records } of world.eventLog.read(TOPICS.anchors, 0, 0))
    for (const { body } of records) {
      const { batch, transaction } = JSON.parse(Buffer.from(body).toString()) as AnchorRecord;
      if (batch === 1 && transaction !== null) told.add(transaction.txid);
    }
  t.equal(told.size, 2, 'the log has two transactions of the batch');
  for (const txid of told) t.equal(await loggedDifference(deps, 1, txid), undefined);
  t.match(await loggedDifference(deps, 1, '00'.repeat(32)), /^the store has another transaction/);
  t.match(await loggedDifference(deps, 9, '00'.repeat(32)), /that the store has not$/);
  const one = (await world.store.get(transactions.name, batchId(1))) as TransactionDocument;
  const [first, ...others] = one.replaced!;
  const changed = (of: string) => {
    const foreign = { ...first!, rawTx: of, extendedTx: one.extendedTx };
    const get = (async (name: string, id: string) =>
      name === transactions.name && id === batchId(1)
        ? { ...one, replaced: [foreign, ...others] }
        : world.store.get(name, id)) as typeof world.store.get;
    return loggedDifference({ ...deps, store: { get } }, 1, first!.txid);
  };
  t.match(await changed(one.rawTx), /^an earlier transaction of it: .* another id than recorded/);
  t.match(
    await changed(first!.rawTx),
    /^an earlier transaction of it: its signed transaction cannot be read/,
  );
}

for (const status of ['REJECTED', 'DOUBLE_SPEND_ATTEMPTED'] as const)
  t.test(`${status}: signed anew over the same seal, and the next follow`, async (t) => {
    const { world, refusal, anchor, anchorer, read, gauge } = await opened(t);
    await anchor();
    refusal.status = status;
    await anchor();
    await anchor();
    t.equal((await world.transactions()).length, 2, 'nothing is sent on top');
    t.equal(await gauge(), '1');
    const before = await read(1);
    t.equal(before.record.transaction?.status, status);
    t.equal(before.words, 'by the test', 'what the ledger says stays for the operator');
    await anchorer.step();
    t.equal((await read(1)).rawTx, before.rawTx, 'without a word nothing is signed anew');
    t.equal((await markResume(world.store))?.batch, 1);
    // The first signature is still refused; another fee makes another transaction.
    refusal.fee = 200;
    world.clock.advance(60_000);
    await anchorer.step();
    const refused = await read(1);
    t.not(refused.rawTx, before.rawTx);
    t.equal(refused.record.transaction?.status, status);
    t.equal((await markResume(world.store))?.batch, 1);
    refusal.status = undefined;
    refusal.fee = 300;
    world.clock.advance(60_000);
    await anchorer.step();
    const after = await read(1);
    t.equal(after.record.transaction?.status, 'SEEN_ON_NETWORK');
    t.equal(after.words, undefined, 'words about an earlier transaction are gone');
    t.equal(after.inputs[0], before.inputs[0], 'the seal');
    t.equal(after.resume, undefined);
    t.ok(after.record.rev > before.record.rev, 'readers take the newer state');
    t.match(after.record.evidence?.transaction, { raw: after.rawTx });
    t.equal(await gauge(), '0');
    await everyToldWasSigned(t, world);
    world.clock.advance(60_000);
    await anchorer.step();
    t.equal((await read(2)).record.transaction?.status, 'SEEN_ON_NETWORK', 'the next follows');
  });

t.test('the first anchor spends the same output again', async (t) => {
  const { world, refusal, anchor, anchorer, read } = await opened(t);
  refusal.status = 'REJECTED';
  await anchor();
  const before = await read(0);
  await markResume(world.store);
  refusal.fee = 200;
  world.clock.advance(60_000);
  await anchorer.step();
  const after = await read(0);
  t.same(after.inputs, before.inputs);
  t.not(after.rawTx, before.rawTx);
  t.equal(after.funded, 1, 'its output stays reserved');
  matchList(t, after.replaced, [{ rawTx: before.rawTx }]);
});

t.test('the first anchor spends its output again although a larger one has come', async (t) => {
  const { world, refusal, anchor, anchorer, read } = await opened(t);
  const [small, large] = [await payment(world, 1_000), await payment(world, 1_000_000)];
  const resumed = async (funding: readonly Funding[], fee: number) => {
    Object.assign(refusal, { funding, fee });
    await markResume(world.store);
    world.clock.advance(60_000);
    await anchorer.step();
    return read(0);
  };
  Object.assign(refusal, { status: 'REJECTED', funding: [small] });
  await anchor();
  t.same((await read(0)).inputs, [outpointOf(small)]);
  const again = await resumed([large, small], 200);
  t.same(again.inputs, [outpointOf(small)], 'at most one of the two can be mined');
  matchList(t, again.replaced, [{ inputs: [outpointOf(small)] }]);
  const dear = await resumed([large, small], 5_000);
  t.same(dear.inputs, [outpointOf(small), outpointOf(large)], 'a fee above its worth is paid beside it');
  t.ok(dear.fee > 1_000);
  matchList(t, dear.replaced, [{}, {}]);
  const other = await payment(world, 2_000_000);
  const both = await resumed([other, large, small], 300);
  t.same(both.inputs, [outpointOf(large), outpointOf(small)], 'what an earlier one spends is spent too');
  const left = await resumed([other, large], 400);
  t.same(left.inputs, [outpointOf(large)], 'of those the ones that are still unspent');
  t.same((await resumed([other], 500)).inputs, [outpointOf(other)], 'another when all are spent');
});

t.test('what the ledger takes by now is not signed anew, an earlier one neither', async (t) => {
  const { world, refusal, anchor, anchorer, read } = await opened(t);
  await anchor();
  refusal.status = 'REJECTED';
  await anchor();
  const first = await read(1);
  await markResume(world.store);
  refusal.fee = 200;
  world.clock.advance(60_000);
  await anchorer.step();
  t.not((await read(1)).rawTx, first.rawTx);
  // Somebody sent the first one: it is on the ledger, so the second never can be.
  await world.ledger.submit(first.extendedTx);
  await markResume(world.store);
  refusal.status = undefined;
  world.clock.advance(60_000);
  await anchorer.step();
  const after = await read(1);
  t.equal(after.rawTx, first.rawTx);
  t.equal(after.record.transaction?.status, 'SEEN_ON_NETWORK');
});

t.test('an output that was spent elsewhere is left out when it is signed anew', async (t) => {
  const { world, refusal, anchor, anchorer, read } = await opened(t);
  const [seal, bad, other] = [
    await payment(world, 900),
    await payment(world, 5_000),
    await payment(world, 4_000),
  ];
  const resumed = async (batch: number) => {
    await markResume(world.store);
    world.clock.advance(60_000);
    await anchorer.step();
    return read(batch);
  };
  refusal.funding = [seal];
  await anchor();
  const sealOf = (document: TransactionDocument) => `${document.record.transaction!.txid}:1`;
  const sealOfFirst = sealOf(await read(0));
  Object.assign(refusal, { funding: [bad], isSpent: outpointOf(bad) });
  await anchor();
  t.same((await read(1)).inputs, [sealOfFirst, outpointOf(bad)]);
  t.equal((await read(1)).record.transaction?.status, 'REJECTED');
  const anew = await resumed(1);
  t.same(anew.inputs, [sealOfFirst], 'the seal alone pays');
  t.equal(anew.record.transaction?.status, 'SEEN_ON_NETWORK');
  const state = async () => {
    const { imported } = await fundsState(world.store, { network: 'dev', publicKeyHash: HASH }, 0);
    return imported.map(({ id, isDoubtful }) => [id, isDoubtful]);
  };
  await world.store.insertMissing(OWN_COLLECTIONS.funds.name, [kept(bad)]);
  t.same(await state(), [[outpointOf(bad), true]]);
  await anchor();
  t.same((await read(2)).inputs, [sealOf(anew)], 'the next anchors leave it out, too');
  refusal.funding = [bad, other];
  await anchor();
  t.same((await read(3)).inputs, [sealOf(await read(2)), outpointOf(other)], 'other funds pay');
  t.equal((await read(3)).record.transaction?.status, 'SEEN_ON_NETWORK');
});

t.test('funds come in when the seal alone does not pay, also when the fee has jumped', async (t) => {
  const { refusal, anchor, read, world } = await opened(t);
  refusal.funding = [await payment(world, 5_000)];
  await anchor();
  const { fee, funds } = await read(0);
  t.ok(funds >= 100 * fee, 'the funds are not low by the fee before');
  const more = await payment(world, 100_000);
  Object.assign(refusal, { fee: 30_000, funding: [more] });
  await anchor();
  const { fee: jumped, inputs, record } = await read(1);
  t.ok(jumped > funds);
  t.equal(inputs[1], outpointOf(more));
  t.equal(record.transaction?.status, 'SEEN_ON_NETWORK');
});

t.test('the output of a refused anchor is no fund, and how long the rest lasts is not known', async (t) => {
  const { world, refusal, anchor, anchorer } = await opened(t);
  await world.store.insertMissing(OWN_COLLECTIONS.funds.name, [kept(await payment(world, 5_000))]);
  const state = () => fundsState(world.store, { network: 'dev', publicKeyHash: HASH }, world.clock.now());
  await anchor();
  await anchor();
  t.match(await state(), { newest: { batch: 1, isRefused: false }, satoshis: Number, days: Number });
  refusal.status = 'REJECTED';
  await anchor();
  t.match(await state(), {
    newest: { batch: 2, isRefused: true },
    satoshis: null,
    days: null,
  });
  refusal.status = undefined;
  await markResume(world.store);
  world.clock.advance(60_000);
  await anchorer.step();
  t.match(await state(), { newest: { batch: 2, isRefused: false }, satoshis: Number, days: Number });
});

t.test('there is nothing to resume while the newest is on its way', async (t) => {
  const { world, anchor } = await opened(t);
  t.equal(await markResume(world.store), undefined);
  await anchor();
  t.equal(await markResume(world.store), undefined);
});

t.test('days that the funds last are told', async (t) => {
  const { anchor, metrics, world } = await opened(t);
  const days = async () => Number(/anchoring_funds_days\{[^}]*\} (\S+)/.exec(await metrics.text())?.[1]);
  await anchor();
  t.equal(await days(), -1, 'one anchor is no rate');
  await anchor();
  const { funds, fee } = (await world.transactions())[1]!;
  t.equal(await days(), (funds / fee) * (31_000 / 86_400_000));
});

t.test('funds that end within two weeks are told when that begins', async (t) => {
  const metrics = createMetrics('anchoring', { processMetrics: false });
  const alarms = createAlarms(silentLog(), metrics);
  const told = async () =>
    Number(/anchoring_alarms_total\{[^}]*reason="low_funds"[^}]*\} (\d+)/.exec(await metrics.text())?.[1]);
  const gauge = async () => /anchoring_funds_days\{[^}]*\} (\S+)/.exec(await metrics.text())?.[1];
  for (const [days, times] of [
    [undefined, 0],
    [14, 0],
    [13.9, 1],
    [13.8, 1],
    [30, 1],
    [2, 2],
  ] as const) {
    alarms.funds(1_000, 10, days);
    t.equal(await told(), times, `${days} days`);
    t.equal(await gauge(), String(days ?? -1));
  }
});

t.test('a refusal that another process had resumed shows no longer', async (t) => {
  const { world, refusal, anchor, anchorer, gauge } = await opened(t);
  await anchor();
  refusal.status = 'REJECTED';
  await anchor();
  t.equal(await gauge(), '1');
  refusal.status = undefined;
  await markResume(world.store);
  const { anchorer: other } = await world.anchoring();
  await other.step();
  world.clock.advance(60_000);
  await anchorer.step();
  t.equal(await gauge(), '0');
});

t.test('a double spend that the ledger takes after all, and one over a restart', async (t) => {
  const { world, refusal, anchor, anchorer, read, gauge, restarted } = await opened(t);
  await anchor();
  refusal.status = 'DOUBLE_SPEND_ATTEMPTED';
  await anchor();
  t.equal(await gauge(), '1');
  t.equal(await restarted(), '1', 'a start tells it again');
  refusal.status = undefined;
  world.clock.advance(600_000);
  await anchorer.step();
  t.equal((await read(1)).record.transaction?.status, 'SEEN_ON_NETWORK');
  t.equal(await gauge(), '0');
});
