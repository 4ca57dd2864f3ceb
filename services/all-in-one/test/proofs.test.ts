/** Tests the way from a report to a proof that a stranger checks, on the development ledger. */
import { createPublicKey, verify } from 'node:crypto';
import t from 'tap';
import {
  checkHeaders,
  checkProof,
  defaultLogOrigin,
  fromHex,
  logIdOf,
  toHex,
  type AnchorRecord,
  type HeaderChain,
  type Link,
  type Proof,
  type ProofCheckOptions,
  type ProofTrust,
} from '@sentinel-node/contracts';
import { OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import { DEV_LEDGER_COLLECTIONS } from '@sentinel-node/platform';
import { call, founder } from './support/client.ts';
import { addFiles, deviceOf, version } from './support/reporter.ts';
import { alertsOf, linksOf, linksOnce } from './support/scene.ts';
import { documentsOf } from './support/stored.ts';
import { startedSystem, SUITE_ENV, type System } from './support/system.ts';
import { FILE_MS, until } from './support/until.ts';

/** Position before the first block. */
const BEGIN = { height: -1, hash: '00'.repeat(32), bits: 0x207fffff };
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const verifySignature: ProofCheckOptions['verifySignature'] = (message, signature, publicKey) => {
  const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
};

/** Returns the operator's trust data for verifiers, from the deployment itself. */
async function trustOf(system: System): Promise<ProofTrust> {
  const deployment = await documentsOf<{ publicKey: string }>(system, 'deployment');
  const publicKey = deployment.find((one) => 'publicKey' in one)!.publicKey;
  const anchors = await documentsOf<AnchorRecord>(system, OWN_COLLECTIONS.anchors.name);
  const genesisTxid = anchors.find(({ batch }) => batch === 0)!.transaction!.txid;
  return { origin: defaultLogOrigin(logIdOf(fromHex(publicKey))), publicKey, network: 'dev', genesisTxid };
}

/** Returns the headers of the development ledger, as its node would give them. */
async function headersOf(system: System): Promise<HeaderChain> {
  const name = DEV_LEDGER_COLLECTIONS.blocks.name;
  const blocks = await documentsOf<{ height: number; header: string }>(system, name);
  const headers = blocks.sort((a, b) => a.height - b.height).map(({ header }) => header);
  const chain = checkHeaders(fromHex(headers.join('')), BEGIN, 'dev');
  if ('problem' in chain) throw new Error(chain.problem);
  return chain;
}

t.setTimeout(FILE_MS);
t.test('a stranger checks what was reported', { timeout: FILE_MS }, async (t) => {
  const node = await startedSystem(t, SUITE_ENV);
  const admin = await founder(node);
  const agent = await deviceOf(admin);
  const files = await addFiles(agent, { ledger: {}, other: {} });
  const fileId = files['ledger']!;
  const [first, second, broken] = [version('first'), version('second one'), version('broken')];
  const proofOf = async (link: Link): Promise<Proof> =>
    (await admin.done('GET', `/proofs/${agent.path}/${fileId}/${link.id}`)) as Proof;
  const mined = (link: Link): Promise<Proof> =>
    until('a proof with a block', async () => {
      const proof = await proofOf(link);
      return proof.state === 'MINED' ? proof : undefined;
    });

  await agent.report(files['other']!, 'FIRST', first);
  await agent.report(fileId, 'FIRST', first);
  await agent.report(fileId, 'REPLACED', first, second);
  const [newest] = await linksOnce(agent, fileId, 2);
  t.ok(['PENDING', 'CUT', 'SENT', 'MINED'].includes((await proofOf(newest!)).state), 'served at once');

  const proof = await mined(newest!);
  await agent.report(fileId, 'REPLACED', broken, second);
  await linksOnce(agent, fileId, 3);
  const [alert] = await until('the alert', async () => {
    const found = await alertsOf(agent, fileId);
    return found.length > 0 ? found : undefined;
  });
  const breach = (await linksOf(agent, fileId)).find(({ id }) => id === alert!.hashId)!;
  const ofBreach = await mined(breach);
  const trust = await trustOf(node);
  const headers = await headersOf(node);
  const check = (document: object | string, by = trust) =>
    checkProof(document, by, { headers, verifySignature, now: Date.now() });

  await t.test('content hash, length and time are what was reported, in a block', async (t) => {
    const verdict = await check(proof);
    t.same(verdict.fails, []);
    t.equal(verdict.outcome, 'NOT_PUBLIC', 'the development ledger is nobody else’s');
    for (const code of ['LOG', 'LINK', 'LEAF', 'BATCH', 'CHECKPOINT', 'ANCHOR', 'BLOCK', 'COINBASE', 'TIME'])
      t.ok(
        verdict.holds.some((holding) => holding.code === code),
        code,
      );
    t.match(verdict.proof?.entry, { contentHash: second.hash, length: second.length, kind: 'LINK' });
    t.ok(verdict.block!.confirmations >= 1);
    t.match(proof.subject, { id: fileId, deviceId: agent.deviceId, orgId: admin.orgId });
  });

  await t.test('every link, and the one of a later batch, holds by the same trust', async (t) => {
    for (const link of await linksOf(agent, fileId)) {
      const verdict = await check(await mined(link));
      t.same(verdict.fails, [], `${link.type} ${link.number}`);
      t.equal(verdict.proof?.entry.linkHash, link.linkHash);
    }
    t.notSame(ofBreach.transaction, proof.transaction, 'another batch');
  });

  await t.test('what was tampered with fails', async (t) => {
    const { entry } = proof;
    const changed: Record<string, object> = {
      'the content': { ...proof, entry: { ...entry, contentHash: broken.hash } },
      'the length': { ...proof, entry: { ...entry, length: entry.length! + 1 } },
      'the time': { ...proof, entry: { ...entry, acceptedAt: entry.acceptedAt - 60_000 } },
      'the file': { ...proof, subject: { ...proof.subject, id: files['other']! } },
      'the batch': { ...proof, batch: ofBreach.batch },
      'the transaction': { ...proof, transaction: ofBreach.transaction },
      'the block': { ...proof, block: ofBreach.block },
    };
    for (const [title, document] of Object.entries(changed))
      t.equal((await check(document)).outcome, 'FAILS', title);
    const stranger = { ...trust, publicKey: toHex(new Uint8Array(32).fill(9)) };
    t.equal((await check(proof, stranger)).outcome, 'FAILS', 'another log');
    t.equal((await check(proof, { ...trust, network: 'main' })).outcome, 'FAILS', 'another network');
  });

  await t.test('the proof of a shared alert is for everybody, until the sharing ends', async (t) => {
    const path = `/api/v1/alerts/link/shared/proof/${alert!.id}`;
    const share = `/alerts/share/${agent.path}/${alert!.id}`;
    t.equal((await call(node, 'GET', path)).status, 404);
    await admin.done('POST', share, { sharedEmailAddresses: ['erin@example.com'] });
    const { status, body } = await call(node, 'GET', path);
    t.equal(status, 200);
    t.same(body.entry, ofBreach.entry);
    t.same(body.subject, { type: 'FILE', id: fileId });
    t.same((await check(body as object)).fails, []);
    await admin.done('DELETE', share);
    t.equal((await call(node, 'GET', path)).status, 404);
  });
});
