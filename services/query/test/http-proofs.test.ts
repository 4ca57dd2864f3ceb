import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { checkProof, ProofSchema } from '@sentinel-node/contracts';
import { Check } from 'typebox/value';
import type { FileHistory } from './chain-records.ts';
import {
  fileKey,
  mineBatches,
  NAMES,
  proofScene,
  trustOf,
  UNKNOWN,
  verdictOf,
  verifySignature,
} from './proof-scene.ts';
import { DEVICE, FILE } from './world.ts';

t.test('a proof is served with what there is, and says so, until it is whole', async (t) => {
  const { chains, read, anchoring, orgId, deviceId } = await proofScene(t);
  const [one, two] = chains.files as [FileHistory, FileHistory];
  const first = await chains.append(one.baseline(), one.link(), two.baseline());
  const { id } = chains.entriesOf(0)[2]!;

  const pending = await read(0, id);
  t.equal(pending.status, 200);
  t.match(pending.body, { state: 'PENDING', batch: null, transaction: null, block: null });
  t.same(pending.body.subject, { type: 'FILE', id: fileKey(chains, 0), deviceId, orgId });
  t.match((await verdictOf(pending.body, UNKNOWN)).outcome, 'INCOMPLETE');

  await anchoring.cut(
    first,
    new Map([0, 1].map((file) => [fileKey(chains, file as 0), chains.entriesOf(file as 0)])),
  );
  const cut = await read(0, id);
  matchWhole(t, cut.body, { state: 'CUT', transaction: null, block: null, batch: { logPath: [] } });
  t.strictSame(
    (await verdictOf(cut.body, UNKNOWN)).holds.map(({ code }) => code),
    ['LOG', 'LINK', 'LEAF', 'CHECKPOINT', 'BATCH'],
  );

  await anchoring.send(0, 'SIGNED', 2);
  t.equal((await read(0, id)).body.state, 'CUT', 'signed is not sent');
  await anchoring.send(0, 'SEEN_ON_NETWORK', 3);
  const sent = await read(0, id);
  t.match(sent.body, { state: 'SENT', block: null, transaction: { network: 'dev' } });
  const trust = trustOf(anchoring.genesisTxid);
  const whole = await verdictOf(sent.body, trust);
  t.same([whole.outcome, whole.fails], ['INCOMPLETE', []]);
});

t.test('whole proofs of every entry of several batches hold, with headers from elsewhere', async (t) => {
  const scene = await proofScene(t);
  const { chains, read } = scene;
  const [one, two] = chains.files as [FileHistory, FileHistory];
  const batches = [
    () => [one.baseline(), two.baseline(), one.link()],
    () => [two.link()],
    () => [one.breach(), two.link(), one.link(), one.link()],
  ];
  const { trust, headers } = await mineBatches(scene, batches);
  let checked = 0;
  for (const file of [0, 1] as const)
    for (const { id, kind } of chains.entriesOf(file)) {
      const { status, body } = await read(file, id);
      t.equal(status, 200);
      const verdict = await verdictOf(body, trust, headers);
      t.same(verdict.fails, [], `${kind} ${body.entry.number}`);
      t.match(verdict, { outcome: 'NOT_PUBLIC', block: { height: body.block.height } });
      t.ok(verdict.holds.some(({ code }) => code === 'COINBASE'));
      checked += 1;
    }
  t.equal(checked, 10, 'also of the entries that chains do not show');

  const [begin] = chains.entriesOf(0);
  const { body } = await read(0, begin!.id);
  const swapped = { ...body, entry: { ...body.entry, acceptedAt: body.entry.acceptedAt + 1 } };
  t.equal((await verdictOf(swapped, trust, headers)).outcome, 'FAILS');
});

t.test('records that were delivered again after their cut belong to the cut that came first', async (t) => {
  const { chains, read, anchoring } = await proofScene(t);
  const [one, two] = chains.files as [FileHistory, FileHistory];
  const first = await chains.append(one.baseline(), two.baseline());
  const files = new Map([0, 1].map((file) => [fileKey(chains, file as 0), chains.entriesOf(file as 0)]));
  await anchoring.cut(first, files);
  const twice = await chains.again(chains.records[0]!);
  await chains.parked();
  const [next] = await chains.append(one.link());
  const ranges = [{ partition: twice.partition, from: twice.from, to: next!.to }];
  await anchoring.cut(ranges, new Map([[fileKey(chains, 0), chains.entriesOf(0, 2)]]));
  const cuts: unknown[] = [];
  for (const [index, { id }] of chains.entriesOf(0).entries()) {
    const { body } = await read(0, id);
    t.same((await verdictOf(body, UNKNOWN)).fails, [], `entry ${index}`);
    cuts.push(body.batch.header);
  }
  t.same(
    cuts.map((header) => cuts.indexOf(header)),
    [0, 0, 2],
    'those of the first cut, delivered twice, are in the first',
  );
});

t.test('records that do not give the root are no proof, and the answer says nothing of them', async (t) => {
  const { chains, read, anchoring } = await proofScene(t);
  const [one] = chains.files as [FileHistory, FileHistory];
  const ranges = await chains.append(one.baseline());
  const [, second] = chains.entriesOf(0);
  await anchoring.cut(ranges, new Map([[fileKey(chains, 0), [second!]]]));
  const { status, body } = await read(0, second!.id);
  t.match({ status, body }, { status: 500, body: { code: 'INTERNAL' } });
  t.notMatch(JSON.stringify(body), /batch|leaves/);
});

t.test('who may read a proof, and of what', async (t) => {
  const { chains, read, world, admin, orgId, deviceId } = await proofScene(t);
  const [one, two] = chains.files as [FileHistory, FileHistory];
  await chains.append(one.baseline(), two.baseline());
  const [own] = chains.entriesOf(0);
  const [foreign] = chains.entriesOf(1);
  const path = `/proofs/${orgId}/${deviceId}/${fileKey(chains, 0)}/${own!.id}`;
  t.equal((await read(0, own!.id)).status, 200);
  t.equal((await read(0, foreign!.id)).status, 404, 'of another file');
  t.equal((await read(0, '01ARZ3NDEKTSV4RRFFQ69G5FAV')).status, 404);
  t.equal((await world.call('GET', path)).status, 401);
  t.equal((await (await world.signIn('zoe@example.org')).call('GET', path)).status, 404);
  const regular = await world.member(admin, 'rita@example.org', 'REGULAR');
  t.equal((await regular.call('GET', path)).status, 200);
  const other = await world.organization('Other', 'bob@example.org');
  t.equal((await other.call('GET', path)).status, 404);
  t.equal((await other.call('GET', path.replace(orgId, other.orgId))).status, 404);
  t.equal((await admin.call('GET', path.replace(deviceId, fileKey(chains, 0)))).status, 404);
});

t.test('the answer is a document to the byte, and holds the nonce of its own entry alone', async (t) => {
  const { chains, admin, world, orgId, deviceId, anchoring } = await proofScene(t);
  const [one] = chains.files as [FileHistory, FileHistory];
  const ranges = await chains.append(one.baseline(), one.link());
  await anchoring.cut(ranges, new Map([[fileKey(chains, 0), chains.entriesOf(0)]]));
  const [, own, next] = chains.entriesOf(0);
  const answer = await world.app.inject({
    method: 'GET',
    url: `/api/v1/proofs/${orgId}/${deviceId}/${fileKey(chains, 0)}/${own!.id}`,
    headers: { host: 'localhost:8443', 'x-access-token': admin.token },
  });
  t.ok(Check(ProofSchema, answer.json()));
  const verdict = await checkProof(answer.rawPayload, UNKNOWN, { verifySignature, now: Date.now() });
  t.same(verdict.fails, []);
  t.equal(verdict.proof?.state, 'CUT', 'the signed note is part of it');
  t.ok(answer.body.includes(own!.nonce));
  t.notOk(answer.body.includes(next!.nonce));
  for (const word of [own!.id, 'firstHash', DEVICE.name, NAMES.file, FILE.path, 'ada@'])
    t.notOk(answer.body.includes(word), word);
});

t.test('the proof of a shared alert is public until the sharing ends', async (t) => {
  const { chains, admin, world, orgId, deviceId, anchoring } = await proofScene(t);
  const [one] = chains.files as [FileHistory, FileHistory];
  const raised = one.breach('HASH_BREACH', '{"path":"/srv/secret"}');
  const [alert] = raised.alerts;
  const ranges = await chains.append(raised, one.again(alert!.id));
  const path = `/alerts/link/shared/proof/${alert!.id}`;
  const share = `/alerts/share/${orgId}/${deviceId}/${alert!.id}`;
  t.equal((await world.call('GET', path)).status, 404, 'not shared');
  await admin.call('POST', share, { sharedEmailAddresses: ['erin@example.com'] });

  const open = await world.call('GET', path);
  t.equal(open.status, 200);
  t.same(open.body.subject, { type: 'FILE', id: fileKey(chains, 0) });
  t.match(open.body.entry, { kind: 'BREAK', alertType: 'HASH_BREACH', number: raised.entries[0]!.number });
  t.match(open.headers, {
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  const text = JSON.stringify(open.body);
  for (const word of [orgId, deviceId, 'secret', DEVICE.name, NAMES.file, FILE.path, '@', NAMES.organization])
    t.notOk(text.includes(word), word);
  t.same((await verdictOf(open.body, UNKNOWN)).fails, []);

  await anchoring.cut(ranges, new Map([[fileKey(chains, 0), chains.entriesOf(0)]]));
  await anchoring.send(0);
  await anchoring.mine(0, 1);
  const mined = (await world.call('GET', path)).body;
  const verdict = await verdictOf(mined, trustOf(anchoring.genesisTxid));
  t.same([verdict.outcome, verdict.fails], ['NOT_PUBLIC', []]);
  t.same(verdict.claimed.map(({ code }) => code).sort(), [
    'ACCEPTED_AT',
    'CONFIRMATIONS',
    'ORIGIN',
    'SELF_SUPPLIED',
    'SINGLE_LOG',
  ]);

  await admin.call('DELETE', share);
  t.equal((await world.call('GET', path)).status, 404);
  t.equal((await world.call('GET', '/alerts/link/shared/proof/NONE')).status, 404);
});
