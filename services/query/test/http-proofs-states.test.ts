import { generateKeyPairSync, sign } from 'node:crypto';
import t, { type Test } from 'tap';
import {
  checkProof,
  cosign,
  formatVerifierKey,
  parseCheckpoint,
  type AnchorRecord,
  type Proof,
} from '@sentinel-node/contracts';
import { anchor, appendAnchor, type FileHistory } from './chain-records.ts';
import { fileKey, proofScene, trustOf, UNKNOWN, verdictOf, verifySignature } from './proof-scene.ts';
import { eventually } from './world.ts';

type Transaction = NonNullable<AnchorRecord['transaction']>;

/** Puts one entry pair into batch 0, whose transaction is on the network. */
async function sent(t: Test, network = 'dev') {
  const here = await proofScene(t);
  const { chains, anchoring, world } = here;
  const [one] = chains.files as [FileHistory];
  const ranges = await chains.append(one.baseline());
  await anchoring.cut(ranges, new Map([[fileKey(chains, 0), chains.entriesOf(0)]]));
  await anchoring.send(0, 'SEEN_ON_NETWORK', 2, network);
  const { id } = chains.entriesOf(0)[1]!;
  const { transaction } = (await world.store.get('anchor_proofs', '0')) as unknown as AnchorRecord;
  let rev = 2;
  const now = (change: Partial<Transaction>) => anchoring.tell(0, (rev += 1), { ...transaction!, ...change });
  return { ...here, id, now, proof: () => here.read(0, id) };
}

t.test('a block is shown while the transaction is in it, and its path is known', async (t) => {
  const { anchoring, now, proof, world } = await sent(t);
  await anchoring.mine(0, 2);
  t.match((await proof()).body, { state: 'MINED', block: { height: 0, confirmations: 2, header: String } });
  const { transaction } = (await world.store.get('anchor_proofs', '0')) as unknown as AnchorRecord;
  await now({ status: 'MINED' });
  const mined = { ...transaction!, status: 'MINED' };
  for (const [title, change] of Object.entries({
    'in a block that was given up': { ...mined, status: 'MINED_IN_STALE_BLOCK' },
    'without a path': { ...mined, merklePath: null },
    'with an empty path': { ...mined, merklePath: '' },
    'in a block without a name': { ...mined, blockHash: null },
    'at no height': { ...mined, blockHeight: null },
  })) {
    await now(change);
    t.match((await proof()).body, { state: 'SENT', block: null, transaction: {} }, title);
  }
  for (const status of ['REJECTED', 'QUEUED', 'RECEIVED', 'STORED']) {
    await now({ status });
    t.match((await proof()).body, { state: 'CUT', block: null, transaction: null }, status);
  }
  await now({ ...mined, blockHash: 'ee'.repeat(32) });
  t.match(
    (await proof()).body,
    { state: 'MINED', block: { header: null, coinbase: null } },
    'another block there',
  );
});

t.test('of a public ledger there is a path, and neither header nor coinbase', async (t) => {
  const { anchoring, proof } = await sent(t, 'test');
  await anchoring.mine(0, 1);
  const { body } = await proof();
  t.match(body, {
    state: 'MINED',
    transaction: { network: 'test' },
    block: { header: null, coinbase: null },
  });
  const verdict = await verdictOf(body, { ...trustOf(anchoring.genesisTxid), network: 'test' });
  t.same(verdict.fails, []);
  t.equal(verdict.outcome, 'SELF_SUPPLIED');
  t.ok(verdict.codes.includes('COINBASE_ABSENT'));
});

t.test('what is not there yet is asked for again', async (t) => {
  const { chains, read, world } = await proofScene(t);
  const [one] = chains.files as [FileHistory];
  const [range] = await chains.append(one.baseline());
  await appendAnchor(world.eventLog, anchor(0, 1, [range!]));
  await eventually(async () =>
    (await world.store.get('anchor_batches', '0')) === undefined ? undefined : true,
  );
  const answer = await read(0, chains.entriesOf(0)[0]!.id);
  t.match(answer, {
    status: 503,
    body: { code: 'UNAVAILABLE', detail: /batch 0, whose proofs are being prepared/ },
  });
  t.equal(answer.headers['retry-after'], '60');
});

t.test('a batch of an earlier version has proofs from when anchoring publishes it again', async (t) => {
  const { chains, anchoring, world, read } = await proofScene(t);
  const [one] = chains.files as [FileHistory];
  const ranges = await chains.append(one.baseline());
  await anchoring.cut(ranges, new Map([[fileKey(chains, 0), chains.entriesOf(0)]]));
  await anchoring.send(0);
  const { id } = chains.entriesOf(0)[1]!;
  const before = (await read(0, id)).body;
  const records = await world.store.get('anchor_proofs', '0');
  await world.store.remove('anchor_proofs', ['0']);
  t.match(await read(0, id), { status: 503, body: { code: 'UNAVAILABLE' } }, 'the view of an old log');
  const { transaction } = records as unknown as AnchorRecord;
  await anchoring.tell(0, 3, transaction);
  t.equal(JSON.stringify((await read(0, id)).body), JSON.stringify(before), 'byte for byte what it was');
});

t.test('another transaction than the one that is named is no proof', async (t) => {
  const { anchoring, now, proof } = await sent(t);
  t.equal((await proof()).status, 200);
  await now({ txid: 'cd'.repeat(32) });
  t.match(await proof(), { status: 500, body: { code: 'INTERNAL' } });
  anchoring.evidence[0] = { ...anchoring.evidence[0]!, transaction: null };
  await now({});
  t.match(await proof(), { status: 500, body: { code: 'INTERNAL' } }, 'or none');
});

t.test('nothing is signed that does not fit what was recorded before', async (t) => {
  const { chains, read, anchoring } = await proofScene(t);
  const [one] = chains.files as [FileHistory];
  const key = fileKey(chains, 0);
  await anchoring.cut(await chains.append(one.baseline()), new Map([[key, chains.entriesOf(0)]]));
  await anchoring.cut(await chains.append(one.link()), new Map([[key, chains.entriesOf(0, 2)]]));
  const { id } = chains.entriesOf(0)[2]!;
  t.same((await verdictOf((await read(0, id)).body, UNKNOWN)).fails, []);
  anchoring.evidence[1] = { ...anchoring.evidence[1]!, logPath: ['ab'.repeat(32)] };
  await anchoring.tell(1, 9, null);
  const answer = await read(0, id);
  t.match(answer, { status: 500, body: { code: 'INTERNAL' } });
  t.notOk('batch' in answer.body);
});

t.test('cosignatures of witnesses stand in the checkpoint of the proof', async (t) => {
  const { anchoring, now, proof, world } = await sent(t);
  const bare = (await proof()).body as Proof;
  const { text } = parseCheckpoint(bare.batch!.checkpoint)!;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const cosigner = { name: 'w/1', type: 4, publicKey: new Uint8Array(Buffer.from(x, 'base64url')) } as const;
  const { line } = cosign(text, cosigner, Math.floor(world.clock.now() / 1_000), (message) =>
    sign(null, message, privateKey),
  );
  anchoring.evidence[0] = { ...anchoring.evidence[0]!, cosignatures: [line] };
  await now({ status: 'SEEN_ON_NETWORK' });
  const witnessed = (await proof()).body as Proof;
  t.equal(witnessed.batch!.checkpoint, bare.batch!.checkpoint + line);
  const trust = {
    ...trustOf(anchoring.genesisTxid),
    policy: `witness w ${formatVerifierKey(cosigner)}\nquorum w\n`,
  };
  const { holds } = await checkProof(witnessed, trust, { verifySignature, now: world.clock.now() });
  t.ok(holds.some(({ code }) => code === 'WITNESSED'));
  anchoring.evidence[0] = { ...anchoring.evidence[0]!, cosignatures: ['no signature line\n'] };
  await now({ status: 'SEEN_ON_NETWORK' });
  t.equal(((await proof()).body as Proof).batch!.checkpoint, bare.batch!.checkpoint, 'a note stays one');
});
