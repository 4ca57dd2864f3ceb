/**
 * Ends a process between any two changes of its ports, before or after the change took effect, and its successors too.
 */
import type { Test } from 'tap';
import { leafData, leafHash, mapKey, merkleRoot, toHex, type AnchorRecord } from '@sentinel-node/contracts';
import { silentLog } from '@sentinel-node/platform';
import { DEV_BLOCK_DEPTH } from '@sentinel-node/platform/ledger';
import { SeededRandom } from '@sentinel-node/test-kit/fakes';
import { batchId, OWN_COLLECTIONS, type TransactionDocument } from '../src/collections.ts';
import { StartComparison } from '../src/comparison/start-comparison.ts';
import { createAnchoring, fundsState } from '../src/index.ts';
import { publicKeyHashOf } from '../src/transaction/sign-anchor.ts';
import { Crash, CrashPoint, type Moment } from './crash-point.ts';
import type { TestLedger } from './crash-ledgers.ts';
import { accountsOf } from './ledger-accounts.ts';
import { readRaw } from './raw-transaction.ts';
import { ANCHORING_KEY, fileId, INTERVALS, leavesOfCuts, linkHash, LOG_KEY, NEVER } from './support.ts';
import type { World } from './support.ts';

export const KEY_HASH = publicKeyHashOf(ANCHORING_KEY);
/** Time after which polls, retries and a cut are due. */
const STEP_MS = 61_000;
/** The most rounds of turns and blocks until a process has nothing more to do. */
const ROUNDS = 6;

/** Deliveries of one world; few, because each start compares all batches, which takes signatures. */
const DELIVERIES = 4;

export interface CrashWorld {
  readonly world: World;
  readonly ledger: TestLedger;
  /** Called before each delivery. */
  readonly prepare?: (delivery: number) => Promise<void>;
  readonly checkMore?: (t: Test) => Promise<void>;
  close(): Promise<void>;
}

export interface CrashRun {
  readonly moment: Moment;
  /** Seed that decides which successors end too, and at which call. */
  readonly seed: number;
}

/**
 * Crashes at call 1, 2, … of a delivery's way into the ledger, each in its own delivery, until a process needs fewer
 * calls.
 */
export async function crashEverywhere(
  t: Test,
  open: () => Promise<CrashWorld>,
  crashes: CrashRun,
): Promise<void> {
  let [at, more] = [1, true];
  while (more) {
    const made = await open();
    let deliveries = 0;
    for (; more && deliveries < DELIVERIES; at++) {
      more = await crashOnce(made, at, crashes, deliveries++);
      const open = await unfinished(made.world, deliveries);
      if (open !== undefined) {
        t.fail(`after a crash ${crashes.moment} call ${at}: ${open}`);
        more = false;
      }
    }
    await check(t, made.world, deliveries);
    await made.checkMore?.(t);
    await made.close();
  }
  t.ok(at > 15, `each of ${at - 2} calls has been the last once`);
}

/** Returns false when the process ended on its own before call `at`. */
async function crashOnce(
  made: CrashWorld,
  at: number,
  { moment, seed }: CrashRun,
  deliveries: number,
): Promise<boolean> {
  await made.prepare?.(deliveries);
  await deliver(made.world, deliveries);
  const first = new CrashPoint(at, moment);
  await run(made, first);
  if (!first.reached) return false;
  const second = new CrashPoint(1 + new SeededRandom(seed + at).below(2 * at), moment);
  await run(made, second);
  if (second.reached) await run(made, new CrashPoint(Infinity));
  return true;
}

async function deliver({ deliver, clock }: World, delivery: number): Promise<void> {
  const part = { from: 2 * delivery, count: 2, acceptedAt: clock.now() };
  await deliver({ file: fileId(1), ...part }, { file: fileId(2), ...part });
}

/** Runs a process from its start until it has nothing more to do, or crashes. */
async function run({ world, ledger: { open } }: CrashWorld, point: CrashPoint): Promise<void> {
  const { clock } = world;
  const { ledger, mine } = open(point);
  const turns: (() => Promise<void>)[] = [];
  const service = createAnchoring({
    ...point.cut({ store: world.store, eventLog: world.eventLog }),
    ...{ ledger, clock, log: silentLog(), logKey: LOG_KEY, anchoringKey: ANCHORING_KEY },
    ...{ origin: 'test.example/log', random: new SeededRandom(7), categoryIntervalSeconds: INTERVALS },
    timers: {
      every: (_, turn) => {
        turns.push(turn);
        return NEVER.every();
      },
    },
  });
  const turn = async () => {
    for (const step of turns) await step();
  };
  try {
    await service.start();
    for (let round = 0; round < ROUNDS; round++) {
      clock.advance(STEP_MS);
      await turn();
      if (!(await hasWork(world))) return;
      for (let block = 0; block < DEV_BLOCK_DEPTH; block++) await mine();
      clock.advance(STEP_MS);
      await turn();
    }
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
}

async function hasWork(world: World): Promise<boolean> {
  const [cuts, open] = [await world.cuts(), await firstOpen(world)];
  return open !== undefined || cuts.length > (await world.transactions()).length;
}

/**
 * Returns the first transaction that is not deep in blocks, not published, or has a consolidation whose output is not
 * kept.
 */
async function firstOpen(world: World): Promise<TransactionDocument | undefined> {
  const kept = new Set(
    (await world.store.find(OWN_COLLECTIONS.funds.name, { limit: 2_000 })).map(({ id }) => id),
  );
  return (await world.transactions()).find(
    ({ unpublished, consolidation, record: { transaction } }) =>
      unpublished !== undefined ||
      transaction?.status !== 'MINED' ||
      transaction.confirmations < DEV_BLOCK_DEPTH ||
      (consolidation !== undefined && !kept.has(`${consolidation.txid}:0`)),
  );
}

/** Describes the unfinished work; undefined when all is done. */
async function unfinished(world: World, deliveries: number): Promise<string | undefined> {
  const [cuts, sent] = [await world.cuts(), await world.transactions()];
  const leaves = cuts.reduce((sum, { cut }) => sum + cut.leafCount, 0);
  if (leaves !== 4 * deliveries) return `${leaves} leaves are cut`;
  if (sent.length !== cuts.length) return `${cuts.length} cuts have ${sent.length} transactions`;
  const open = await firstOpen(world);
  return open && `batch ${open.batch} is ${open.record.transaction?.status}`;
}

/** Checks everything that must hold at the end. */
async function check(t: Test, world: World, deliveries: number): Promise<void> {
  await checkLeaves(t, world, deliveries);
  await checkSeals(t, world);
  await checkFunds(t, world);
  await checkPublished(t, world);
}

async function checkLeaves(t: Test, world: World, deliveries: number): Promise<void> {
  const leaves = await leavesOfCuts(world);
  const numbers = Array.from({ length: 2 * deliveries }, (_, n) => n);
  const wanted = [1, 2].flatMap((file) => numbers.map((n) => `${fileId(file)}/${n}`));
  t.same(leaves.flat().toSorted(), wanted.toSorted(), 'each leaf is in one batch');
  const cuts = await world.cuts();
  t.same(
    leaves.map((batch) =>
      toHex(
        merkleRoot(
          batch
            .map(leafOf)
            .toSorted(byKey)
            .map(({ hash }) => hash),
        ),
      ),
    ),
    cuts.map(({ cut }) => cut.leafRoot),
    'whose root is over these leaves',
  );
  t.same(
    cuts.map(({ cut, unpublished }) => [cut.batch, unpublished]),
    cuts.map((_, batch) => [batch, undefined]),
    'no number is left out',
  );
}

function leafOf(name: string): { readonly order: string; readonly hash: Uint8Array } {
  const [file = '', number] = name.split('/');
  const key = mapKey(LOG_KEY.logId, 'FILE', file);
  const n = Number(number);
  return {
    order: `${toHex(key)}${String(n).padStart(9, '0')}`,
    hash: leafHash(leafData(key, n, linkHash(file, n))),
  };
}

const byKey = (a: { readonly order: string }, b: { readonly order: string }): number =>
  a.order < b.order ? -1 : 1;

async function checkSeals(t: Test, world: World): Promise<void> {
  const sent = await world.transactions();
  const raw = sent.map(({ rawTx }) => readRaw(rawTx));
  t.same(
    raw.slice(1).map(({ inputs }) => `${inputs[0]!.txid}:${inputs[0]!.index}`),
    raw.slice(0, -1).map(({ txid }) => `${txid}:1`),
    'each spends the seal of the one before',
  );
  const cuts = await world.cuts();
  t.ok(
    raw.every(({ outputs }, n) => outputs[0]!.script.toString('hex').includes(cuts[n]!.cut.headerHash)),
    'and names the batch of its number',
  );
  const statuses = await Promise.all(raw.map(({ txid }) => world.ledger.status(txid)));
  t.ok(
    statuses.every((answer) => answer?.status === 'MINED'),
    'the ledger has all in blocks',
  );
  const { store, eventLog, ledger } = world;
  const random = new SeededRandom(1);
  const comparison = new StartComparison({
    ...{ store, eventLog, ledger, random, logId: LOG_KEY.logId, yieldTurn: () => Promise.resolve() },
  });
  t.equal(await comparison.stored(), undefined, 'signatures hold');
}

async function checkFunds(t: Test, world: World): Promise<void> {
  const { doubleSpent, paidIn, paidOut, unspent } = await accountsOf(world.store, KEY_HASH);
  t.same(doubleSpent, [], 'nothing is spent twice');
  const sent = await world.transactions();
  const fees = sent.reduce((sum, { fee, consolidation }) => sum + fee + (consolidation?.fee ?? 0), 0);
  t.equal(paidOut, fees, 'nothing is paid but the fees');
  const left = [...unspent.values()].reduce((sum, satoshis) => sum + satoshis, 0);
  t.equal(left, paidIn - paidOut, 'the rest is there');
  const newest = sent.at(-1)!;
  t.equal(unspent.get(`${newest.record.transaction!.txid}:1`), newest.funds, 'the newest seal is unspent');
  if (newest.network === 'dev') return;
  const state = await fundsState(
    world.store,
    { network: newest.network, publicKeyHash: KEY_HASH },
    world.clock.now(),
  );
  t.equal(state.satoshis, left, 'and `sentinel funds` counts all of it');
}

async function checkPublished(t: Test, world: World): Promise<void> {
  const records = (await world.transactions()).map(({ record }) => record);
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
  t.ok(
    [...bytesByRevision(published).values()].every(({ size }) => size === 1),
    'the same rev, the same bytes',
  );
}

function bytesByRevision(published: readonly AnchorRecord[]): Map<string, Set<string>> {
  const bytes = new Map<string, Set<string>>();
  for (const record of published) {
    const key = `${record.batch}/${record.rev}`;
    bytes.set(key, (bytes.get(key) ?? new Set()).add(JSON.stringify(record)));
  }
  return bytes;
}
