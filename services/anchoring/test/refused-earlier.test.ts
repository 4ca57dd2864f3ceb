/** A batch that the ledger refuses although later batches follow it: it is asked about until it is in a block. */
import {
  createMetrics,
  LedgerUnavailableError,
  type Ledger,
  type LedgerAnswer,
  type LedgerStatus,
} from '@sentinel-node/platform';
import { omit } from '@sentinel-node/contracts';
import { dropBlocks } from '@sentinel-node/test-kit/fakes';
import t, { type Test } from 'tap';
import { batchId, OWN_COLLECTIONS, type TransactionDocument } from '../src/collections.ts';
import { markResume } from '../src/resume.ts';
import { bound, started } from './anchored.ts';
import { fileId, openWorld } from './support.ts';

const { transactions } = OWN_COLLECTIONS;
t.setTimeout(300_000);

type Said = LedgerStatus | 'UNKNOWN' | 'AWAY' | undefined;

/** Opens three batches on the network, and a ledger that says of batch 1 what the test wants. */
async function opened(t: Test) {
  const world = await openWorld();
  t.teardown(() => world.close());
  const dev = world.ledger;
  const says: { status: Said; submit: Said } = { status: undefined, submit: undefined };
  let refused = '';
  const sent: string[] = [];
  const answer = (said: LedgerStatus | 'AWAY'): LedgerAnswer => {
    if (said === 'AWAY') throw new LedgerUnavailableError('by the test');
    return { txid: refused, status: said };
  };
  const ledger: Ledger = {
    ...bound(dev),
    status: async (txid) => {
      const said = txid === refused ? says.status : undefined;
      if (said === 'UNKNOWN') return undefined;
      return said === undefined ? dev.status(txid) : answer(said);
    },
    submit: async (extendedTx) => {
      sent.push(extendedTx);
      const isRefused = refused !== '' && extendedTx === (await read(1)).extendedTx;
      const said = isRefused ? says.submit : undefined;
      return said === undefined || said === 'UNKNOWN' ? dev.submit(extendedTx) : answer(said);
    },
  };
  const read = async (batch: number) =>
    (await world.store.get(transactions.name, batchId(batch))) as TransactionDocument;
  const state = async (batch = 1) => {
    const { open, record } = await read(batch);
    return [record.transaction?.status, open === 1];
  };
  const metrics = createMetrics('anchoring', { processMetrics: false });
  const start = () => world.anchoring({ ...world, ledger }, metrics);
  const { cutter, anchorer } = await start();
  const cut = async (file: number) => {
    await world.deliver({ file: fileId(file), from: 0, count: 1, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
    await cutter.step();
  };
  /** Polls everything, and shows in the gauges what was found. */
  const step = async (ms = 60_000) => {
    world.clock.advance(ms);
    await anchorer.step();
    await anchorer.step();
  };
  for (const file of [0, 1, 2]) await cut(file);
  await anchorer.step();
  refused = (await read(1)).record.transaction!.txid;
  const gauge = async (name: string) => new RegExp(`${name}[^}]*\\} (\\d+)`).exec(await metrics.text())?.[1];
  const gauges = async () => [
    await gauge('anchoring_refused{'),
    await gauge('anchoring_refused_earlier{'),
    await gauge('reason="rejected"'),
  ];
  return { world, ledger, says, sent, read, state, cut, step, start, gauge, gauges };
}

t.test('it is asked about until it is in a block; the next are sent meanwhile', async (t) => {
  const { world, says, state, cut, step, gauge, read } = await opened(t);
  says.status = 'REJECTED';
  await step();
  t.same(await state(), ['REJECTED', true]);
  t.equal(await gauge('anchoring_refused{'), '0', 'the next are sent');
  t.equal(await gauge('anchoring_refused_earlier{'), '1');
  await cut(3);
  await step();
  t.same(await state(3), ['SEEN_ON_NETWORK', true]);
  says.status = undefined;
  await world.ledger.mine();
  await step();
  await step();
  t.same(await state(), ['MINED', true]);
  t.not((await read(1)).record.evidence?.block, null);
  t.equal(await gauge('anchoring_refused_earlier{'), '0');
});

t.test('a start shows it, before the ledger answers', async (t) => {
  const { world, ledger, says, step } = await opened(t);
  says.status = 'REJECTED';
  await step();
  const other = createMetrics('anchoring', { processMetrics: false });
  await world.anchoring({ ...world, ledger }, other);
  t.match(await other.text(), /anchoring_refused_earlier\{[^}]*\} 1\n/);
});

for (const said of ['REJECTED', 'SEEN_IN_ORPHAN_MEMPOOL', 'RECEIVED', 'UNKNOWN'] as const)
  t.test(`${said} of a transaction that our own headers show in its block changes nothing`, async (t) => {
    const { world, says, sent, state, step, read } = await opened(t);
    await world.ledger.mine();
    await step();
    const { record } = await read(1);
    says.status = said;
    says.submit = said;
    sent.length = 0;
    await world.ledger.mine();
    await step();
    t.same(await state(), ['MINED', true]);
    const { transaction, evidence } = (await read(1)).record;
    t.same(transaction, { ...record.transaction, confirmations: 2 }, 'and counts on');
    t.same(evidence, record.evidence);
    t.same(sent, [], 'nothing is sent again');
    await dropBlocks(world.store, 2);
    await world.ledger.mine();
    await step();
    if (said === 'UNKNOWN') t.equal(sent.length, 1, 'without its block it is sent again');
    else t.equal((await state())[0], said, 'without its block the ledger is believed');
  });

t.test('while the ledger does not answer about it, the next are sent', async (t) => {
  const { says, state, cut, step, gauge, world } = await opened(t);
  says.status = 'AWAY';
  await cut(3);
  await step();
  t.same(await state(3), ['SEEN_ON_NETWORK', true]);
  t.match(await gauge('reason="unavailable"'), /^[1-9]/);
  await world.ledger.mine();
  for (let second = 0; second < 20; second++) await step(1_000);
  for (const batch of [0, 2, 3]) t.same(await state(batch), ['MINED', true], `batch ${batch}`);
});

t.test('while the ledger has no answer about the newest, those before it are asked about', async (t) => {
  const { world, ledger, state, step, read } = await opened(t);
  const { status } = ledger;
  const newest = (await read(2)).record.transaction!.txid;
  ledger.status = async (txid) => {
    if (txid === newest) throw new LedgerUnavailableError('by the test');
    return status(txid);
  };
  await world.ledger.mine();
  await step();
  for (const batch of [0, 1]) t.same(await state(batch), ['MINED', true], `batch ${batch}`);
  t.same(await state(2), ['SEEN_ON_NETWORK', true]);
});

t.test('resume sends the same bytes of the oldest once more, and signs nothing anew', async (t) => {
  const { world, says, sent, state, step, gauge, read } = await opened(t);
  says.status = says.submit = 'REJECTED';
  await step();
  const before = await read(1);
  t.equal((await markResume(world.store))?.batch, 1);
  sent.length = 0;
  await step();
  t.same(await state(), ['REJECTED', true]);
  t.same(sent, [before.extendedTx]);
  t.equal((await read(1)).resume, undefined);
  t.equal(await gauge('anchoring_refused_earlier{'), '1');
  t.equal((await markResume(world.store))?.batch, 1);
  says.status = says.submit = undefined;
  await step();
  t.same(await state(), ['SEEN_ON_NETWORK', true]);
  t.equal((await read(1)).rawTx, before.rawTx);
  t.equal((await read(1)).replaced, undefined);
  t.equal(await markResume(world.store), undefined);
});

t.test('of two that are refused the older is resumed first; the newest stays told', async (t) => {
  const { world, ledger, says, cut, step, gauge, gauges } = await opened(t);
  says.status = says.submit = 'REJECTED';
  await step();
  const { submit } = ledger;
  const refusesAll: Ledger = { ...ledger, submit: async () => ({ txid: '', status: 'REJECTED' }) };
  Object.assign(ledger, refusesAll);
  await cut(3);
  await step();
  t.same(await gauges(), ['1', '1', '2']);
  t.equal((await markResume(world.store))?.batch, 1);
  await step();
  t.equal(await gauge('anchoring_refused{'), '1');
  t.same(await markResume(world.store), { batch: 3, left: 1 }, 'although the older one is refused once more');
  t.same(await markResume(world.store), { batch: 1, left: 0 });
  Object.assign(ledger, { submit });
  says.status = says.submit = undefined;
  await step();
  await step();
  t.same((await gauges()).slice(0, 2), ['0', '0']);
});

t.test('one that an earlier version closed is asked about again after a start', async (t) => {
  const { world, says, state, step, read } = await opened(t);
  says.status = 'REJECTED';
  await step();
  const document = omit(await read(1), 'open');
  await world.store.remove(transactions.name, [document.id]);
  await world.store.insertUnique(transactions.name, document);
  t.same(await state(), ['REJECTED', false]);
  says.status = undefined;
  const service = await started(world);
  await service.turn();
  t.same(await state(), ['REJECTED', true]);
  world.clock.advance(60_000);
  await service.turn();
  t.same(await state(), ['SEEN_ON_NETWORK', true]);
  await service.end();
});
