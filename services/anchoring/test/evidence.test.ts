/** Tests the evidence published for proofs, and the backfill of batches of an earlier version. */
import t, { type Test } from 'tap';
import {
  AnchorRecordSchema,
  equalBytes,
  fromHex,
  leafHash,
  LIMITS,
  PROOF_LIMITS,
  rootFromInclusion,
  type AnchorRecord,
} from '@sentinel-node/contracts';
import { compileChecker, ConflictError, LedgerUnavailableError, silentLog } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS } from '../src/collections.ts';
import { EvidenceBackfill } from '../src/evidence-backfill.ts';
import { ANCHORING_LIMITS } from '../src/limits.ts';
import { fileId, openWorld, type Ports, type World } from './support.ts';

const { anchors, transactions } = OWN_COLLECTIONS;
const records = compileChecker(AnchorRecordSchema);

async function cutBatches(world: World, from: number, to: number): Promise<void> {
  const { cutter } = await world.anchoring();
  for (let batch = from; batch < to; batch++) {
    await world.deliver({ file: fileId(1), from: batch, count: 1, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
    await cutter.step();
  }
}

/** Opens a world with this many sent batches; they are in a block when `mined`. */
async function sentBatches(t: Test, count: number, mined = true): Promise<World> {
  const world = await openWorld();
  t.teardown(() => world.close());
  await cutBatches(world, 0, count);
  const { anchorer } = await world.anchoring();
  await anchorer.step();
  for (let block = 0; mined && block < 6; block++) {
    await world.ledger.mine();
    world.clock.advance(60_000);
    await anchorer.step();
  }
  return world;
}

/** Removes the evidence from the records, as in the store of an earlier version. */
async function forgetEvidence(world: World): Promise<void> {
  const without = <T extends AnchorRecord>({ evidence: _, ...rest }: T) => rest;
  const { store } = world;
  for (const document of await store.find(anchors.name, { limit: 100 })) {
    await store.remove(anchors.name, [document.id]);
    await store.insertUnique(anchors.name, without(document));
  }
  for (const document of await store.find(transactions.name, { limit: 100 })) {
    await store.remove(transactions.name, [document.id]);
    await store.insertUnique(transactions.name, { ...document, record: without(document.record) });
  }
}

const backfillOf = (world: World, given: Partial<Ports> = {}) =>
  new EvidenceBackfill({ ...world, ...given, log: silentLog() });

/** @returns the records published since */
async function since(world: World, count: number): Promise<AnchorRecord[]> {
  return (await world.anchors()).slice(count);
}

t.test('each state of a batch is published with what a proof of it needs', async (t) => {
  const world = await sentBatches(t, 3);
  const published = await world.anchors();
  t.ok(published.every((record) => records.check(record)));
  for (const { batch, cut, transaction, evidence } of published) {
    const path = evidence!.logPath.map(fromHex);
    const root = rootFromInclusion(leafHash(fromHex(cut.header)), batch, batch + 1, path)!;
    t.ok(equalBytes(root, fromHex(cut.logRoot)), 'the path leads from the header to the root');
    t.equal(evidence!.transaction === null, transaction === null);
    t.equal(evidence!.block === null, transaction?.status !== 'MINED');
  }
  for (const { batch, record, rawTx } of await world.transactions()) {
    const { evidence, transaction } = record;
    t.same(evidence!.transaction, { network: 'dev', raw: rawTx }, `batch ${batch}`);
    t.same(evidence!.block, (await world.ledger.status(transaction!.txid))!.block);
  }
});

t.test('batches of an earlier version are published again, the newest first, a few a step', async (t) => {
  const count = ANCHORING_LIMITS.evidenceBatches + 2;
  const world = await sentBatches(t, count);
  const whole = await world.transactions();
  await forgetEvidence(world);
  const before = (await world.anchors()).length;
  const backfill = backfillOf(world);
  await backfill.step();
  t.same(
    (await since(world, before)).map(({ batch }) => batch),
    Array.from({ length: ANCHORING_LIMITS.evidenceBatches }, (_, index) => count - 1 - index),
  );
  // A process that ends here continues from the store.
  const next = backfillOf(world);
  await next.step();
  await next.step();
  await backfill.step();
  const again = await since(world, before);
  t.same(
    again.map(({ batch }) => batch),
    [6, 5, 4, 3, 2, 1, 0],
  );
  t.ok(again.every((record) => records.check(record)));
  for (const { batch, record } of whole) {
    const found = again.find((one) => one.batch === batch)!;
    t.same(found.evidence, record.evidence, `batch ${batch}`);
    t.same(found.transaction, record.transaction);
    t.equal(found.rev, record.rev + 1);
  }
  t.same(
    (await world.transactions()).map(({ unpublished }) => unpublished),
    Array(count).fill(undefined),
  );
});

t.test('a batch without a transaction is published again too, and no other record with its id', async (t) => {
  const world = await openWorld();
  t.teardown(() => world.close());
  await cutBatches(world, 0, 2);
  await forgetEvidence(world);
  await backfillOf(world).step();
  const again = await since(world, 2);
  t.same(
    again.map(({ batch, rev, transaction, evidence }) => ({
      batch,
      rev,
      transaction,
      path: evidence!.logPath.length,
    })),
    [
      { batch: 1, rev: 1, transaction: null, path: 1 },
      { batch: 0, rev: 1, transaction: null, path: 0 },
    ],
  );
});

t.test('a later start looks only at what was not in order before', async (t) => {
  const world = await sentBatches(t, 6);
  const looked: unknown[] = [];
  const store = new Proxy(world.store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'find')
        return async (...args: Parameters<Ports['store']['find']>) => {
          const found = await target.find(...args);
          if (args[0] === OWN_COLLECTIONS.anchors.name) looked.push(...found.map(({ id }) => Number(id)));
          return found;
        };
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
  const look = async (): Promise<unknown[]> => {
    looked.length = 0;
    await backfillOf(world, { store }).step();
    return [...looked];
  };
  const { anchors } = OWN_COLLECTIONS;
  const [four] = await world.store.find(anchors.name, { where: { id: batchId(4) }, limit: 1 });
  const sent = { ...four!, transaction: { ...four!.transaction!, status: 'SENT' as const } };
  await world.store.bulkUpsert(anchors.name, [{ ...sent, rev: sent.rev + 1 }]);
  t.same(await look(), [5, 4, 3, 2, 1, 0]);
  t.same(await look(), [5, 4], 'nobody knows yet how 4 ends');
  await world.store.bulkUpsert(anchors.name, [{ ...four!, rev: sent.rev + 2 }]);
  t.same(await look(), [5, 4]);
  t.same(await look(), []);
});

t.test('a batch that changes meanwhile, or a ledger that is away, is met again', async (t) => {
  const world = await sentBatches(t, 2);
  await forgetEvidence(world);
  const before = (await world.anchors()).length;
  let conflicts = 1;
  const store = new Proxy(world.store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'update' && conflicts-- > 0)
        return () => Promise.reject(new ConflictError('changed meanwhile'));
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
  const backfill = backfillOf(world, { store });
  await backfill.step();
  t.same(await since(world, before), []);
  await backfill.step();
  t.same(
    (await since(world, before)).map(({ batch }) => batch),
    [1, 0],
  );

  await forgetEvidence(world);
  const status = () => Promise.reject(new LedgerUnavailableError('away'));
  const ledger = { ...world.ledger, status } as unknown as Ports['ledger'];
  await t.rejects(backfillOf(world, { ledger }).step(), { code: 'LEDGER_UNAVAILABLE' });
  t.equal((await world.anchors()).length, before + 2);
});

t.test('an open transaction of an earlier version goes on, and gets its evidence', async (t) => {
  const world = await sentBatches(t, 1, false);
  await forgetEvidence(world);
  const { anchorer } = await world.anchoring();
  await world.ledger.mine();
  world.clock.advance(60_000);
  await anchorer.step();
  t.match((await world.anchors()).at(-1), { transaction: { status: 'MINED' }, evidence: undefined });
  await backfillOf(world).step();
  const last = (await world.anchors()).at(-1)!;
  t.match(last.evidence, { block: { header: /^[0-9a-f]{160}$/ } });
  await world.ledger.mine();
  world.clock.advance(60_000);
  await anchorer.step();
  const deeper = (await world.anchors()).at(-1)!;
  t.match(deeper, { transaction: { confirmations: 2 } });
  t.same(deeper.evidence, last.evidence);
});

t.test('the largest record that the schema takes is within the limit of a record', async (t) => {
  const hex = (bytes: number): string => 'ab'.repeat(bytes);
  const world = await sentBatches(t, 1);
  const [record] = (await world.anchors()).slice(-1);
  const { transactionBytes, bumpBytes, logDepth } = PROOF_LIMITS;
  const largest: AnchorRecord = {
    ...record!,
    transaction: { ...record!.transaction!, merklePath: hex(bumpBytes) },
    evidence: {
      logPath: Array<string>(logDepth).fill(hex(32)),
      transaction: { network: 'dev', raw: hex(transactionBytes) },
      block: { header: hex(80), coinbase: hex(transactionBytes) },
    },
  };
  t.ok(records.check(largest));
  t.ok(JSON.stringify(largest).length < LIMITS.logRecordBytes / 4);
  const more = { ...largest.evidence!, transaction: { network: 'dev', raw: hex(transactionBytes + 1) } };
  t.notOk(records.check({ ...largest, evidence: more }));
});
