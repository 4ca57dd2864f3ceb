/**
 * Tests the way from a file on a device to a proof that `sentinel verify` checks with the trust file of
 * `sentinel trust`.
 */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { batchId } from '@sentinel-node/anchoring';
import { skipWithoutPython } from '@sentinel-node/test-kit/other-programs';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { ROOT, startedNode } from './support/node.ts';
import { version } from './support/reporter.ts';
import { linksOnce, sceneOn } from './support/scene.ts';
import { inViews } from './support/tamper.ts';
import { FILE_MS, until } from './support/until.ts';

const SENTINEL = join(ROOT, 'services/agent/bin/sentinel.mjs');
const NOT_PUBLIC = 3;

/** Checks the whole published log with a reader in Python that was written from docs/formats.md. */
async function strangerReads(t: Test, url: string, vkey: string): Promise<void> {
  const reader = join(ROOT, 'contracts/test/tile_reader.py');
  const { stdout } = await promisify(execFile)('python3', ['-B', reader, url, vkey]);
  t.match(stdout, /^[1-9][0-9]*\n$/, 'batches of the log');
}

t.setTimeout(FILE_MS);
t.test('what the operator gives out is enough to check a proof', { timeout: FILE_MS }, async (t) => {
  const node = await startedNode(t, { SENTINEL_INTERVAL_MISSION_CRITICAL: '4' });
  const { dataDir } = node;
  const { admin, agent, files } = await sceneOn(t, node, { ledger: {} });
  const fileId = files['ledger'] ?? '';
  const folder = temporaryFolder(t);
  await mkdir(folder, { recursive: true });
  const at = (name: string): string => join(folder, name);
  await agent.report(fileId, 'FIRST', version('what is watched'));
  const [link] = await linksOnce(agent, fileId, 1);
  const proof = await until('a proof with a block', async () => {
    const one = await admin.done('GET', `/proofs/${agent.path}/${fileId}/${link?.id}`);
    return one['state'] === 'MINED' ? one : undefined;
  });
  await writeFile(at('proof.json'), JSON.stringify(proof));
  await writeFile(at('log'), 'what is watched, and more');

  const trust = (env: Record<string, string> = {}) =>
    runChild(t, [SENTINEL, 'trust', '--data', dataDir], env);
  const given = await trust();
  t.equal(given.code, 0, given.stderr);
  await writeFile(at('trust.json'), given.stdout);
  const vkey = (await runChild(t, [SENTINEL, 'trust', '--vkey', '--data', dataDir])).stdout;
  t.equal(vkey, `${(JSON.parse(given.stdout) as { vkey: string }).vkey}\n`);
  await t.test('a reader in Python reads the log', { skip: skipWithoutPython() }, (t) =>
    strangerReads(t, node.url, vkey.trim()),
  );
  const seals = await runChild(t, [SENTINEL, 'seals', '--data', dataDir]);
  t.equal(seals.code, 0, seals.stderr);
  await writeFile(at('seals'), seals.stdout);
  await writeFile(at('checkpoint'), await (await fetch(`${node.url}/checkpoint`)).text());
  const written = await runChild(t, [SENTINEL, 'headers', at('headers'), '--data', dataDir]);
  t.equal(written.code, 0, written.stderr);
  const after = /--after (\d+:[0-9a-f]{64})/.exec(written.stderr)?.[1];
  const monitor = () =>
    runChild(t, [
      ...[SENTINEL, 'monitor', '--once', '--trust', at('trust.json')],
      ...['--url', node.url, '--state', at('kept')],
    ]);
  t.match(await monitor(), { code: 0, stdout: /^GOES ON: .*the first look/ });
  t.match(await monitor(), { code: 0, stdout: /^GOES ON: .* before/ });
  await node.stop();
  t.match(await monitor(), { code: 1, stderr: /cannot be read/ });
  t.equal((await trust()).stdout, given.stdout, 'the same beside a running server and without one');
  t.match((await trust({ SENTINEL_LOG_ORIGIN: 'example.org/log' })).stdout, /"example.org\/log"/);
  t.equal(given.stderr, '');
  const becomes = (status: string) =>
    inViews(
      dataDir,
      'anchor_transactions',
      `UPDATE $table SET body = json_set(body, '$.record.transaction.status', ?) WHERE id = ?`,
      status,
      batchId(0),
    );
  t.equal(becomes('SEEN_ON_NETWORK'), 1);
  t.match(await trust(), { code: 0, stdout: given.stdout, stderr: /in no block yet: .* MINED/ });
  becomes('QUEUED');
  t.match(await trust(), {
    code: 1,
    stdout: '',
    stderr: /not on the network yet, and another may replace it/,
  });
  becomes('MINED');
  await t.test('a first transaction that somebody changed in the store is not given out', async (t) => {
    const put = (path: string, value: string) =>
      inViews(dataDir, 'anchor_transactions', `UPDATE $table SET body = json_set(body, '${path}', ?) WHERE id = ?`, value, batchId(0)); // prettier-ignore
    const { genesisTxid } = JSON.parse(given.stdout) as { genesisTxid: string };
    t.equal(put('$.record.transaction.txid', '11'.repeat(32)), 1);
    const refused = {
      code: 1,
      stdout: /^$/,
      stderr: /contradicts itself.* batch 0: .* another id than recorded/,
    };
    t.match(await trust(), refused);
    put('$.record.transaction.txid', genesisTxid);
    put('$.network', 'main');
    t.match(await trust(), { stderr: /the evidence has another transaction/ });
    put('$.record.evidence.transaction.network', 'main');
    t.match(await trust(), {
      code: 0,
      stderr: /the network main was not compared: .* dev is configured here/,
    });
    put('$.network', 'dev');
    put('$.record.evidence.transaction.network', 'dev');
    t.match(await trust(), { code: 0, stdout: given.stdout, stderr: /^$/ });
  });

  await t.test('anchors without the key of their log give neither trust nor seals', async (t) => {
    const take = (from: string, to: string) =>
      inViews(dataDir, 'deployment', `UPDATE $table SET id = '${to}' WHERE id = '${from}'`);
    t.equal(take('log-key', 'gone'), 1);
    for (const command of ['trust', 'seals'])
      t.match(await runChild(t, [SENTINEL, command, '--data', dataDir]), {
        code: 1,
        stdout: /^$/,
        stderr: /has anchors, and not the key of their log/,
      });
    t.equal(take('gone', 'log-key'), 1);
  });

  const verify = (...args: string[]) =>
    runChild(t, [SENTINEL, 'verify', at('proof.json'), '--trust', at('trust.json'), ...args]);
  const { code, stdout } = await verify('--file', at('log'));
  t.equal(code, NOT_PUBLIC, stdout);
  t.notMatch(stdout, /FAILS/);
  t.match(stdout, /holds {4}FILE: The first 15 bytes of .* are those of the entry; what follows/);
  const oneLog = await verify('--seals', at('seals'), '--checkpoint', at('checkpoint'));
  t.equal(oneLog.code, NOT_PUBLIC, oneLog.stderr);
  t.match(oneLog.stdout, /holds {4}SEALS: [^]*holds {4}KEPT_CHECKPOINT: /);
  const byHeaders = await verify('--headers', at('headers'), '--after', after ?? '');
  t.match(byHeaders, {
    code: NOT_PUBLIC,
    stdout: /holds {4}BLOCK: [^]* confirmations; the given headers end at/,
  });
  t.match(await verify(), { code: NOT_PUBLIC, stdout: /warning {2}ONE_LOG_NOT_SHOWN/ });
  await writeFile(at('log'), 'what is twisted');
  t.match(await verify('--file', at('log')), { code: 1, stdout: /FAILS {4}FILE/ });
});

t.test('a log without an anchor has no trust file yet', { timeout: FILE_MS }, async (t) => {
  const node = await startedNode(t);
  await node.stop();
  for (const command of ['trust', 'seals']) {
    const none = await runChild(t, [SENTINEL, command, '--data', node.dataDir]);
    t.match(none, { code: 1, stderr: /nothing is anchored yet/ });
    const nowhere = await runChild(t, [SENTINEL, command, '--data', temporaryFolder(t)]);
    t.match(nowhere, { code: 1, stderr: /holds no documents yet/ });
  }
  const vkey = await runChild(t, [SENTINEL, 'trust', '--vkey', '--data', node.dataDir]);
  t.match(vkey, { code: 0, stdout: /^sentinel-node\/[0-9a-f]{16}\+[0-9a-f]{8}\+A[A-Za-z0-9+/]{43}\n$/ });

  const other = 'b9b3b5d323251660549526e334ec65335681e6e74407f7282dc39b833e93d441';
  const put = "UPDATE $table SET body = json_set(body, '$.publicKey', ?)";
  t.equal(inViews(node.dataDir, 'deployment', put, other), 1);
  for (const args of [['trust', '--vkey'], ['trust'], ['seals']]) {
    const refused = await runChild(t, [SENTINEL, ...args, '--data', node.dataDir]);
    t.match(
      refused,
      { code: 1, stdout: /^$/, stderr: /the master secret gives the log key/ },
      args.join(' '),
    );
  }
  rmSync(join(node.dataDir, 'master-secret'));
  const alone = await runChild(t, [SENTINEL, 'trust', '--vkey', '--data', node.dataDir]);
  t.match(alone, { code: 0, stderr: /the key was not compared with the master secret/ });
});
