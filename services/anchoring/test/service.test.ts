import { createPublicKey, verify } from 'node:crypto';
import {
  fromHex,
  inclusionPath,
  leafData,
  leafHash,
  logRoot,
  mapKey,
  sortLeaves,
} from '@sentinel-node/contracts';
import {
  parseAnchorScript,
  toHex,
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
} from '@sentinel-node/contracts';
import { batchHeaderHash, decodeBatchHeader, type BatchHeader } from '@sentinel-node/contracts';
import { DEV_LEDGER_COLLECTIONS } from '@sentinel-node/platform/ledger';
import t from 'tap';
import { readRaw } from './raw-transaction.ts';
import { fileId, INTERVALS, linkHash, LOG_KEY, openWorld, serviceOn, type World } from './support.ts';

const ORIGIN = 'test.example/log';
const { logId, publicKey } = LOG_KEY;

/** Opens the service with timers that the test runs. */
async function openService(world: World) {
  const { service, metrics, turn, get, end } = await serviceOn(world, ORIGIN);
  t.same(service.notReady(), ['anchoring']);
  await service.start();
  t.same(service.notReady(), []);
  const close = async () => {
    await end();
    await world.close();
  };
  return { get, turn, close, metrics };
}

const ed25519 = (message: Uint8Array, signature: Uint8Array, key: Uint8Array) => {
  const x = Buffer.from(key).toString('base64url');
  const jwk = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, jwk, signature);
};

/** Delivers one entry of each of three files for a batch. */
async function deliver(world: World, batch: number): Promise<void> {
  const acceptedAt = world.clock.now();
  await world.deliver(...[1, 2, 3].map((n) => ({ file: fileId(n), from: batch, count: 1, acceptedAt })));
}

t.test('five batches: seals, headers, roots, leaves, from the raw transactions alone', async (t) => {
  const world = await openWorld();
  const { turn, get, close, metrics } = await openService(world);
  t.teardown(close);
  for (let batch = 0; batch < 5; batch++) {
    await deliver(world, batch);
    const deadline = world.clock.now() + INTERVALS.MISSION_CRITICAL * 1_000;
    for (; (await world.transactions()).length === batch; world.clock.advance(1_000)) await turn();
    t.ok(world.clock.now() <= deadline, 'on the network within the interval of its category');
  }
  let seal: string | undefined;
  const headers: Uint8Array[] = [];
  for (let batch = 0; batch < 5; batch++) {
    const answer = await get(`/batches/${batch}`);
    const { header, transaction } = answer.json<{ header: string; transaction: { txid: string } }>();
    const stored = await world.store.get(DEV_LEDGER_COLLECTIONS.transactions.name, transaction.txid);
    const raw = readRaw(String(stored?.['rawTx']));
    t.equal(raw.txid, transaction.txid);
    if (seal !== undefined) t.equal(`${raw.inputs[0]!.txid}:${raw.inputs[0]!.index}`, seal);
    seal = `${raw.txid}:1`;
    t.equal(raw.outputs.length, 2);
    t.equal(raw.outputs[0]!.satoshis, 0n);
    t.ok(raw.outputs[1]!.satoshis > 0n);
    headers.push(fromHex(header));
    t.same(parseAnchorScript(new Uint8Array(raw.outputs[0]!.script)), {
      logId: new Uint8Array(logId),
      batch,
      headerHash: batchHeaderHash(fromHex(header)),
      logRoot: logRoot(headers),
    });
    t.ok(leavesVerify(decodeBatchHeader(fromHex(header))!));
  }
  const note = await get('/checkpoint');
  t.match(note.headers['content-type'], 'text/plain');
  const checkpoint = await verifyCheckpoint(note.body, ORIGIN, publicKey, ed25519);
  t.equal(checkpoint?.size, 5);
  t.equal(toHex(checkpoint!.root), toHex(logRoot(headers)));
  const path = (await get('/consistency/2/5')).json<{ path: string[] }>().path.map(fromHex);
  t.ok(
    verifyConsistency(2, logRoot(headers.slice(0, 2)), 5, logRoot(headers), path),
    'the log of two goes on',
  );
  for (const none of ['5/2', '2/6']) t.equal((await get(`/consistency/${none}`)).statusCode, 404, none);
  t.match((await get('/consistency/0/5')).json(), { code: 'VALIDATION_FAILED' });
  t.match(await metrics.text(), /sentinel_anchoring_leaves_total{service="anchoring"} 15/);
});

/** Rebuilds the leaves from the entries and compares their root with the header's. */
function leavesVerify(header: BatchHeader): boolean {
  const leaves = sortLeaves(
    [1, 2, 3].map((n) => ({
      mapKey: mapKey(logId, 'FILE', fileId(n)),
      number: header.batch,
      linkHash: fromHex(linkHash(fileId(n), header.batch)),
    })),
  ).map((leaf) => leafHash(leafData(leaf.mapKey, leaf.number, leaf.linkHash)));
  return leaves.every((leaf, i) =>
    verifyInclusion(leaf, i, header.leafCount, inclusionPath(leaves, i), header.leafRoot),
  );
}

t.test('confirmations rise to six and rest; the record says block and path', async (t) => {
  const world = await openWorld();
  const { turn, get, close } = await openService(world);
  t.teardown(close);
  await deliver(world, 0);
  world.clock.advance(31_000);
  await turn();
  const read = async () =>
    (await get('/batches/0')).json<{ transaction: Record<string, unknown>; network: string }>();
  t.match(await read(), { network: 'dev', transaction: { status: 'SEEN_ON_NETWORK', confirmations: 0 } });
  for (let depth = 1; depth <= 6; depth++) {
    t.ok(await world.ledger.mine());
    world.clock.advance(20_000);
    await turn();
    t.match(await read(), { transaction: { status: 'MINED', confirmations: depth } });
  }
  t.notOk(await world.ledger.mine(), 'nothing is left to confirm');
  const records = await world.anchors();
  t.same(
    records.map(({ rev }) => rev),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  t.same(records.map(({ transaction }) => transaction?.status).slice(0, 4), [
    undefined,
    'SIGNED',
    'SEEN_ON_NETWORK',
    'MINED',
  ]);
  const { transaction } = await read();
  const answer = await world.ledger.status(String(transaction['txid']));
  t.equal(transaction['merklePath'], answer?.merklePath);
  t.equal(transaction['blockHash'], answer?.blockHash);
});

t.test('an empty log has a checkpoint, and no batches', async (t) => {
  const world = await openWorld();
  const { get, close } = await openService(world);
  t.teardown(close);
  const note = (await get('/checkpoint')).body;
  t.match(await verifyCheckpoint(note, ORIGIN, publicKey, ed25519), { size: 0 });
  t.equal(await verifyCheckpoint(note.replace('\n0\n', '\n1\n'), ORIGIN, publicKey, ed25519), undefined);
  t.match((await get('/batches/0')).json(), { code: 'NOT_FOUND' });
  t.match((await get('/batches/01')).json(), { code: 'VALIDATION_FAILED' });
});
