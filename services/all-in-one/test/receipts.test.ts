/** An operator drops the newest report before it is anchored: who holds its receipt can show it. */
import { join } from 'node:path';
import t from 'tap';
import {
  RECEIPT_FORMAT,
  sha256,
  toHex,
  verifyReceipt,
  type Entry,
  type KeptReceipt,
  type ReportAccepted,
} from '@sentinel-node/contracts';
import { logKeyOf } from '@sentinel-node/platform';
import { call, type Answer } from './support/client.ts';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { Node, SENTINEL } from './support/node.ts';
import { version, type Version } from './support/reporter.ts';
import { linksOnce, sceneOn } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';

const MASTER_SECRET = 'a master secret that only the tests use';
const SECRET = { SENTINEL_SECRET: MASTER_SECRET };
/** Nothing is anchored while the test runs. */
const ENV = { ...SECRET, SENTINEL_INTERVAL_MISSION_CRITICAL: '3600' };
const KEY = logKeyOf(MASTER_SECRET);

t.setTimeout(FILE_MS);
t.test('the newest report is dropped before it is anchored', { timeout: FILE_MS }, async (t) => {
  const node = new Node(t, ENV);
  await node.start();
  const { admin, agent, files } = await sceneOn(t, node, { ledger: {} });
  const fileId = files['ledger']!;

  async function reported(...versions: Version[]): Promise<KeptReceipt> {
    const report = {
      sequence: agent.nextSequence(),
      timestamp: new Date().toISOString(),
      change: versions.length === 1 ? 'FIRST' : 'REPLACED',
      versions,
    };
    const { status, body } = await agent.post(`/files/${agent.path}/${fileId}`, report, {
      prefer: 'receipt',
    });
    t.equal(status, 202);
    const { receipt } = body as ReportAccepted;
    const reportHash = toHex(sha256(Buffer.from(JSON.stringify(report))));
    return { format: RECEIPT_FORMAT, fileId, reportHash, receipt: receipt! };
  }
  const shown = (kept: KeptReceipt): Promise<Answer> => call(node, 'POST', '/api/v1/proofs/receipt', kept);
  const entryOf = async (kept: KeptReceipt): Promise<Entry> => {
    const { body } = await until('the proof', async () => {
      const answer = await shown(kept);
      return answer.status === 200 ? answer : undefined;
    });
    return (body as { entry: Entry }).entry;
  };

  const first = await reported(version('a'));
  await linksOnce(agent, fileId, 1);
  await node.stop();
  const backup = join(temporaryFolder(t), 'backup');
  const made = await runChild(t, [SENTINEL, 'backup', backup, '--data', node.dataDir], SECRET);
  t.equal(made.code, 0, made.stderr);

  await node.start();
  const newest = await reported(version('a'), version('what nobody shall see'));
  await linksOnce(agent, fileId, 2);
  for (const kept of [first, newest]) {
    const { acceptedAt, reportHash } = await entryOf(kept);
    t.same([acceptedAt, reportHash], [kept.receipt.acceptedAt, kept.reportHash]);
  }
  await node.stop();

  const dataDir = temporaryFolder(t);
  const restored = await runChild(t, [SENTINEL, 'restore', backup, '--data', dataDir], SECRET);
  t.equal(restored.code, 0, restored.stderr);
  const forged = new Node(t, ENV, dataDir);
  await forged.start();
  Object.assign(admin, { server: forged });
  const asked = (kept: KeptReceipt): Promise<Answer> => call(forged, 'POST', '/api/v1/proofs/receipt', kept);
  t.equal((await asked(first)).status, 200);
  t.equal((await asked(newest)).status, 404, 'the operator cannot show what was accepted');
  const isSigned = await verifyReceipt(newest, KEY, (message, signature) =>
    Buffer.from(KEY.sign(message)).equals(signature),
  );
  t.ok(isSigned, 'and has signed that it was');
});
