import { MerklePath, Transaction } from '@bsv/sdk';
import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { changeOf, openDev, PUBLIC_KEY_HASH, spend, timers } from './ledger-harness.ts';
import { createDevLedger, DEV_BLOCK_DEPTH, DEV_LEDGER_COLLECTIONS } from '../src/ledger/index.ts';
import type { DocumentStore } from '../src/index.ts';

const doubleHash = (bytes: Buffer): Buffer =>
  createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest().reverse();

t.test('funding is made once, and is gone when it is spent', async (t) => {
  const { ledger } = await openDev(t);
  const first = await ledger.funding(PUBLIC_KEY_HASH);
  t.equal(first.length, 1);
  t.same(await ledger.funding(PUBLIC_KEY_HASH), first);
  const sent = await ledger.submit(await spend({ from: first }));
  t.equal(sent.status, 'SEEN_ON_NETWORK');
  t.same(await ledger.funding(PUBLIC_KEY_HASH), []);
  t.same(await ledger.status(sent.txid), sent);
  t.equal(await ledger.status('00'.repeat(32)), undefined);
});

t.test('sending again answers the present status', async (t) => {
  const { ledger } = await openDev(t);
  const tx = await spend({ from: await ledger.funding(PUBLIC_KEY_HASH) });
  const sent = await ledger.submit(tx);
  t.same(await ledger.submit(tx), sent);
  await ledger.mine();
  t.match(await ledger.submit(tx), { txid: sent.txid, status: 'MINED', blockHeight: 1 });
});

t.test('a block that is not in the form of one is named', async (t) => {
  const { ledger, store } = await openDev(t);
  const { txid } = await ledger.submit(await spend({ from: await ledger.funding(PUBLIC_KEY_HASH) }));
  await ledger.mine();
  const { blocks } = DEV_LEDGER_COLLECTIONS;
  const [block] = await store.find(blocks.name, { sort: { field: 'id', direction: 'desc' }, limit: 1 });
  const names = {
    code: 'LEDGER_UNAVAILABLE',
    message: /^the block 0000000001 of the development ledger is not in the form/,
  };
  for (const name of ['height', 'hash', 'header', 'time', 'coinbase', 'txids', 'lastFilled'] as const)
    for (const value of [null, {}, 'no', ['no']]) {
      await store.remove(blocks.name, [block!.id]);
      await store.insertUnique(blocks.name, { ...block!, [name]: value });
      const what = `${name} ${JSON.stringify(value)}`;
      await t.rejects(ledger.status(txid), names, what);
      await t.rejects(ledger.header(1), names, what);
      await t.rejects(ledger.height(), names, what);
    }
});

t.test('a transaction whose block is gone, or lists it no longer, is not known', async (t) => {
  const { ledger, store } = await openDev(t);
  const { txid } = await ledger.submit(await spend({ from: await ledger.funding(PUBLIC_KEY_HASH) }));
  await ledger.mine();
  t.match(await ledger.status(txid), { status: 'MINED' });
  const { blocks } = DEV_LEDGER_COLLECTIONS;
  const [block] = await store.find(blocks.name, { sort: { field: 'id', direction: 'desc' }, limit: 1 });
  await store.remove(blocks.name, [block!.id]);
  t.equal(await ledger.status(txid), undefined);
  await store.insertUnique(blocks.name, { ...block!, txids: block!.txids.slice(0, 1) });
  t.equal(await ledger.status(txid), undefined);
});

t.test('what a node refuses', async (t) => {
  const { ledger } = await openDev(t);
  const from = await ledger.funding(PUBLIC_KEY_HASH);
  const refused = async (extendedTx: string, detail: RegExp) =>
    t.match(await ledger.submit(extendedTx), { status: 'REJECTED', detail });
  const good = await spend({ from });
  await refused(`${good}00`, /not one whole transaction/);
  await refused(good.slice(0, -2), /transaction in Extended Format/);
  await refused('zz', /transaction in Extended Format/);
  await refused(await spend({ from, byStranger: true }), /does not unlock/);
  await refused(await spend({ from }, 50), /fee of \d+ satoshis, wanted are/);
  await refused(await spend({ from: [...from, ...from] }), /spends one output twice/);
  await refused(await spend({ from: [changeOf(good)] }), /there is no output/);
  const claims = Transaction.fromHexEF(good);
  claims.inputs[0]!.sourceTransaction!.outputs[0]!.satoshis! += 1;
  await refused(claims.toHexEF(), /another one than claimed/);
  const paysMore = Transaction.fromHexEF(good);
  paysMore.outputs[1]!.satoshis! += 1_000_000;
  await refused(Transaction.fromHexEF(paysMore.toHexEF()).toHexEF(), /pays \d+ satoshis out of/);
  const changed = Transaction.fromHexEF(good);
  changed.outputs[1]!.satoshis! -= 1;
  await refused(Transaction.fromHexEF(changed.toHexEF()).toHexEF(), /does not unlock/);
  t.equal((await ledger.submit(good)).status, 'SEEN_ON_NETWORK', 'none of it spent the output');
});

t.test('of many that spend one output, one is taken', async (t) => {
  const { ledger, store, clock } = await openDev(t);
  const second = createDevLedger({ store, clock, timers });
  const from = await ledger.funding(PUBLIC_KEY_HASH);
  const txs = await Promise.all(
    ['006a51', '006a52', '006a53', '006a54'].map((data) => spend({ from, data })),
  );
  const answers = await Promise.all(txs.map((tx, i) => (i % 2 === 0 ? ledger : second).submit(tx)));
  t.same(answers.map(({ status }) => status).toSorted(), [
    'REJECTED',
    'REJECTED',
    'REJECTED',
    'SEEN_ON_NETWORK',
  ]);
  t.ok(answers.every(({ status, detail }) => status !== 'REJECTED' || /double spend/.test(detail ?? '')));
});

t.test('a refused double spend holds no other output', async (t) => {
  const { ledger } = await openDev(t);
  const [own] = await ledger.funding(PUBLIC_KEY_HASH);
  const split = await spend({ from: [own!] });
  await ledger.submit(split);
  await ledger.mine();
  const both = await spend({ from: [changeOf(split), own!] });
  t.match(await ledger.submit(both), { status: 'REJECTED', detail: /double spend/ });
  t.equal((await ledger.submit(await spend({ from: [changeOf(split)] }))).status, 'SEEN_ON_NETWORK');
});

t.test(
  'blocks link, meet their target, hold parents before children, and prove each transaction',
  async (t) => {
    const { ledger, store, clock } = await openDev(t);
    let from = await ledger.funding(PUBLIC_KEY_HASH);
    const txids: string[] = [];
    for (const size of [1, 2, 4, 6]) {
      for (let i = 0; i < size; i++) {
        const tx = await spend({ from });
        txids.push((await ledger.submit(tx)).txid);
        from = [changeOf(tx)];
      }
      clock.advance(5_000);
      t.ok(await ledger.mine());
    }
    const blocks = await store.find(DEV_LEDGER_COLLECTIONS.blocks.name, { limit: 10 });
    t.same(
      blocks.flatMap((block) => (block['txids'] as string[]).slice(1)),
      txids,
    );
    let previous = '00'.repeat(32);
    for (const block of blocks) {
      const header = Buffer.from(String(block['header']), 'hex');
      t.equal(header.length, 80);
      t.equal(Buffer.from(header.subarray(4, 36)).reverse().toString('hex'), previous);
      previous = doubleHash(header).toString('hex');
      t.equal(previous, block['hash']);
      t.ok(Number.parseInt(previous.slice(0, 2), 16) <= 0x7f);
    }
    for (const txid of txids) await proves(t, txid, ledger, store);
  },
);

async function proves(
  t: Test,
  txid: string,
  ledger: Awaited<ReturnType<typeof openDev>>['ledger'],
  store: DocumentStore,
) {
  const answer = await ledger.status(txid);
  const blocks = await store.find(DEV_LEDGER_COLLECTIONS.blocks.name, { limit: 10 });
  const block = blocks.find(({ hash }) => hash === answer?.blockHash)!;
  const root = Buffer.from(String(block['header']), 'hex').subarray(36, 68).reverse().toString('hex');
  const path = MerklePath.fromHex(answer!.merklePath!);
  t.equal(path.blockHeight, answer?.blockHeight);
  t.equal(path.computeRoot(txid), root);
  const coinbase = path.path[0]!.find(({ offset }) => offset === 0);
  t.match(coinbase, { txid: true });
  t.equal(path.computeRoot(coinbase!.hash), root);
}

t.test('blocks follow until the last transaction is deep enough, then none', async (t) => {
  const { ledger } = await openDev(t);
  t.notOk(await ledger.mine(), 'an empty ledger rests');
  await ledger.submit(await spend({ from: await ledger.funding(PUBLIC_KEY_HASH) }));
  for (let depth = 1; depth <= DEV_BLOCK_DEPTH; depth++) t.ok(await ledger.mine());
  t.notOk(await ledger.mine());
  t.equal(await ledger.height(), DEV_BLOCK_DEPTH);
});

t.test('a block whose consequences were not written is settled at the start', async (t) => {
  const { ledger, store, clock } = await openDev(t);
  const { txid } = await ledger.submit(await spend({ from: await ledger.funding(PUBLIC_KEY_HASH) }));
  const cut = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      // Crashes after the block is stored, before its transactions are marked.
      if (name === 'bulkUpsert')
        return (_: string, documents: readonly unknown[]) =>
          documents.length > 0 ? Promise.reject(new Error('crash')) : Promise.resolve();
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
  const crashing = createDevLedger({ store: cut, clock, timers });
  await t.rejects(crashing.mine(), /crash/);
  t.match(await ledger.status(txid), { status: 'SEEN_ON_NETWORK' });
  const next = createDevLedger({ store, clock, timers });
  await next.start();
  t.match(await next.status(txid), { status: 'MINED', blockHeight: 1 });
});
