/** Tests every answer of the ledger and the reaction of anchoring. */
import {
  createMetrics,
  LedgerUnavailableError,
  silentLog,
  type Funding,
  type Ledger,
  type LedgerAnswer,
} from '@sentinel-node/platform';
import t, { type Test } from 'tap';
import { createAlarms } from '../src/alarms.ts';
import { outpointOf, publicKeyHashOf } from '../src/transaction/sign-anchor.ts';
import { payment } from './payments.ts';
import { ANCHORING_KEY, fileId, openWorld, type World } from './support.ts';

/** Returns a ledger whose answers a test can change. */
function scripted(world: World, answers: Partial<Ledger>): Ledger {
  return new Proxy(world.ledger, {
    get: (target, name) => {
      const value: unknown = Reflect.get(answers, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}

async function withCuts(t: Test, count: number) {
  const world = await openWorld();
  t.teardown(() => world.close());
  const { cutter } = await world.anchoring();
  for (let from = 0; from < count; from++) {
    await world.deliver({ file: fileId(1), from, count: 1, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
    await cutter.step();
  }
  return world;
}

const statuses = async (world: World) =>
  (await world.transactions()).map(({ record }) => record.transaction?.status);

t.test('several cuts that wait get a transaction each, in order', async (t) => {
  const world = await withCuts(t, 4);
  const { anchorer } = await world.anchoring();
  await anchorer.step();
  t.same(
    (await world.transactions()).map(({ batch }) => batch),
    [0, 1, 2, 3],
  );
});

t.test('the next is signed only when the one before is seen', async (t) => {
  const world = await withCuts(t, 3);
  let status: LedgerAnswer['status'] = 'STORED';
  const submit = async (tx: string) => ({ ...(await world.ledger.submit(tx)), status });
  const ask = async (txid: string) => ({ txid, ...(await world.ledger.status(txid)), status });
  const { anchorer } = await world.anchoring({ ...world, ledger: scripted(world, { submit, status: ask }) });
  for (const next of [
    'STORED',
    'SEEN_IN_ORPHAN_MEMPOOL',
    'DOUBLE_SPEND_ATTEMPTED',
    'ACCEPTED_BY_NETWORK',
  ] as const) {
    status = next;
    world.clock.advance(20_000);
    await anchorer.step();
    t.same(await statuses(world), [next]);
  }
  status = 'SEEN_ON_NETWORK';
  world.clock.advance(20_000);
  await anchorer.step();
  t.same(await statuses(world), Array(3).fill('SEEN_ON_NETWORK'));
});

t.test('a refusal is final: it is told, and nothing more is sent', async (t) => {
  const world = await withCuts(t, 2);
  let sent = 0;
  const submit = (tx: string) =>
    Promise.resolve({ txid: tx.slice(0, 64), status: 'REJECTED', detail: `refused ${++sent}` } as const);
  const ledger = scripted(world, { submit });
  const { anchorer } = await world.anchoring({ ...world, ledger });
  for (let turn = 0; turn < 5; turn++, world.clock.advance(60_000)) await anchorer.step();
  const again = await world.anchoring({ ...world, ledger });
  await again.anchorer.step();
  t.same(await statuses(world), ['REJECTED']);
  t.equal(sent, 1);
  t.match((await world.anchors()).at(-1), { batch: 0, transaction: { status: 'REJECTED' } });
});

t.test(
  'a refusal shows as long as it lasts, also after a restart, when nothing is refused anew',
  async (t) => {
    const world = await withCuts(t, 1);
    const submit = (tx: string) => Promise.resolve({ txid: tx.slice(0, 64), status: 'REJECTED' } as const);
    const ledger = scripted(world, { submit });
    const start = async () => {
      const metrics = createMetrics('anchoring', { processMetrics: false });
      const { anchorer } = await world.anchoring({ ...world, ledger }, metrics);
      return { anchorer, text: () => metrics.text() };
    };
    const metrics = createMetrics('anchoring', { processMetrics: false });
    createAlarms(silentLog(), metrics);
    t.match(await metrics.text(), 'sentinel_anchoring_refused{service="anchoring"} 0');
    const first = await start();
    await first.anchorer.step();
    t.match(await first.text(), 'sentinel_anchoring_refused{service="anchoring"} 1');
    const again = await start();
    t.match(await again.text(), 'sentinel_anchoring_refused{service="anchoring"} 1');
  },
);

t.test('a ledger that does not answer is asked again, ever more rarely, with the same bytes', async (t) => {
  const world = await withCuts(t, 1);
  const sent: string[] = [];
  let down = true;
  const submit = (tx: string) => {
    sent.push(tx);
    return down ? Promise.reject(new LedgerUnavailableError('down')) : world.ledger.submit(tx);
  };
  const { anchorer } = await world.anchoring({ ...world, ledger: scripted(world, { submit }) });
  const started = world.clock.now();
  for (; world.clock.now() < started + 600_000; world.clock.advance(1_000)) await anchorer.step();
  t.ok(sent.length >= 12 && sent.length <= 30, `${sent.length} tries in ten minutes`);
  down = false;
  for (let turn = 0; turn < 61; turn++, world.clock.advance(1_000)) await anchorer.step();
  t.equal(new Set(sent).size, 1);
  t.same(await statuses(world), ['SEEN_ON_NETWORK']);
});

t.test('what the ledger lost is sent again; a reorganisation is followed', async (t) => {
  const world = await withCuts(t, 1);
  let answer: LedgerAnswer | undefined;
  const sent: string[] = [];
  const submit = (tx: string) => {
    sent.push(tx);
    return answer === undefined ? world.ledger.submit(tx) : Promise.resolve(answer);
  };
  const { anchorer } = await world.anchoring({
    ...world,
    ledger: scripted(world, {
      submit,
      status: () => Promise.resolve(answer),
      height: () => Promise.resolve(9),
    }),
  });
  await anchorer.step();
  world.clock.advance(20_000);
  await anchorer.step();
  t.equal(sent.length, 2);
  t.equal(sent[0], sent[1]);
  const txid = (await world.transactions())[0]!.record.transaction!.txid;
  const steps = [
    { txid, status: 'MINED', blockHash: 'aa'.repeat(32), blockHeight: 8, merklePath: '00' },
    { txid, status: 'MINED_IN_STALE_BLOCK' },
    { txid, status: 'SEEN_ON_NETWORK' },
    { txid, status: 'MINED', blockHash: 'bb'.repeat(32), blockHeight: 9, merklePath: '01' },
  ] as const;
  for (const next of steps) {
    answer = next;
    world.clock.advance(20_000);
    await anchorer.step();
    const { transaction } = (await world.transactions())[0]!.record;
    t.match(transaction, { status: next.status, blockHash: 'blockHash' in next ? next.blockHash : null });
  }
});

t.test('the newest is asked about however many are open before it', async (t) => {
  const world = await withCuts(t, 3);
  const status = async (txid: string) => ({
    txid,
    ...(await world.ledger.status(txid)),
    status: said,
  });
  let said: LedgerAnswer['status'] = 'SEEN_ON_NETWORK';
  const submit = async (tx: string) => ({ ...(await world.ledger.submit(tx)), status: said });
  /** As many as are read are open before the newest. */
  const find: typeof world.store.find = async (collection, query) =>
    (await world.store.find(collection, query)).slice(0, query.where?.['open'] === 1 ? 1 : undefined);
  const store = new Proxy(world.store, {
    get: (target, name) => {
      const value: unknown = name === 'find' ? find : Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
  const ledger = scripted(world, { submit, status });
  const { anchorer } = await world.anchoring({ ...world, store, ledger });
  await anchorer.step();
  t.equal((await world.transactions()).length, 3);
  await world.deliver({ file: fileId(2), from: 0, count: 1, acceptedAt: world.clock.now() });
  world.clock.advance(31_000);
  await (await world.anchoring()).cutter.step();
  said = 'STORED';
  await anchorer.step();
  t.same((await statuses(world)).at(-1), 'STORED');
  said = 'SEEN_ON_NETWORK';
  world.clock.advance(60_000);
  await anchorer.step();
  t.same((await statuses(world)).at(-1), 'SEEN_ON_NETWORK');
});

t.test('without funds nothing is signed; once there are some, it goes on', async (t) => {
  const world = await withCuts(t, 1);
  let paid: readonly Funding[] = [];
  const ledger = scripted(world, { funding: () => Promise.resolve(paid) });
  const { anchorer } = await world.anchoring({ ...world, ledger });
  await anchorer.step();
  t.same(await world.transactions(), []);
  paid = [await payment(world, 20)];
  world.clock.advance(60_000);
  await anchorer.step();
  t.same(await world.transactions(), [], 'less than the fee');
  paid = await world.ledger.funding(publicKeyHashOf(ANCHORING_KEY));
  world.clock.advance(60_000);
  await anchorer.step();
  t.same(await statuses(world), ['SEEN_ON_NETWORK']);
});

t.test('low funds take in further outputs, each once, after the seal', async (t) => {
  const world = await withCuts(t, 3);
  const small = await payment(world, 1_000);
  const [large] = await world.ledger.funding(publicKeyHashOf(ANCHORING_KEY));
  const offers = [[small], [small, large!], [small, large!]];
  const funding = () => Promise.resolve(offers.shift() ?? []);
  const { anchorer } = await world.anchoring({ ...world, ledger: scripted(world, { funding }) });
  await anchorer.step();
  const [first, second, third] = await world.transactions();
  t.same(first?.inputs, [outpointOf(small)]);
  t.same(second?.inputs, [`${first!.record.transaction!.txid}:1`, outpointOf(large!)]);
  t.same(third?.inputs, [`${second!.record.transaction!.txid}:1`], 'there is enough now');
  t.same(await statuses(world), Array(3).fill('SEEN_ON_NETWORK'));
});

t.test('another ledger than the one that holds the seal is refused at the start', async (t) => {
  const world = await withCuts(t, 1);
  await (await world.anchoring()).anchorer.step();
  const ledger = scripted(world, { network: 'main' });
  await t.rejects(world.anchoring({ ...world, ledger }), { code: 'LEDGER_CHANGED' });
});
