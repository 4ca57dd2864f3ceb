/** Tests a development ledger that was put back to an earlier moment than the transactions, as a restore does. */
import { DEV_LEDGER_COLLECTIONS } from '@sentinel-node/platform/ledger';
import t from 'tap';
import { resendToLedger } from '../src/restored-ledger.ts';
import { anchored, BATCHES, deliverDue, started } from './anchored.ts';
import type { World } from './support.ts';

const { blocks, spends, transactions } = DEV_LEDGER_COLLECTIONS;

/** Takes back all that the ledger got from the transaction of this batch on. */
async function putBackLedger({ store, ...world }: World, batch: number): Promise<void> {
  const lost = (await world.transactions()).slice(batch).map(({ record }) => record.transaction!);
  const first = lost[0]!.blockHeight!;
  const later = (await store.find(blocks.name, { limit: 1_000 })).filter(({ height }) => height >= first);
  const txids = new Set([...lost.map(({ txid }) => txid), ...later.flatMap((block) => block.txids)]);
  const spent = (await store.find(spends.name, { limit: 1_000 })).filter(({ spender }) => txids.has(spender));
  await store.remove(transactions.name, [...txids]);
  for (const [{ name }, gone] of [[spends, spent], [blocks, later]] as const) // prettier-ignore
    await store.remove(name, gone.map(({ id }) => id)); // prettier-ignore
}

t.test('transactions that the ledger lacks are sent again, and anchoring goes on', async (t) => {
  const world = await anchored(t);
  const before = await world.transactions();
  t.ok(before.slice(0, -1).every(({ open }) => open === undefined), 'all but the last are deep'); // prettier-ignore
  await putBackLedger(world, 2);
  t.equal(await resendToLedger(world.store, world.ledger, before[2]!.at), BATCHES - 2);
  t.same(
    (await world.transactions()).map(({ open }) => open === 1),
    [false, false, true, true, true],
    'what is in its block stays settled',
  );

  const { service, turn, gauge, end } = await started(world);
  t.same(service.notReady(), []);
  t.equal(await gauge(), '-1');
  await deliverDue(world, 77);
  for (let block = 0; block < 9; block++) {
    world.clock.advance(61_000);
    await turn();
    await world.ledger.mine();
  }
  const after = await world.transactions();
  t.equal(after.length, BATCHES + 1);
  t.same(
    after.map(({ open, record }) => [open, record.transaction!.status]),
    after.map(() => [undefined, 'MINED']),
  );
  t.not(after[2]!.record.transaction!.blockHash, before[2]!.record.transaction!.blockHash);
  await end();
});

t.test('a ledger that shows all as recorded is left as it is', async (t) => {
  const world = await anchored(t);
  const before = await world.transactions();
  t.equal(await resendToLedger(world.store, world.ledger, 0), 0);
  t.same(await world.transactions(), before);
});
