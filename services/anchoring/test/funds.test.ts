/** Tests imported outputs and the payments with them. */
import { Beef, MerklePath, P2PKH, PrivateKey, Transaction } from '@bsv/sdk';
import { ConfigError, type BlockHeaders } from '@sentinel-node/platform';
import { createArcLedger } from '@sentinel-node/platform/ledger';
import { dropBlocks } from '@sentinel-node/test-kit/fakes';
import { ArcServer } from '@sentinel-node/test-kit/test-servers';
import t, { type Test } from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { OWN_COLLECTIONS } from '../src/collections.ts';
import { fundsState, importPayment, ledgerOf } from '../src/index.ts';
import { confirmedFunding } from '../src/funds/imported-outputs.ts';
import { anchoringKeyOf } from '../src/ledger/anchoring-key.ts';
import { addressOf, MAX_PAYMENT_BYTES } from '../src/ledger/read-payment.ts';
import { publicKeyHashOf } from '../src/transaction/sign-anchor.ts';
import { payment } from './payments.ts';
import { ANCHORING_KEY, fileId, NEVER, openWorld } from './support.ts';

const HASH = publicKeyHashOf(ANCHORING_KEY);
const PAYER = PrivateKey.fromHex('44'.repeat(32));
t.setTimeout(300_000);

async function opened(t: Test) {
  const world = await openWorld();
  const { ledger: dev, store, clock } = world;
  const arc = await ArcServer.start({ ledger: dev });
  const headers: BlockHeaders = {
    firstHeight: 0,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    height: () => dev.height(),
    header: (height) => dev.header(height),
  };
  const ledger = createArcLedger({
    ...{ network: 'test', endpoints: [{ url: arc.url, api: 'arc' }], headers, clock },
    funding: (hash) => confirmedFunding(store, { network: 'test', headers }, hash),
    onAlarm: () => undefined,
  });
  t.teardown(async () => {
    await arc.stop();
    await world.close();
  });
  const deps = { store, ledger, clock, publicKeyHash: HASH };
  const bring = (bytes: Uint8Array | readonly number[]) => importPayment(deps, Uint8Array.from(bytes));
  return {
    world,
    ledger,
    deps,
    bring,
    state: () => fundsState(store, { network: 'test', publicKeyHash: HASH }, clock.now()),
  };
}

type World = Awaited<ReturnType<typeof opened>>['world'];

/** Pays two outputs to the anchoring key and one to another, on the development ledger, without a block. */
async function pay({ ledger }: World, satoshis: number): Promise<Transaction> {
  const payer = PAYER.toPublicKey().toHash('hex') as string;
  const [coinbase] = await ledger.funding(payer);
  const tx = new Transaction();
  tx.addInput({
    sourceTransaction: Transaction.fromHex(coinbase!.rawTx),
    sourceOutputIndex: coinbase!.outputIndex,
    unlockingScriptTemplate: new P2PKH().unlock(PAYER),
  });
  const to = (hash: string) => new P2PKH().lock([...Buffer.from(hash, 'hex')]);
  tx.addOutput({ lockingScript: to(HASH), satoshis });
  tx.addOutput({ lockingScript: to(payer), satoshis });
  tx.addOutput({ lockingScript: to(HASH), satoshis: satoshis + 1 });
  await tx.sign();
  await ledger.submit(tx.toHexEF());
  return tx;
}

async function beefOf({ ledger }: World, tx: Transaction): Promise<number[]> {
  const { merklePath } = (await ledger.status(tx.id('hex')))!;
  tx.merklePath = MerklePath.fromHex(merklePath!);
  const beef = new Beef();
  beef.mergeTransaction(tx);
  return beef.toBinary();
}

t.test('BEEF with its proof is kept, once, and only what pays to the key', async (t) => {
  const { world, bring, ledger, state } = await opened(t);
  const tx = await pay(world, 5_000);
  await world.ledger.mine();
  const beef = await beefOf(world, tx);
  const ids = [`${tx.id('hex')}:0`, `${tx.id('hex')}:2`];
  t.match(await bring(beef), { fresh: ids });
  matchWhole(t, await bring(beef), { fresh: [], outputs: [{ satoshis: 5_000 }, { satoshis: 5_001 }] });
  t.same(
    (await ledger.funding(HASH)).map(({ outputIndex, satoshis }) => [outputIndex, satoshis]),
    [
      [0, 5_000],
      [2, 5_001],
    ],
  );
  t.same(await ledger.funding('11'.repeat(20)), [], 'of another key');
  t.match(await state(), { newest: null, satoshis: 10_001, days: null });
});

t.test('what is only recorded is no fund', async (t) => {
  const { world, bring, deps, state } = await opened(t);
  const tx = await pay(world, 5_000);
  await world.ledger.mine();
  await bring(await beefOf(world, tx));
  const [real] = await deps.store.find(OWN_COLLECTIONS.funds.name, { limit: 1 });
  const invented = { ...real!, satoshis: 1_000_000 };
  await deps.store.insertMissing(OWN_COLLECTIONS.funds.name, [
    { ...invented, id: `${real!.txid}:7`, outputIndex: 7 },
    { ...invented, id: `${real!.txid}:1`, outputIndex: 1, satoshis: 5_000 },
    { ...invented, id: `${'22'.repeat(32)}:0`, txid: '22'.repeat(32), satoshis: 5_000 },
    { ...invented, id: `${'33'.repeat(32)}:0`, rawTx: 'none' },
  ]);
  t.match(await state(), { satoshis: 10_001, imported: { length: 2 } });
  await deps.store.remove(OWN_COLLECTIONS.funds.name, [real!.id]);
  await deps.store.insertMissing(OWN_COLLECTIONS.funds.name, [invented]);
  t.match(await state(), { satoshis: 5_001 }, 'another amount than the transaction pays');
});

t.test('a raw transaction is kept when the ledger’s service shows its block', async (t) => {
  const { world, bring } = await opened(t);
  const tx = await pay(world, 700);
  t.match(await bring(tx.toBinary()), /nothing shows its block/);
  await world.ledger.mine();
  matchWhole(t, await bring(tx.toBinary()), { fresh: [`${tx.id('hex')}:0`, `${tx.id('hex')}:2`] });
});

t.test('what is not shown to be paid is refused, and nothing is kept', async (t) => {
  const { world, bring, state } = await opened(t);
  const tx = await pay(world, 700);
  await world.ledger.mine();
  const beef = await beefOf(world, tx);
  t.match(await bring([]), /neither BEEF nor/);
  t.type(await bring(beef.slice(0, -30)), 'string');
  t.match(await bring([...tx.toBinary(), 0]), /neither BEEF nor/);
  t.match(await bring(new Uint8Array(MAX_PAYMENT_BYTES + 1)), /neither BEEF nor/);
  const [coinbase] = await world.ledger.funding('55'.repeat(20));
  t.match(await bring(Buffer.from(coinbase!.rawTx, 'hex')), /no output to the anchoring key/);
  const [reward] = await world.ledger.funding(HASH);
  t.match(await bring(Buffer.from(reward!.rawTx, 'hex')), /reward of a block .* pay from it to the address/);
  const { merklePath } = (await world.ledger.status(tx.id('hex')))!;
  const wrong = async (change: (path: MerklePath) => void) => {
    const path = MerklePath.fromHex(merklePath!);
    change(path);
    const beef = new Beef();
    const changed = Transaction.fromBinary(tx.toBinary());
    changed.merklePath = path;
    beef.mergeTransaction(changed);
    return bring(beef.toBinary());
  };
  t.match(await wrong((path) => (path.blockHeight = 0)), /does not lead to the block at height 0/);
  t.match(await wrong((path) => (path.blockHeight = 900)), /headers do not reach its block/);
  t.type(await wrong((path) => (path.path[0]![0]!.hash = '11'.repeat(32))), 'string');
  t.same((await state()).imported, []);
});

t.test('anchors are paid with what was brought; what is spent is told', async (t) => {
  const { world, bring, ledger, state } = await opened(t);
  const { cutter, anchorer } = await world.anchoring({ ...world, ledger });
  const anchor = async (file: number) => {
    await world.deliver({ file: fileId(file), from: 0, count: 1, acceptedAt: world.clock.now() });
    world.clock.advance(61_000);
    await cutter.step();
    await anchorer.step();
  };
  await anchor(1);
  t.same(await world.transactions(), [], 'without funds nothing is signed');
  const tx = await pay(world, 5_000);
  await world.ledger.mine();
  await bring(await beefOf(world, tx));
  await anchor(2);
  await anchor(3);
  const sent = await world.transactions();
  t.same(
    sent.map(({ record }) => record.transaction?.status),
    ['SEEN_ON_NETWORK', 'SEEN_ON_NETWORK', 'SEEN_ON_NETWORK'],
  );
  t.same(sent[0]!.inputs, [`${tx.id('hex')}:2`], 'the largest');
  const { imported, satoshis, newest } = await state();
  t.equal(imported.find(({ id }) => id.endsWith(':2'))?.spentBy, 0);
  const free = imported.filter(({ spentBy }) => spentBy === null).reduce((sum, out) => sum + out.satoshis, 0);
  t.equal(satoshis, newest!.funds + free);
});

t.test('an output that a reorganisation takes away is no funding until its block is back', async (t) => {
  const { world, bring, ledger } = await opened(t);
  const tx = await pay(world, 5_000);
  await world.ledger.mine();
  await bring(await beefOf(world, tx));
  t.equal((await ledger.funding(HASH)).length, 2);
  await dropBlocks(world.store, 1);
  t.same(await ledger.funding(HASH), []);
  await world.ledger.mine();
  t.equal((await ledger.funding(HASH)).length, 2);
});

t.test('an output whose block was replaced does not count, and pays again with its new path', async (t) => {
  const { world, bring, deps, ledger, state } = await opened(t);
  const tx = await pay(world, 5_000);
  await world.ledger.mine();
  await bring(await beefOf(world, tx));
  await dropBlocks(world.store, 1);
  await payment(world, 600);
  world.clock.advance(600_000);
  await world.ledger.mine();
  t.same(await ledger.funding(HASH), [], 'the old path leads nowhere');
  const known = () =>
    fundsState(deps.store, { network: 'test', publicKeyHash: HASH, headers: ledger }, world.clock.now());
  matchWhole(t, await known(), { satoshis: 0, imported: [{ isOffChain: true }, { isOffChain: true }] });
  t.match(await state(), { satoshis: 10_001, isCompared: false }, 'without headers nobody can tell');
  const ids = [`${tx.id('hex')}:0`, `${tx.id('hex')}:2`];
  matchWhole(t, await bring(await beefOf(world, tx)), { fresh: [], moved: ids });
  matchWhole(t, await known(), {
    satoshis: 10_001,
    imported: [{ isOffChain: false }, { isOffChain: false }],
  });
  t.equal((await ledger.funding(HASH)).length, 2);
  matchWhole(t, await bring(await beefOf(world, tx)), { fresh: [], moved: [] });
});

t.test('the key: WIF or hex, and never in words', (t) => {
  const hex = '1c'.repeat(32);
  const key = PrivateKey.fromHex(hex);
  t.equal(anchoringKeyOf(hex), hex);
  t.equal(anchoringKeyOf(key.toWif()), hex);
  t.equal(anchoringKeyOf(key.toWif([0xef])), hex);
  const small = `${'00'.repeat(31)}05`;
  t.equal(anchoringKeyOf(PrivateKey.fromHex(small).toWif()), small, 'leading zeros stay');
  const wrong = ['ff'.repeat(32), '00'.repeat(32), `${key.toWif().slice(0, -1)}1`, key.toWif([0x11])];
  for (const bad of wrong) {
    try {
      t.fail(anchoringKeyOf(bad));
    } catch (error) {
      t.ok(error instanceof ConfigError && !error.message.includes(bad), 'its words do not show it');
    }
  }
  t.equal(addressOf(HASH, 'main')[0], '1');
  t.match(addressOf(HASH, 'test'), /^[mn]/);
  t.equal(addressOf(HASH, 'main'), PrivateKey.fromHex(ANCHORING_KEY).toAddress());
  t.end();
});

t.test('an ARC service without headers is refused', async (t) => {
  const world = await openWorld();
  t.teardown(() => world.close());
  const arc = {
    kind: 'arc' as const,
    endpoints: [{ url: 'https://arc.example', api: 'arc' as const, token: undefined }],
    ...{ callbackUrl: undefined, fundingKey: ANCHORING_KEY },
  };
  const ports = { ...world, timers: NEVER };
  const none = { headers: undefined };
  t.throws(() => ledgerOf({ ledger: arc, ...none }, ports), ConfigError);
  const headers: BlockHeaders = {
    firstHeight: 0,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    height: () => Promise.resolve(0),
    header: () => Promise.resolve(undefined),
  };
  t.equal(ledgerOf({ ledger: arc, ...none }, ports, { network: 'main', headers }).network, 'main');
  t.equal(ledgerOf({ ledger: { kind: 'dev' }, ...none }, ports).network, 'dev');
});
