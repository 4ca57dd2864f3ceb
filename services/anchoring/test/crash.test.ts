/** A process that ends between any two steps, before or after the step reached the disk, and its successor. */
import t, { type Test } from 'tap';
import type { AnchorRecord } from '@sentinel-node/contracts';
import { DEV_BLOCK_DEPTH } from '@sentinel-node/platform/ledger';
import { batchId, OWN_COLLECTIONS } from '../src/collections.ts';
import { fileId, leavesOfCuts, openWorld, type Ports, type World } from './support.ts';
import { readRaw } from './raw-transaction.ts';

class Crash extends Error {}

const WRITES = new Set([
  'insertUnique',
  'insertMissing',
  'bulkUpsert',
  'update',
  'append',
  'submit',
  'funding',
]);

/** The ports until the crash: call number `at` that changes something fails, before or after it is done; none after it works. */
function crashing(ports: Ports, at: number, when: 'before' | 'after') {
  let calls = 0;
  let crashed = false;
  const wrap = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const call = value.bind(target) as (...args: unknown[]) => unknown;
        if (!WRITES.has(String(name))) return call;
        return async (...args: unknown[]) => {
          if (crashed) throw new Crash();
          crashed = ++calls === at;
          if (!crashed) return call(...args);
          if (when === 'after') await call(...args);
          throw new Crash();
        };
      },
    });
  return {
    ports: { store: wrap(ports.store), eventLog: wrap(ports.eventLog), ledger: wrap(ports.ledger) },
    crashed: () => crashed,
  };
}

/** One batch of two files, anchored and mined. */
async function work(world: World, ports: Ports): Promise<void> {
  const { cutter, anchorer } = await world.anchoring(ports);
  world.clock.advance(40_000);
  await cutter.step();
  await anchorer.step();
  for (let block = 0; block < DEV_BLOCK_DEPTH; block++) await world.ledger.mine();
  world.clock.advance(40_000);
  await anchorer.step();
}

/** Everything that must hold once `rounds` deliveries are anchored. */
async function check(t: Test, world: World, rounds: number): Promise<void> {
  const leaves = await leavesOfCuts(world);
  const numbers = Array.from({ length: 2 * rounds }, (_, n) => n);
  const wanted = [1, 2].flatMap((file) => numbers.map((n) => `${fileId(file)}/${n}`));
  t.same(leaves.flat().toSorted(), wanted.toSorted(), 'each leaf once');
  const stored = await world.transactions();
  const raw = stored.map(({ rawTx }) => readRaw(rawTx));
  t.same(
    (await world.cuts()).map(({ cut, unpublished }) => [cut.batch, unpublished]),
    stored.map(({ batch }) => [batch, undefined]),
    'each cut has one transaction',
  );
  t.same(
    raw.slice(1).map(({ inputs }) => `${inputs[0]!.txid}:${inputs[0]!.index}`),
    raw.slice(0, -1).map(({ txid }) => `${txid}:1`),
    'each spends the seal of the one before',
  );
  t.same(
    stored.map(({ record, open, unpublished }) => [record.transaction!.status, open, unpublished]),
    raw.map(() => ['MINED', undefined, undefined]),
  );
  for (const { txid } of raw) t.equal((await world.ledger.status(txid))?.status, 'MINED');
  await checkPublished(
    t,
    world,
    stored.map(({ record }) => record),
  );
}

async function checkPublished(t: Test, world: World, records: readonly AnchorRecord[]): Promise<void> {
  const published = await world.anchors();
  const newest = new Map(published.map((record) => [record.batch, record]));
  t.same([...newest.values()], records, 'the topic ends with the newest state');
  const documents = await world.store.getMany(
    OWN_COLLECTIONS.anchors.name,
    records.map(({ batch }) => batchId(batch)),
  );
  t.same(
    documents,
    records.map((record) => ({ id: batchId(record.batch), ...record })),
    'and so does the view',
  );
  const bytes = new Map<string, Set<string>>();
  for (const record of published) {
    const key = `${record.batch}/${record.rev}`;
    bytes.set(key, (bytes.get(key) ?? new Set()).add(JSON.stringify(record)));
  }
  t.ok(
    [...bytes.values()].every(({ size }) => size === 1),
    'the same rev, the same bytes',
  );
}

for (const when of ['before', 'after'] as const)
  t.test(`crashes ${when} each write lose, double and fork nothing`, async (t) => {
    t.setTimeout(240_000);
    const world = await openWorld();
    t.teardown(() => world.close());
    for (let at = 1, more = true; more; at++) {
      const from = 2 * (at - 1);
      const acceptedAt = world.clock.now();
      await world.deliver(
        { file: fileId(1), from, count: 2, acceptedAt },
        { file: fileId(2), from, count: 2, acceptedAt },
      );
      const { ports, crashed } = crashing(world, at, when);
      await work(world, ports).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
      });
      if (crashed()) await work(world, world);
      await check(t, world, at);
      more = crashed();
      if (!more) t.ok(at > 15, `each of ${at - 1} writes has failed once`);
    }
  });
