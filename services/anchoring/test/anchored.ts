/** Worlds with anchored batches, and services on them, for the tests of comparisons. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '@sentinel-node/platform';
import type { Test } from 'tap';
import { OWN_COLLECTIONS, type CutDocument, type TransactionDocument } from '../src/collections.ts';
import type { AnchoringDeps } from '../src/index.ts';
import { embeddedBackEnd, embeddedIn, fileId, openWorld, serviceOn } from './support.ts';
import type { BackEnd, World } from './support.ts';

export const BATCHES = 5;
const ORIGIN = 'test.example/log';

/** Starts the service with turns that the test makes. */
export async function started(world: World, ledger?: Ledger, more: Partial<AnchoringDeps> = {}) {
  const made = await serviceOn(world, ORIGIN, ledger, more);
  await made.service.start();
  return {
    ...made,
    gauge: async () => /anchoring_contradicted_batch\{[^}]*\} (-?\d+)/.exec(await made.metrics.text())?.[1],
  };
}

/** Opens a world with five batches of one file each; all transactions except the last are in a block. */
export async function anchored(t: Test, openBackEnd?: () => Promise<BackEnd>): Promise<World> {
  if (openBackEnd !== undefined) {
    const world = await openWorld(undefined, openBackEnd);
    t.teardown(() => world.close());
    await anchorBatches(world);
    return world;
  }
  const { folder, now } = await (made ??= make());
  const world = await openWorld(undefined, () => embeddedBackEnd(folder), now);
  t.teardown(() => world.close());
  return world;
}

/** The stores of such a world, and its time: its signatures take longer than a copy. */
let made: Promise<{ readonly folder: string; readonly now: number }> | undefined;

async function make() {
  const folder = mkdtempSync(join(tmpdir(), 'anchored-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const world = await openWorld(undefined, () => embeddedIn(folder));
  await anchorBatches(world);
  await world.close();
  return { folder, now: world.clock.now() };
}

async function anchorBatches(world: World): Promise<void> {
  const { cutter, anchorer } = await world.anchoring();
  for (let batch = 0; batch < BATCHES; batch++) {
    await world.deliver({ file: fileId(batch), from: 0, count: 2, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
    await cutter.step();
    await anchorer.step();
    for (let block = 0; block < 8 && batch < BATCHES - 1; block++) {
      await world.ledger.mine();
      world.clock.advance(20_000);
      await anchorer.step();
    }
  }
}

/** Puts documents in the place of the stored ones, as somebody who can write the database. */
export async function put(
  world: World,
  collection: string,
  documents: readonly (CutDocument | TransactionDocument)[],
): Promise<void> {
  for (const { id, ...document } of documents) {
    const before = await world.store.get(collection, id);
    const rev = (before?.rev ?? 0) + 1;
    await world.store.bulkUpsert(collection, [{ ...document, id, rev }]);
  }
}

/** Changes the recorded cut of a batch so that it contradicts its header. @returns a function that mends it */
export async function alterCut(world: World, batch: number): Promise<() => Promise<void>> {
  const { name } = OWN_COLLECTIONS.cuts;
  const right = (await world.cuts())[batch]!;
  await put(world, name, [{ ...right, cut: { ...right.cut, leafCount: 9 } }]);
  return () => put(world, name, [right]);
}

/** Delivers an entry whose cut is due at once. */
export const deliverDue = (world: World, file: number): Promise<unknown> =>
  world.deliver({ file: fileId(file), from: 0, count: 1, acceptedAt: world.clock.now() - 31_000 });

/** Returns a copy with every call of the port. */
export function bound(ledger: Ledger): Ledger {
  return {
    network: ledger.network,
    closingDepth: ledger.closingDepth,
    forgets: ledger.forgets,
    firstHeight: ledger.firstHeight,
    start: () => ledger.start(),
    stop: () => ledger.stop(),
    submit: (tx) => ledger.submit(tx),
    status: (txid) => ledger.status(txid),
    policy: () => ledger.policy(),
    funding: (hash) => ledger.funding(hash),
    header: (height) => ledger.header(height),
    height: () => ledger.height(),
  };
}
