/** Tests what the audit of the batches finds, in this process: what no batch has, what is not anchored, what is gone. */
import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import {
  batchId,
  createAnchoring,
  OWN_COLLECTIONS,
  type CutDocument,
  type TransactionDocument,
} from '@sentinel-node/anchoring';
import {
  batchHeaderHash,
  decodeBatchHeader,
  encodeBatchHeader,
  fromHex,
  omit,
  partitionOf,
  toHex,
  TOPICS,
  utf8,
  type AnchorRecord,
  type BatchHeader,
  type Cut,
} from '@sentinel-node/contracts';
import {
  DEV_LEDGER_COLLECTIONS,
  EMBEDDED_TOPICS,
  LedgerUnavailableError,
  logKeyOf,
  NotDurableError,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  silentLog,
  type CollectionName,
  type EventLog,
  type Ledger,
  type LedgerAnswer,
  type LogRecord,
  type RecordBatch,
  type Stored,
} from '@sentinel-node/platform';
import { blockId, createDevLedger } from '@sentinel-node/platform/ledger';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { AnchorChecks, type KeptCheckpoint } from '../src/audit/check-anchors.ts';
import { checkBatches } from '../src/audit/check-batches.ts';
import { Findings } from '../src/audit/finding.ts';
import { isOverdue, unanchoredResult, unanchoredWords } from '../src/audit/unanchored.ts';
import { temporaryFolder } from './support/folder.ts';
import { FILE_MS } from './support/until.ts';

const { anchors, cuts, transactions } = OWN_COLLECTIONS;
const LOG_KEY = logKeyOf('a master secret of the tests of the audit');
const INTERVALS = { STANDARD: 3_600, ADVANCED: 600, MISSION_CRITICAL: 60 } as const;
const HOUR_MS = 3_600_000;
const NEVER = {
  every: () => ({ stop: () => Promise.resolve(), failed: new Promise<never>(() => undefined) }),
};

const fileId = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const FILE = fileId(1);

t.setTimeout(FILE_MS);

/** Opens stores, and anchoring on them that works when a test says so. */
async function openWorld(t: Test) {
  const folder = openDataFolder(temporaryFolder(t));
  const store = await openEmbeddedDocumentStore({ folder });
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  const clock = new ManualClock();
  const ledger = createDevLedger({ store, clock, timers: NEVER });
  let anchoring = await anchoringOn({ store, eventLog, clock, ledger });
  t.teardown(async () => {
    await anchoring.stop();
    await eventLog.close();
    await store.close();
    folder.release();
  });
  const numbers = new Map<string, number>();
  /** Appends the next entry of the file, accepted now. */
  const report = async (file = FILE): Promise<void> => {
    const [number, at] = [numbers.get(file) ?? 0, clock.now()];
    numbers.set(file, number + 1);
    const linkHash = createHash('sha256').update(`${file}/${number}`).digest('hex');
    const entries = [{ number, acceptedAt: at, linkHash }];
    const record = {
      v: 1,
      fileId: file,
      category: 'MISSION_CRITICAL',
      timestamp: at,
      rev: number + 1,
      entries,
    };
    const body = utf8(JSON.stringify(record));
    await eventLog.append(TOPICS.chain, [{ key: file, id: `${file}/${number}`, body }]);
  };
  const world = {
    ...{ store, eventLog, clock, ledger, report },
    /** Lets anchoring work after a minute. */
    turn: async (): Promise<void> => {
      clock.advance(61_000);
      await anchoring.turn();
    },
    restart: async (): Promise<void> => {
      await anchoring.stop();
      anchoring = await anchoringOn(world);
    },
    /** Makes `count` batches of one entry each, in blocks. */
    batches: async (count: number): Promise<void> => {
      for (let batch = 0; batch < count; batch++) {
        await report();
        await world.turn();
        await ledger.mine();
        await world.turn();
      }
    },
  };
  return world;
}
type World = Awaited<ReturnType<typeof openWorld>>;

async function anchoringOn(parts: Pick<World, 'clock' | 'eventLog' | 'ledger' | 'store'>) {
  const tasks: (() => Promise<void>)[] = [];
  const service = createAnchoring({
    ...parts,
    ...{ log: silentLog(), logKey: LOG_KEY, origin: 'test.example/log', anchoringKey: '11'.repeat(32) },
    categoryIntervalSeconds: INTERVALS,
    timers: {
      every: (_, task) => {
        tasks.push(task);
        return NEVER.every();
      },
    },
  });
  await service.start();
  return {
    turn: async () => {
      for (const task of tasks) await task();
    },
    stop: () => service.stop(),
  };
}

/** Appends a record to the log of anchors, as who can write it does. */
const append = ({ eventLog }: World, record: AnchorRecord, named: Partial<Omit<LogRecord, 'body'>> = {}) =>
  eventLog.append(TOPICS.anchors, [
    {
      ...{ key: String(record.cut.batch), id: `${record.cut.batch}/${record.rev}` },
      ...{ ...named, body: utf8(JSON.stringify(record)) },
    },
  ]);

async function recordsOf({ eventLog }: World): Promise<AnchorRecord[]> {
  const found: AnchorRecord[] = [];
  for await (const { records } of eventLog.read(TOPICS.anchors, 0, 0))
    found.push(...records.map(({ body }): AnchorRecord => JSON.parse(new TextDecoder().decode(body))));
  return found;
}

interface Wishes {
  readonly isLive?: boolean;
  readonly checkpoint?: KeptCheckpoint;
  /** Default: the development ledger. */
  readonly ledger?: Pick<
    Ledger,
    'closingDepth' | 'firstHeight' | 'forgets' | 'header' | 'height' | 'network' | 'status'
  >;
  /** Called when the comparison has begun, before the log is read. */
  readonly meanwhile?: () => Promise<void>;
}

/** Audits the batches as `sentinel audit` does. */
async function audit({ clock, eventLog, store, ...world }: World, wishes: Wishes = {}) {
  const { checkpoint, isLive = false, ledger = world.ledger, meanwhile } = wishes;
  const findings = new Findings();
  const { logId } = LOG_KEY;
  const patience = { isLive, writeLine: () => undefined };
  const began = clock.now();
  const anchors = await AnchorChecks.begin({ store, ledger, logId, checkpoint, findings, patience });
  await meanwhile?.();
  const { activity, count, waiting } = await checkBatches({
    ...{ eventLog, logId, findings, waiting: anchors.waiting },
    onBatch: anchors.take.bind(anchors),
    onRecorded: anchors.recorded.bind(anchors),
  });
  const { unanchored, unsettled } = await anchors.end(count);
  const waited = (since: number) => (isLive ? began - since : activity.after(since));
  const rules = { intervalSeconds: INTERVALS.STANDARD, waited, now: clock.now() };
  const result = unanchoredResult(waiting, unanchored, rules);
  return {
    findings: findings.reported.map(({ check, what }) => `${check}: ${what}`),
    contradiction: findings.contradiction?.batch,
    unsettled,
    isOverdue: isOverdue(result),
    words: unanchoredWords(result),
  };
}

/** Yields the same batches of records, with these bodies. */
async function* withBodies(
  batches: AsyncIterable<RecordBatch>,
  bodies: readonly AnchorRecord[],
): AsyncGenerator<RecordBatch> {
  let at = 0;
  for await (const batch of batches)
    yield {
      ...batch,
      records: batch.records.map((one) => ({ ...one, body: utf8(JSON.stringify(bodies[at++])) })),
    };
}

/** Checks the batches of a log whose records of anchors are replaced. @returns the findings */
async function auditOf({ eventLog }: World, anchors: readonly AnchorRecord[]): Promise<string[]> {
  const findings = new Findings();
  const replaced: Pick<EventLog, 'bounds' | 'read'> = {
    bounds: (topic) => eventLog.bounds(topic),
    read: (topic, ...place) => {
      const batches = eventLog.read(topic, ...place);
      return topic === TOPICS.anchors ? withBodies(batches, anchors) : batches;
    },
  };
  await checkBatches({
    ...{ eventLog: replaced, logId: LOG_KEY.logId, findings },
    onBatch: () => Promise.resolve(),
    onRecorded: () => Promise.resolve(),
  });
  return findings.reported.map(({ check, what }) => `${check}: ${what}`);
}

async function newestOf<T extends Stored & { readonly rev: number }>(
  { store }: World,
  collection: CollectionName<T>,
): Promise<T> {
  const [newest] = await store.find(collection, { sort: { field: 'id', direction: 'desc' }, limit: 1 });
  return newest!;
}

/** Changes the newest document, as somebody with a database tool could. */
async function change<T extends Stored & { readonly rev: number }>(
  world: World,
  collection: CollectionName<T>,
  changed: (newest: T) => Partial<T>,
): Promise<void> {
  const newest = await newestOf(world, collection);
  await world.store.bulkUpsert(collection, [{ ...newest, ...changed(newest), rev: newest.rev + 1 }]);
}

/** Has anchoring make a cut that the log does not take. @returns it */
async function unpublishedCut(world: World): Promise<CutDocument> {
  const { eventLog } = world;
  const append = eventLog.append.bind(eventLog);
  await world.report();
  eventLog.append = (topic, records) =>
    topic === TOPICS.anchors ? Promise.reject(new NotDurableError('no room')) : append(topic, records);
  await world.turn().catch(() => undefined);
  eventLog.append = append;
  const cut = await newestOf(world, cuts.name);
  if (cut.unpublished !== 1) throw new Error('it was published');
  return cut;
}

/** Another file of the same partition. */
async function neighbour({ eventLog }: World): Promise<string> {
  const partitions = (await eventLog.bounds(TOPICS.chain)).length;
  const wanted = partitionOf(FILE, partitions);
  for (let n = 2; ; n++) if (partitionOf(fileId(n), partitions) === wanted) return fileId(n);
}

t.test('of a log that is anchored nothing is found', async (t) => {
  const world = await openWorld(t);
  await world.batches(3);
  for (const isLive of [true, false]) {
    const { findings, isOverdue: late, unsettled, words } = await audit(world, { isLive });
    t.same([findings, late, words], [[], false, []]);
    t.equal(unsettled, 3, 'no block is deep enough yet');
  }
});

t.test('a place to go on from that was moved forward is found, before and after it was used', async (t) => {
  const world = await openWorld(t);
  await world.batches(2);
  await world.report();
  await change(world, cuts.name, ({ next }) => ({
    next: next.map(({ partition, offset }) => ({ partition, offset: offset + 1 })),
  }));
  const moved = 'anchors: batch 1: next of its stored cut differ from what the log gives';
  t.same((await audit(world)).findings, [moved]);
  // The file falls quiet; an entry of another one makes the next batch.
  await world.report(await neighbour(world));
  await world.restart();
  await world.turn();
  const { findings } = await audit(world);
  t.match(findings.length, 2);
  t.equal(findings[0], moved);
  t.match(
    findings[1],
    /^batches: batch 2: its records of partition \d+ begin at offset 3 where 2 is the next$/,
  );
});

t.test('an entry that was left out is found when the file has a later one', async (t) => {
  const world = await openWorld(t);
  await world.batches(1);
  await world.report();
  await change(world, cuts.name, ({ next }) => ({
    next: next.map(({ partition, offset }) => ({ partition, offset: offset + 1 })),
  }));
  await change(world, OWN_COLLECTIONS.heads.name, ({ number }) => ({ number: number + 1 }));
  await world.report();
  await world.restart();
  await world.turn();
  const { findings } = await audit(world);
  t.ok(
    findings.includes(`batches: batch 1: entry 2 of ${FILE} comes where 1 is the next`),
    findings.join('\n'),
  );
});

t.test('a state of the log that the log does not give is found', async (t) => {
  const world = await openWorld(t);
  await world.batches(2);
  await change(world, cuts.name, ({ log }) => ({ log: { ...log, totalLeaves: 7 } }));
  t.same((await audit(world)).findings, [
    'anchors: batch 1: log of its stored cut differ from what the log gives',
  ]);
});

t.test('what waits is counted, and is overdue after the longest interval only', async (t) => {
  const world = await openWorld(t);
  await world.batches(1);
  const since = new Date(world.clock.now()).toISOString();
  await world.report();
  await world.report();
  const waits = [`2 entries are in no batch yet, the first since ${since}`];
  const late = [`${waits[0]}: too long, anchoring does not get on`];
  matchWhole(t, await audit(world), { findings: [], isOverdue: false, words: waits });
  matchWhole(t, await audit(world, { isLive: true }), { findings: [], isOverdue: false, words: waits });
  world.clock.advance(HOUR_MS + 1);
  t.match(
    await audit(world, { isLive: true }),
    { isOverdue: true, words: late },
    'a running system had time',
  );
  matchWhole(
    t,
    await audit(world),
    { isOverdue: false, words: waits },
    'a stopped one may have been stopped',
  );
  for (let n = 0; n < 7; n++) {
    await world.report(await neighbour(world));
    world.clock.advance(600_000);
  }
  const { isOverdue: isLate, words } = await audit(world);
  t.ok(isLate, 'the log shows that it was at work');
  matchList(t, words, [/^9 entries are in no batch yet, .*: too long/]);
});

t.test('a running system cuts while it is audited', async (t) => {
  const world = await openWorld(t);
  await world.batches(1);
  await world.report();
  world.clock.advance(2 * HOUR_MS);
  const { findings, words } = await audit(world, { isLive: true, meanwhile: () => world.batches(1) });
  t.same([findings, words], [[], []]);
});

t.test('batches without a transaction are counted, and overdue after the longest interval', async (t) => {
  const world = await openWorld(t);
  await world.batches(1);
  world.ledger.submit = () => Promise.reject(new LedgerUnavailableError('the ledger is away'));
  for (let batch = 1; batch <= 2; batch++) {
    await world.report();
    await world.turn();
  }
  const { closedAt } = (await world.store.get(cuts.name, batchId(1)))!.cut;
  const waits = `2 batches have no transaction on the network yet, the first since ${new Date(closedAt).toISOString()}`;
  matchWhole(t, await audit(world, { isLive: true }), { findings: [], isOverdue: false, words: [waits] });
  world.clock.advance(HOUR_MS + 1);
  const late = await audit(world, { isLive: true });
  matchWhole(t, late, {
    findings: [],
    isOverdue: true,
    words: [`${waits}: too long, anchoring does not get on`],
  });
});

/** Returns the change of a transaction that is on its way. */
const sentOnly =
  (status: string) =>
  ({ record }: TransactionDocument): Partial<TransactionDocument> => ({
    record: {
      ...record,
      transaction: {
        ...{ ...record.transaction!, status },
        ...{ blockHash: null, blockHeight: null, merklePath: null, confirmations: 0 },
      },
    },
  });

t.test('a refused transaction is told at once, until it is sent again', async (t) => {
  for (const status of ['REJECTED', 'DOUBLE_SPEND_ATTEMPTED']) {
    const world = await openWorld(t);
    await world.batches(2);
    await change(world, transactions.name, sentOnly(status));
    for (const isLive of [true, false]) {
      const { isOverdue: late, words } = await audit(world, { isLive });
      t.ok(late, status);
      matchList(t, words, [
        /^1 batch has a transaction that the ledger refuses, the first since 2\S+: .*anchors resume$/,
      ]);
    }
    await change(world, transactions.name, () => ({ resume: 1 as const }));
    matchWhole(t, await audit(world), {
      isOverdue: false,
      words: [/^1 batch has no transaction on the network yet, the first since /],
    });
  }
});

t.test('a transaction may wait for a block for three hours', async (t) => {
  const world = await openWorld(t);
  await world.report();
  await world.turn();
  const waits = /^1 transaction is in no block yet, the first since 2\S+$/;
  world.clock.advance(2 * HOUR_MS);
  matchWhole(t, await audit(world, { isLive: true }), {
    findings: [],
    isOverdue: false,
    unsettled: 0,
    words: [waits],
  });
  world.clock.advance(HOUR_MS + 1);
  matchWhole(t, await audit(world, { isLive: true }), { isOverdue: true, words: [/: too long/] });
});

for (const forgets of [true, false])
  t.test(`the blocks say what is deep, not the store, on a ledger that forgets: ${forgets}`, async (t) => {
    const world = await openWorld(t);
    await world.batches(3);
    let says: LedgerAnswer['status'] | 'UNKNOWN' | undefined;
    const { ledger: dev } = world;
    const ledger: NonNullable<Wishes['ledger']> = {
      ...{ forgets, closingDepth: 5, firstHeight: 0, network: dev.network },
      height: () => dev.height(),
      header: (height) => dev.header(height),
      status: async (txid) =>
        says === 'UNKNOWN' ? undefined : says === undefined ? dev.status(txid) : { txid, status: says },
    };
    const mine = async (blocks: number) => {
      for (let block = 0; block < blocks; block++) await dev.mine();
    };
    matchWhole(t, await audit(world, { ledger }), { findings: [], unsettled: 3, words: [] });
    const newest = await newestOf(world, transactions.name);
    /** Changes the state in the store, in what it shows, and on the log. */
    const moved = async (changed: { blockHash?: string; blockHeight?: number; merklePath?: string }) => {
      const transaction = { ...newest.record.transaction!, ...changed };
      const record = { ...newest.record, transaction };
      await change(world, transactions.name, () => ({ record }));
      const shown = (await world.store.get(OWN_COLLECTIONS.anchors.name, newest.id))!;
      await world.store.update(OWN_COLLECTIONS.anchors.name, { ...shown, transaction }, shown.rev);
      await append(world, record);
    };
    for (const changed of [
      { blockHash: '11'.repeat(32) },
      { merklePath: '00' },
      { blockHeight: 1_000_000 },
    ]) {
      await moved(changed);
      matchWhole(t, await audit(world, { ledger }), {
        ...{ findings: [], unsettled: 3, isOverdue: false },
        words: [/^1 transaction is in no block yet/],
      });
      world.clock.advance(3 * HOUR_MS + 1);
      t.ok((await audit(world, { ledger, isLive: true })).isOverdue, 'a record alone is no block');
      world.clock.advance(-3 * HOUR_MS - 1);
    }
    await moved({});
    await mine(20);
    matchWhole(t, await audit(world, { ledger }), { findings: [], unsettled: 0, words: [] });
    await moved({ merklePath: '00' });
    const shown = await audit(world, { ledger });
    matchWhole(t, shown, { findings: [], unsettled: 1, words: [] }, 'the ledger shows it in another block');
    for (const said of ['UNKNOWN', 'SEEN_ON_NETWORK', 'REJECTED'] as const) {
      says = said;
      const found = await audit(world, { ledger });
      t.match(found.findings.at(-1), /^anchors: batch 2: its Merkle path does not lead to its block/, said);
      t.equal(found.contradiction, 2);
    }
  });

t.test('batches in blocks before the first header cannot be compared', async (t) => {
  const world = await openWorld(t);
  await world.batches(2);
  const { ledger: dev } = world;
  const [first, second] = await world.store.find(transactions.name, { limit: 2 });
  const firstHeight = second!.record.transaction!.blockHeight!;
  const ledger: NonNullable<Wishes['ledger']> = {
    ...{ forgets: true, closingDepth: 5, firstHeight, network: dev.network },
    height: () => dev.height(),
    header: async (height) => (height < firstHeight ? undefined : dev.header(height)),
    status: () => Promise.resolve(undefined),
  };
  const { blockHeight } = first!.record.transaction!;
  const message = new RegExp(
    `^anchors: . batch.* headers begin at block ${firstHeight}, .* in block ${blockHeight}`,
  );
  matchList(t, (await audit(world, { ledger })).findings, [message], 'open');
  const closed = { ...omit(first!, 'open'), rev: first!.rev + 1 };
  await world.store.bulkUpsert(transactions.name, [closed]);
  matchList(t, (await audit(world, { ledger })).findings, [message], 'closed');
  const moved = { ...closed, rev: closed.rev + 1, record: { ...closed.record } };
  Object.assign(moved.record, { transaction: { ...closed.record.transaction, blockHeight: 0 } });
  await world.store.bulkUpsert(transactions.name, [moved]);
  t.equal(
    (await audit(world, { ledger })).contradiction,
    first!.batch,
    'a changed height is no block before the headers',
  );
});

t.test('a batch without a transaction before others is told once', async (t) => {
  const world = await openWorld(t);
  await world.batches(4);
  await world.store.remove(transactions.name, [batchId(0)]);
  for (const isLive of [false, true]) {
    const { contradiction, findings } = await audit(world, { isLive });
    t.equal(contradiction, 0);
    const told = findings.filter((what) => what.includes('a later batch has one'));
    t.strictSame(told, ['anchors: batch 0: it has no transaction, and a later batch has one']);
  }
});

t.test(
  'a stored document of a batch that has another form is told, and the others are compared',
  async (t) => {
    const recorded = (change: object) => {
      return ({ record }: TransactionDocument) => {
        return { record: { ...record, transaction: { ...record.transaction, ...change } } };
      };
    };
    type Change = Record<string, unknown> | ((stored: TransactionDocument) => Record<string, unknown>);
    const cases: readonly [string, Change][] = [
      [cuts.name, { next: undefined }],
      [cuts.name, { next: 5 }],
      [cuts.name, { cut: undefined }],
      [
        transactions.name,
        { rawTx: undefined, extendedTx: undefined, batch: undefined, record: undefined, network: undefined },
      ],
      [transactions.name, { record: undefined }],
      [transactions.name, { replaced: [{ rawTx: 5 }] }],
      [transactions.name, recorded({ blockHeight: {} })],
      [transactions.name, recorded({ merklePath: 5 })],
      [transactions.name, recorded({ merklePath: 'zz' })],
    ];
    for (const [collection, change] of cases) {
      const world = await openWorld(t);
      await world.batches(4);
      const [stored] = await world.store.getMany<{ id: string; rev: number }>(collection, [batchId(1)]);
      const changed = typeof change === 'function' ? change(stored as TransactionDocument) : change;
      await world.store.bulkUpsert(collection, [{ ...stored!, ...changed, rev: stored!.rev + 1 }]);
      const { contradiction, findings } = await audit(world);
      const what = `${collection} ${JSON.stringify(Object.entries(changed))}`;
      t.equal(contradiction, 1, what);
      t.match(findings.join('\n'), /^anchors: batch 1: what the store has of it is not in the form/m, what);
      t.notMatch(findings.join('\n'), /batch [023]: what the store has/, what);
    }
  },
);

t.test(
  'a block of the development ledger in another form is named, and the others are compared',
  async (t) => {
    const world = await openWorld(t);
    await world.batches(3);
    const { blocks } = DEV_LEDGER_COLLECTIONS;
    const { record } = (await world.store.get(transactions.name, batchId(1)))!;
    const id = blockId(record.transaction!.blockHeight!);
    const block = (await world.store.get(blocks.name, id))!;
    for (const txids of [undefined, 5, [7]] as unknown as (readonly string[])[]) {
      await world.store.remove(blocks.name, [id]);
      await world.store.insertUnique(blocks.name, { ...block, txids });
      matchList(t, (await audit(world)).findings, [
        new RegExp(
          `^anchors: 1 batches could not be compared with the ledger, the first 1: the block ${id} of `,
        ),
      ]);
    }
  },
);

t.test('a document of anchoring that is of no batch is found, whatever its id', async (t) => {
  const world = await openWorld(t);
  await world.batches(2);
  const said = /^anchors: (anchors|cuts|anchor_transactions) \S+: it is of no batch of the log$/;
  for (const name of ['anchors', 'cuts', 'anchor_transactions'])
    for (const forged of [
      'forged',
      '!',
      `${batchId(1)}x`,
      '1',
      '00000000000000001',
      batchId(NaN),
      batchId(1.5),
      batchId(7),
    ]) {
      // Of a cut in the place of the newest, the log itself is told.
      if (name === cuts.name && forged === batchId(7)) continue;
      const stored = await world.store.get(name, batchId(1));
      await world.store.insertUnique(name, { ...stored!, id: forged });
      for (const isLive of [false, true]) {
        const { findings } = await audit(world, { isLive });
        t.ok(
          findings.some((one) => said.test(one) && one.includes(`${name} ${forged}:`)),
          `${name} ${forged}: ${findings.join('; ')}`,
        );
      }
      await world.store.remove(name, [forged]);
    }
  t.same((await audit(world)).findings, []);
});

t.test('a document of another form beside those of the batches hides no other fault', async (t) => {
  const world = await openWorld(t);
  await world.batches(2);
  const cut = await newestOf(world, cuts.name);
  const lost = { ...cut, id: batchId(40), cut: { ...cut.cut, batch: 40 } };
  await world.store.insertUnique(cuts.name, lost);
  await world.store.insertUnique(cuts.name, { ...cut, id: 'forged' });
  const { contradiction, findings } = await audit(world);
  t.equal(contradiction, 40);
  matchList(t, findings, [
    /^anchors: cuts forged: it is of no batch of the log$/,
    /^anchors: batch 40: the store has a published cut of it that the log has not$/,
  ]);
});

t.test('what anchoring writes of a batch before the log has it is no difference', async (t) => {
  const world = await openWorld(t);
  await world.batches(2);
  const cut = await unpublishedCut(world);
  t.ok(await world.store.get(anchors.name, cut.id), 'its shown record is there');
  for (const isLive of [false, true]) t.same((await audit(world, { isLive })).findings, []);
});

t.test('a later record on the log that anchoring did not write is found', async (t) => {
  const forged: Readonly<Record<string, (record: AnchorRecord) => AnchorRecord>> = {
    confirmations: (record) => ({ ...record, transaction: { ...record.transaction!, confirmations: 500 } }),
    'the height of the block': (record) => ({
      ...record,
      transaction: { ...record.transaction!, blockHeight: 1_000 },
    }),
    evidence: (record) => ({ ...record, evidence: { ...record.evidence!, block: null } }),
    'no transaction': (record) => ({ ...record, transaction: null }),
  };
  const told = /^anchors: batch 0: its newest record on the log is not the one of the store$/;
  for (const [title, forge] of Object.entries(forged))
    for (const later of [0, 1]) {
      const world = await openWorld(t);
      await world.batches(2);
      const { record } = (await world.store.get(transactions.name, batchId(0)))!;
      await append(world, { ...forge(record), rev: record.rev + later });
      for (const isLive of [false, true])
        matchList(t, (await audit(world, { isLive })).findings, [told], `${title}, ${later}`);
    }
  const other = /^batches: batch 0: the record at 0\/\d+ has another cut$/;
  const world = await openWorld(t);
  await world.batches(2);
  const { record } = (await world.store.get(transactions.name, batchId(0)))!;
  await append(world, { ...record, cut: { ...record.cut, closedAt: 1 } });
  await append(world, record);
  matchList(t, (await audit(world)).findings, [other], 'the newest is right again');
  await append(world, { ...record, batch: 1 });
  await append(world, record);
  matchList(t, (await audit(world)).findings, [
    other,
    /^batches: batch 0: the record at 0\/\d+ is of batch 1$/,
  ]);
  const another = await openWorld(t);
  await another.batches(1);
  const newest = (await recordsOf(another)).at(-1)!;
  await append(another, newest, { id: `0/${newest.rev}/evidence` });
  t.same((await audit(another)).findings, [], 'it was published again with its evidence');
  await append(another, newest, { key: '1' });
  await append(another, newest, { id: '0/7' });
  matchList(t, (await audit(another)).findings, [
    new RegExp(
      `^batches: batch 0: the record at 0/\\d+ has the key or id of another, 1 and 0/${newest.rev}$`,
    ),
    /^batches: batch 0: the record at 0\/\d+ has the key or id of another, 0 and 0\/7$/,
  ]);
});

t.test('while a transaction waits to be published, the shown record is compared with it', async (t) => {
  const world = await openWorld(t);
  await world.batches(1);
  const document = (await world.store.get(transactions.name, batchId(0)))!;
  const record = { ...document.record, rev: document.record.rev + 1 };
  await world.store.bulkUpsert(transactions.name, [
    { ...document, rev: document.rev + 1, unpublished: 1, record },
  ]);
  await world.store.bulkUpsert(anchors.name, [{ id: batchId(0), ...record }]);
  t.same((await audit(world)).findings, [], 'it is shown before the log has it');
  await world.store.remove(anchors.name, [batchId(0)]);
  const transaction = { ...record.transaction!, blockHeight: 7 };
  await world.store.insertUnique(anchors.name, { id: batchId(0), ...record, transaction });
  matchList(t, (await audit(world)).findings, [
    'anchors: batch 0: its shown record differs from what the log has',
  ]);
});

t.test('a header that the log signed, and that does not fit its batch, is found', async (t) => {
  const forged: readonly [
    fault: RegExp,
    forge: (header: BatchHeader) => Partial<BatchHeader>,
    cut?: Partial<Cut>,
  ][] = [
    [/ its header is of another batch or log$/, () => ({ batch: 7 })],
    [/ its header is of another batch or log$/, () => ({ logId: new Uint8Array(32).fill(7) })],
    [/ its header names another time$/, ({ closedAt }) => ({ closedAt: closedAt + 1 })],
    [/ was closed earlier than the one before$/, () => ({ closedAt: 1 }), { closedAt: 1 }],
    [/ names a map, which no version builds$/, () => ({ mapSize: 1 })],
    [/ names a map, which no version builds$/, () => ({ mapRoot: new Uint8Array(32).fill(7) })],
    [/ does not follow the one before$/, () => ({ previousHash: new Uint8Array(32).fill(7) })],
  ];
  const world = await openWorld(t);
  await world.batches(3);
  const records = await recordsOf(world);
  const honest = records.findLast(({ batch }) => batch === 1)!;
  const header = decodeBatchHeader(fromHex(honest.cut.header))!;
  for (const [fault, forge, cut = {}] of forged) {
    const bytes = encodeBatchHeader({ ...header, ...forge(header) });
    const forgedCut = {
      ...honest.cut,
      ...cut,
      header: toHex(bytes),
      headerHash: toHex(batchHeaderHash(bytes)),
    };
    const log = records.map((record) => (record.batch === 1 ? { ...record, cut: forgedCut } : record));
    const found = await auditOf(world, log);
    t.ok(
      found.some((one) => one.startsWith('batches: batch 1: ') && fault.test(one)),
      `${String(fault)}: ${found.join('; ')}`,
    );
  }
  t.same(await auditOf(world, records), [], 'the same log without a change');
});

t.test('a header of the first batch that names one before it is found', async (t) => {
  const world = await openWorld(t);
  await world.batches(1);
  const records = await recordsOf(world);
  const { cut } = records[0]!;
  const bytes = encodeBatchHeader({
    ...decodeBatchHeader(fromHex(cut.header))!,
    previousHash: new Uint8Array(32).fill(7),
  });
  const forged = { ...cut, header: toHex(bytes), headerHash: toHex(batchHeaderHash(bytes)) };
  const found = await auditOf(
    world,
    records.map((record) => ({ ...record, cut: forged })),
  );
  t.ok(found.includes('batches: batch 0: does not follow the one before'), found.join('; '));
});

t.test('a transaction of another ledger than the configured one is found', async (t) => {
  const world = await openWorld(t);
  await world.batches(2);
  const [first] = await world.store.find(transactions.name, { limit: 1 });
  const { record } = first!;
  const evidence = {
    ...record.evidence!,
    transaction: { ...record.evidence!.transaction!, network: 'main' },
  };
  const changed = { ...first!, rev: first!.rev + 1, network: 'main', record: { ...record, evidence } };
  await world.store.bulkUpsert(transactions.name, [changed]);
  const { findings } = await audit(world);
  t.ok(
    findings.some((one) => /recorded for the ledger main, configured is dev$/.test(one)),
    findings.join('\n'),
  );
});

t.test('what is published is the cut itself, not its copy in the document of a transaction', async (t) => {
  const world = await openWorld(t);
  await world.batches(1);
  const [first] = await world.store.find(transactions.name, { limit: 1 });
  const { record } = first!;
  const copy = { ...record.cut, logRoot: '11'.repeat(32) };
  await world.store.bulkUpsert(transactions.name, [
    { ...first!, rev: first!.rev + 1, unpublished: 1, record: { ...record, rev: record.rev + 1, cut: copy } },
  ]);
  await world.turn();
  const records = await recordsOf(world);
  t.equal(records.at(-1)!.rev, record.rev + 1);
  t.same([...new Set(records.map(({ cut }) => cut.logRoot))], [record.cut.logRoot]);
  t.equal((await audit(world)).contradiction, 0, 'the copy is found');
});

t.test('a cut that is not published yet is compared as those that are', async (t) => {
  const world = await openWorld(t);
  await world.batches(2);
  const cut = await unpublishedCut(world);
  t.equal(cut.cut.batch, 2);
  const checkpoint = { size: 3, root: fromHex(cut.cut.logRoot) };
  for (const isLive of [false, true]) {
    matchWhole(t, await audit(world, { checkpoint, isLive }), { findings: [], contradiction: undefined });
    const beyond = { ...checkpoint, size: 9 };
    t.equal((await audit(world, { checkpoint: beyond, isLive })).contradiction, 3, 'of that batch only');
  }
  const forged: readonly [Partial<CutDocument>, RegExp][] = [
    [{ next: [] }, /^anchors: batch 2: next of its stored cut differ from what the log gives$/],
    [{ cut: { ...cut.cut, leafRoot: '11'.repeat(32) } }, /^batches: batch 2: its leaves give another root$/],
    [{ cut: { ...cut.cut, batch: 1 } }, /^anchors: cuts 0{15}2: it waits to be published, and has no cut/],
    [
      { cut: 5 as unknown as Cut },
      /^anchors: cuts 0{15}2: it waits to be published, and has no cut of its batch$/,
    ],
  ];
  for (const [change, said] of forged) {
    await world.store.bulkUpsert(cuts.name, [{ ...cut, ...change, rev: cut.rev + 1 }]);
    const { findings } = await audit(world);
    t.ok(
      findings.some((one) => said.test(one)),
      `${String(said)} in ${findings.join('; ')}`,
    );
    await world.store.remove(cuts.name, [cut.id]);
  }
});

t.test('a cut that is not published says nothing of the one before it', async (t) => {
  const world = await openWorld(t);
  await world.batches(3);
  const cut = await newestOf(world, cuts.name);
  const late = { ...cut, id: batchId(98), unpublished: 1 as const, cut: { ...cut.cut, batch: 98 } };
  await world.store.insertUnique(cuts.name, late);
  const { findings } = await audit(world, {
    checkpoint: { size: 99, root: fromHex(cut.cut.logRoot) },
  });
  t.ok(
    findings.includes('anchors: batch 97: the store has a published cut of it that the log has not'),
    findings.join('; '),
  );
});

t.test('a published cut that the log has not is found on a running system too', async (t) => {
  const world = await openWorld(t);
  await world.batches(2);
  const cut = await newestOf(world, cuts.name);
  const lost = { ...cut, id: batchId(40), cut: { ...cut.cut, batch: 40 } };
  await world.store.insertUnique(cuts.name, lost);
  matchList(t, (await audit(world, { isLive: true })).findings, [
    'anchors: batch 40: the store has a published cut of it that the log has not',
  ]);
  await world.store.remove(cuts.name, [lost.id]);
  const goesOn = await audit(world, { isLive: true, meanwhile: () => world.batches(2) });
  t.same(goesOn.findings, [], 'batches that are made meanwhile are no difference');
});
