/** Tests the comparison of the records with the signed transactions and the ledger at each start. */
import {
  batchHeaderHash,
  CompactRange,
  decodeBatchHeader,
  encodeBatchHeader,
  fromHex,
  leafHash,
  toHex,
  TOPICS,
  utf8,
} from '@sentinel-node/contracts';
import { LedgerUnavailableError, type Ledger } from '@sentinel-node/platform';
import t, { type Test } from 'tap';
import { OWN_COLLECTIONS, type CutDocument, type TransactionDocument } from '../src/collections.ts';
import { chosenBatches, COMPARED } from '../src/domain/chosen-batches.ts';
import { anchored, BATCHES, bound, deliverDue, put, started } from './anchored.ts';
import { fileId, type World } from './support.ts';

const { cuts, transactions } = OWN_COLLECTIONS;
t.setTimeout(300_000);

/** Checks that nothing is cut, anchored or signed, and that the gauge names the batch. */
async function refuses(t: Test, world: World, batch: number, ledger?: Ledger): Promise<void> {
  const { service, turn, get, gauge, end } = await started(world, ledger);
  t.same(service.notReady(), ['anchoring']);
  t.equal(await gauge(), String(batch));
  const [cutsBefore, sentBefore] = [await world.cuts(), await world.transactions()];
  await world.deliver({ file: fileId(77), from: 0, count: 1, acceptedAt: world.clock.now() });
  world.clock.advance(120_000);
  await turn();
  t.equal((await world.cuts()).length, cutsBefore.length, 'nothing is cut on top');
  t.equal((await world.transactions()).length, sentBefore.length, 'nothing is anchored on top');
  for (const path of ['/checkpoint', '/tile/0/000.p/1', '/tile/entries/000.p/1', '/batches/0/proof'])
    t.equal((await get(path)).statusCode, 503, path);
  await end();
}

/** Returns consistent cuts in which batch `from` has other leaves: headers, hashes and log follow from each other. */
function rewritten(documents: readonly CutDocument[], from: number): CutDocument[] {
  const range = new CompactRange();
  let previous: Uint8Array | undefined;
  return documents.map((document) => {
    const { cut, log } = document;
    const header = decodeBatchHeader(fromHex(cut.header))!;
    const leafRoot = cut.batch === from ? new Uint8Array(32).fill(7) : header.leafRoot;
    const bytes = encodeBatchHeader({ ...header, leafRoot, previousHash: previous ?? header.previousHash });
    previous = batchHeaderHash(bytes);
    range.append(leafHash(bytes));
    const headerHash = toHex(previous);
    const told = {
      header: toHex(bytes),
      headerHash,
      leafRoot: toHex(leafRoot),
      logRoot: toHex(range.root()),
    };
    return {
      ...document,
      cut: { ...cut, ...told },
      log: { ...log, headerHash, peaks: range.peaks.map(toHex) },
    };
  });
}

t.test('a log as it was anchored goes on', async (t) => {
  const world = await anchored(t);
  const { service, turn, gauge, end } = await started(world);
  t.same(service.notReady(), []);
  t.equal(await gauge(), '-1');
  await world.deliver({ file: fileId(77), from: 0, count: 1, acceptedAt: world.clock.now() });
  world.clock.advance(120_000);
  await turn();
  t.equal((await world.transactions()).length, BATCHES + 1);
  await end();
});

t.test('an old batch rewritten with all that follows, transactions left: the first is named', async (t) => {
  const world = await anchored(t);
  await put(world, cuts.name, rewritten(await world.cuts(), 2));
  await refuses(t, world, 2);
});

/** Ids that sort after those of all batches; the last two are numbers, written as `batchId` writes them. */
const STRAYS = ['forged', '0000000000000NaN', '00000000000001.5'];
for (const { name } of [cuts, transactions])
  for (const id of STRAYS)
    t.test(`a document ${id} after all others of ${name}: nothing goes on from it`, async (t) => {
      const world = await anchored(t);
      const [first] = name === cuts.name ? await world.cuts() : await world.transactions();
      await put(world, name, [{ ...first!, id }]);
      await refuses(t, world, BATCHES - 1);
      await world.store.remove(name, [id]);
      const { service, end } = await started(world);
      t.same(service.notReady(), [], 'when it is taken away, anchoring goes on');
      await end();
    });

/** Changes what is recorded of the transaction of batch 1. */
async function changeOne(world: World, change: (one: TransactionDocument) => object): Promise<void> {
  const one = (await world.transactions())[1]!;
  await put(world, transactions.name, [{ ...one, ...change(one) }]);
}

const changes: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'a cut that its header does not say': async (world) => {
    const cut = (await world.cuts())[1]!;
    await put(world, cuts.name, [{ ...cut, cut: { ...cut.cut, leafCount: 9 } }]);
  },
  'a cut whose log is another one': async (world) => {
    const cut = (await world.cuts())[1]!;
    await put(world, cuts.name, [{ ...cut, cut: { ...cut.cut, logRoot: '11'.repeat(32) } }]);
  },
  'a missing transaction': (world) => world.store.remove(transactions.name, [`${1}`.padStart(16, '0')]),
  'a missing cut': (world) => world.store.remove(cuts.name, [`${1}`.padStart(16, '0')]),
  'the transaction of another batch': async (world) => {
    const [, one, two] = await world.transactions();
    await put(world, transactions.name, [{ ...one!, rawTx: two!.rawTx, extendedTx: two!.extendedTx }]);
  },
  'a transaction that is none': async (world) => {
    const one = (await world.transactions())[1]!;
    await put(world, transactions.name, [{ ...one, rawTx: one.rawTx.slice(2) }]);
  },
  'a transaction whose signature was changed': async (world) => {
    const one = (await world.transactions())[1]!;
    // Changes the middle of the signature; in Extended Format a marker of six bytes precedes the inputs.
    const change = (hex: string, at: number) =>
      `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`;
    const changed = { rawTx: change(one.rawTx, 120), extendedTx: change(one.extendedTx, 132) };
    await put(world, transactions.name, [{ ...one, ...changed }]);
  },
  'a transaction that is recorded with another cut': (world) =>
    changeOne(world, ({ record }) => ({
      record: { ...record, cut: { ...record.cut, logRoot: '11'.repeat(32) } },
    })),
  'a transaction that is recorded for another batch': (world) =>
    changeOne(world, ({ record }) => ({ record: { ...record, batch: 2 } })),
  'a transaction with more funds than it leaves': (world) =>
    changeOne(world, ({ funds }) => ({ funds: funds + 1_000_000 })),
  'a transaction with another fee than it pays': (world) => changeOne(world, ({ fee }) => ({ fee: fee - 1 })),
  'a transaction with other inputs than it has': (world) =>
    changeOne(world, () => ({ inputs: [`${'22'.repeat(32)}:1`] })),
  'evidence of another network': (world) =>
    changeOne(world, ({ record }) => {
      const { raw } = record.evidence!.transaction!;
      return {
        record: { ...record, evidence: { ...record.evidence!, transaction: { network: 'main', raw } } },
      };
    }),
  'a Merkle path of another transaction': async (world) => {
    const [, one, two] = await world.transactions();
    const { merklePath } = two!.record.transaction!;
    const transaction = { ...one!.record.transaction!, merklePath };
    await put(world, transactions.name, [{ ...one!, record: { ...one!.record, transaction } }]);
  },
};
t.test('transactions that the log has and the store has lost', async (t) => {
  for (const lost of [[BATCHES - 1], Array.from({ length: BATCHES }, (_, batch) => batch)]) {
    const world = await anchored(t);
    const ids = lost.map((batch) => `${batch}`.padStart(16, '0'));
    await world.store.remove(transactions.name, ids);
    await refuses(t, world, lost[0]!);
  }
});
t.test('cuts without a transaction that the log has and the store has lost', async (t) => {
  const world = await anchored(t);
  const { cutter } = await world.anchoring();
  for (const file of [50, 51]) {
    await deliverDue(world, file);
    world.clock.advance(31_000);
    await cutter.step();
  }
  const made = (await world.cuts()).slice(BATCHES);
  t.equal(made.length, 2);
  const ids = made.map(({ id }) => id);
  const notes = made.map(({ cut }) => cut.logRoot);
  await world.store.remove(cuts.name, ids.slice(1));
  await refuses(t, world, BATCHES + 1);
  await world.store.remove(cuts.name, ids.slice(0, 1));
  await refuses(t, world, BATCHES);
  await put(world, cuts.name, made);
  const { service, turn, gauge, end } = await started(world);
  t.same(service.notReady(), [], 'it goes on once they are back');
  t.equal(await gauge(), '-1');
  world.clock.advance(120_000);
  await turn();
  t.same(
    (await world.cuts()).slice(BATCHES, BATCHES + 2).map(({ cut }) => cut.logRoot),
    notes,
    'no second checkpoint of one size',
  );
  t.ok((await world.transactions()).length > BATCHES);
  await end();
});

t.test('what is no record of a batch hides no lost one', async (t) => {
  const world = await anchored(t);
  await world.store.remove(transactions.name, [`${BATCHES - 1}`.padStart(16, '0')]);
  const bodies = [
    '{',
    '[]',
    'null',
    '{"batch":"x","transaction":{}}',
    '{"batch":-7,"transaction":null}',
    '{}',
  ];
  await world.eventLog.append(
    TOPICS.anchors,
    bodies.map((body, at) => ({ key: 'x', id: `x/${at}`, body: utf8(body) })),
  );
  await refuses(t, world, BATCHES - 1);
});

for (const [title, change] of Object.entries(changes))
  t.test(`${title} is a contradiction`, async (t) => {
    const world = await anchored(t);
    await change(world);
    // For a missing cut or transaction, the previous batch is complete and the batch itself is the first incomplete
    // one.
    await refuses(t, world, 1);
  });

const lies: Readonly<Record<string, (world: World, txid: string) => Partial<Ledger>>> = {
  'forgets a transaction': (world, txid) => ({
    status: async (id) => (id === txid ? undefined : world.ledger.status(id)),
  }),
  'takes a confirmed transaction back': (world, txid) => ({
    status: async (id) => (id === txid ? { txid, status: 'SEEN_ON_NETWORK' } : world.ledger.status(id)),
  }),
  'gives a foreign path': (world, txid) => ({
    status: async (id) => {
      const answer = (await world.ledger.status(id))!;
      return id === txid ? { ...answer, merklePath: answer.merklePath!.replace(/^../, 'ff') } : answer;
    },
  }),
  'has headers of another chain': (world) => ({
    header: async (height) => (await world.ledger.header(height))?.replace(/^../, '99'),
  }),
};
for (const [title, lie] of Object.entries(lies))
  t.test(`a ledger that ${title} is a contradiction`, async (t) => {
    const world = await anchored(t);
    const first = (await world.transactions())[0]!.record.transaction!.txid;
    await refuses(t, world, 0, { ...bound(world.ledger), ...lie(world, first) });
  });

t.test('of a ledger that forgets, the headers alone are compared', async (t) => {
  const world = await anchored(t);
  const status: Ledger['status'] = () => Promise.resolve(undefined);
  const forgetful = { ...bound(world.ledger), forgets: true, status };
  const { service, turn, end } = await started(world, forgetful);
  t.same(service.notReady(), []);
  await turn();
  await end();
  const header: Ledger['header'] = async (height) =>
    (await world.ledger.header(height))?.replace(/^../, '99');
  await refuses(t, world, 0, { ...forgetful, header });
});

t.test('headers that end before a batch’s block delay anchors until they are there', async (t) => {
  const world = await anchored(t);
  let tip = 0;
  const { service, turn, end } = await started(world, {
    ...bound(world.ledger),
    forgets: true,
    height: () => Promise.resolve(tip),
    header: async (height) => (height <= tip ? world.ledger.header(height) : undefined),
  });
  t.same(service.notReady(), [], 'cuts go on');
  await world.deliver({ file: fileId(77), from: 0, count: 1, acceptedAt: world.clock.now() });
  world.clock.advance(120_000);
  await turn();
  t.equal((await world.transactions()).length, BATCHES);
  tip = await world.ledger.height();
  await turn();
  t.equal((await world.transactions()).length, BATCHES + 1);
  await end();
});

t.test('headers that begin after a batch’s block delay anchors, and contradict nothing', async (t) => {
  const world = await anchored(t);
  let firstHeight = (await world.transactions())[1]!.record.transaction!.blockHeight!;
  const { service, metrics, turn, gauge, end } = await started(world, {
    ...bound(world.ledger),
    forgets: true,
    get firstHeight() {
      return firstHeight;
    },
    header: async (height) => (height < firstHeight ? undefined : world.ledger.header(height)),
  });
  t.same(service.notReady(), [], 'cuts go on');
  t.equal(await gauge(), '-1');
  await world.deliver({ file: fileId(77), from: 0, count: 1, acceptedAt: world.clock.now() });
  world.clock.advance(120_000);
  await turn();
  t.equal(await gauge(), '-1');
  t.equal((await world.transactions()).length, BATCHES);
  t.match(await metrics.text(), /anchoring_alarms_total\{reason="unavailable"[^}]*\} [1-9]/, 'not unseen');
  firstHeight = 0;
  await turn();
  t.equal((await world.transactions()).length, BATCHES + 1);
  await end();
});

t.test('a ledger that is away delays anchors until it was compared', async (t) => {
  const world = await anchored(t);
  let isAway = true;
  const status: Ledger['status'] = async (txid) => {
    if (isAway) throw new LedgerUnavailableError('away');
    return world.ledger.status(txid);
  };
  const { service, turn, end } = await started(world, { ...bound(world.ledger), status });
  t.same(service.notReady(), [], 'cuts go on');
  await world.deliver({ file: fileId(77), from: 0, count: 1, acceptedAt: world.clock.now() });
  world.clock.advance(120_000);
  await turn();
  t.equal((await world.cuts()).length, BATCHES + 1);
  t.equal((await world.transactions()).length, BATCHES);
  isAway = false;
  await turn();
  t.equal((await world.transactions()).length, BATCHES + 1);
  await end();
});

t.test('the newest hundred and a random hundred are chosen', async (t) => {
  let turn = 0;
  const chance = () => Uint8Array.of((turn * 37) % 256, (turn++ * 101) % 256, 1, 2, 3, 4);
  const chosen = chosenBatches(9_999, chance);
  t.equal(chosen.length, COMPARED.newest + 1 + COMPARED.random);
  t.equal(chosen[0], 0);
  t.same(
    chosen,
    [...new Set(chosen)].sort((a, b) => a - b),
  );
  t.same(
    chosen.slice(-COMPARED.newest),
    Array.from({ length: 100 }, (_, n) => 9_900 + n),
  );
  t.ok(chosen[0]! < 9_900 && chosen[99]! < 9_900);
  t.same(chosenBatches(0, chance), [0]);
  t.equal(chosenBatches(199, chance).length, 200);
});
