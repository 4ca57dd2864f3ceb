/** Tests that a receipt's holder can show that the operator dropped a report before anchoring it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import {
  RECEIPT_FORMAT,
  sha256,
  toHex,
  type Entry,
  type KeptReceipt,
  type ReportAccepted,
} from '@sentinel-node/contracts';
import { call, type Answer } from './support/client.ts';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { Node, SENTINEL } from './support/node.ts';
import { version, type Version } from './support/reporter.ts';
import { linksOnce, sceneOn } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';
import { SECRET } from './support/secret.ts';

const SECRET_ENV = { SENTINEL_SECRET: SECRET };
/** An interval so long that nothing is anchored during the test. */
const ENV = { ...SECRET_ENV, SENTINEL_INTERVAL_MISSION_CRITICAL: '3600' };

t.setTimeout(FILE_MS);
t.test('the newest report is dropped before it is anchored', { timeout: FILE_MS }, async (t) => {
  const node = new Node(t, ENV);
  await node.start();
  const { agent, files } = await sceneOn(t, node, { ledger: {} });
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
  const made = await runChild(t, [SENTINEL, 'backup', backup, '--data', node.dataDir], SECRET_ENV);
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
  const restored = await runChild(t, [SENTINEL, 'restore', backup, '--data', dataDir], SECRET_ENV);
  t.equal(restored.code, 0, restored.stderr);
  const forged = new Node(t, { ...ENV, SENTINEL_INTERVAL_MISSION_CRITICAL: '1' }, dataDir);
  await forged.start();
  const ask = (kept: KeptReceipt): Promise<Answer> => call(forged, 'POST', '/api/v1/proofs/receipt', kept);
  const anchored = await until('a proof of what was left', async () => {
    const { body, status } = await ask(first);
    return status === 200 && (body as { state: string }).state !== 'PENDING' ? body : undefined;
  });
  t.equal((await ask(newest)).status, 404, 'the operator cannot show what was accepted');

  const trust = await until('the trust file', async () => {
    const { code, stdout } = await runChild(t, [SENTINEL, 'trust', '--data', dataDir], SECRET_ENV);
    return code === 0 ? stdout : undefined;
  });
  const folder = t.testdir({
    trust,
    first: JSON.stringify(first),
    newest: JSON.stringify(newest),
    proof: JSON.stringify(anchored),
  });
  const check = (name: string, ...more: string[]) =>
    runChild(t, [SENTINEL, 'receipt', join(folder, name), '--trust', join(folder, 'trust'), ...more]);
  const proof = ['--proof', join(folder, 'proof')];
  t.match(await check('first', ...proof), { code: 0, stdout: /^HOLDS/ });
  t.match(await check('newest'), { code: 0, stdout: /^HOLDS/ }, 'it was signed that this was accepted');
  t.match(
    await check('newest', ...proof),
    { code: 1, stdout: /^FAILS: the proof is of another report/ },
    'a proof of something else contradicts nothing',
  );

  await forged.stop();
  const lines = join(folder, 'receipts.ndjson');
  const auditWith = (path: string) =>
    runChild(t, [SENTINEL, 'audit', '--data', dataDir, '--receipts', path], SECRET_ENV);
  await writeFile(lines, `${JSON.stringify(first)}\n`);
  t.match(
    await auditWith(lines),
    { code: 0, stdout: /, 1 receipts, / },
    'what is there is found, and counted',
  );
  await writeFile(lines, `${JSON.stringify(first)}\n${JSON.stringify(newest)}\n`);
  t.match(await auditWith(lines), {
    code: 1,
    stdout: new RegExp(
      `^receipts: FILE ${fileId}: the log has not the report ${newest.reportHash}, accepted at `,
    ),
  });
  t.match(await auditWith(join(folder, 'proof')), { code: 2, stderr: /is no receipt/ });
  const other = { ...newest, reportHash: first.reportHash };
  await writeFile(lines, JSON.stringify(other));
  t.match(await auditWith(lines), { code: 2, stderr: /line 1 .* is not signed by the key of this log/ });
});
