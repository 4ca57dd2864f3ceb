/** Tests `sentinel anchors` and `sentinel funds` as an operator calls them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { batchId } from '@sentinel-node/anchoring';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { ROOT, startedNode } from './support/node.ts';
import { version } from './support/reporter.ts';
import { sceneOn } from './support/scene.ts';
import { inViews } from './support/tamper.ts';
import { FILE_MS, until } from './support/until.ts';

const SENTINEL = join(ROOT, 'services/agent/bin/sentinel.mjs');
const ARC = { SENTINEL_LEDGER: 'https://arc.example' };
const KEY = '1c'.repeat(32);
t.setTimeout(FILE_MS);

t.test(
  'anchors are listed beside a running server; funds once it stands',
  { timeout: FILE_MS },
  async (t) => {
    const node = await startedNode(t, { SENTINEL_INTERVAL_MISSION_CRITICAL: '4' });
    const { dataDir } = node;
    const run = (env: Record<string, string>, ...args: string[]) =>
      runChild(t, [SENTINEL, ...args, '--data', dataDir], env);
    t.match(await run({}, 'anchors'), { code: 0, stdout: 'nothing is anchored yet\n' });
    const { agent, files } = await sceneOn(t, node, { ledger: {} });
    await agent.report(files['ledger'] ?? '', 'FIRST', version('what is watched'));
    const listed = async () => {
      const { stdout } = await run({}, 'anchors', '--json');
      return (JSON.parse(stdout) as { anchors: { status: string; txid: string; batch: number }[] }).anchors;
    };
    const minedAfter = (batch: number) =>
      until('an anchor in a block', async () =>
        (await listed()).find((anchor) => anchor.status === 'MINED' && anchor.batch > batch),
      );
    const first = await minedAfter(-1);
    await agent.report(files['ledger'] ?? '', 'REPLACED', version('what is watched'), version('changed'));
    await minedAfter(first.batch);
    t.match(await run({}, 'funds'), { code: 1, stderr: /another process uses the data folder/ });
    await node.stop();

    const [newest] = await listed();
    t.match(await run({}, 'anchors', '--count', '1'), { code: 0, stdout: newest!.txid });
    t.match(await run({}, 'anchors', 'resume'), { code: 1, stderr: /there is nothing to resume/ });
    t.match(await run({}, 'anchors', 'recheck'), { code: 0, stdout: /compared at the next start/ });
    t.match(await run({}, 'funds'), {
      code: 0,
      stdout: /^address {3}[mn]\S+ \(dev\)\nfunds {5}\d+ satoshis after/,
    });
    const { stdout } = await run({}, 'funds', '--json');
    matchWhole(t, JSON.parse(stdout), { network: 'dev', newest: { batch: newest!.batch }, imported: [] });
    t.match(await run({}, 'funds', 'import', '00'), { code: 2, stderr: /development ledger makes its own/ });

    t.match(await run(ARC, 'funds'), { code: 2, stderr: /SENTINEL_FUNDING_KEY is needed/ });
    const wrong = await run({ ...ARC, SENTINEL_FUNDING_KEY: 'ff'.repeat(32) }, 'funds');
    t.match(wrong, { code: 1, stderr: /SENTINEL_FUNDING_KEY: is not a private key/ });
    t.notMatch(wrong.stderr, 'ff'.repeat(32));
    const headless = await run({ ...ARC, SENTINEL_FUNDING_KEY: KEY }, 'funds');
    t.match(headless, { code: 1, stderr: /SENTINEL_HEADERS: is needed/ });
    t.notMatch(headless.stderr, KEY);
    const whole = { ...ARC, SENTINEL_FUNDING_KEY: KEY, SENTINEL_HEADERS: 'https://headers.example' };
    t.match(await run(whole, 'funds'), {
      code: 0,
      stdout:
        /^address {3}1\S+ \(main\)\n[^]*\nheaders {3}none yet: whether the blocks of payments were replaced is not known\n/,
    });

    const refuse = `UPDATE $table SET body = json_set(body, '$.words', ?, '$.record.transaction.status', 'REJECTED') WHERE id = ?`;
    t.equal(
      inViews(
        dataDir,
        'anchor_transactions',
        refuse,
        'ARC 465: fee too low\n  9  a line',
        batchId(first.batch),
      ),
      1,
    );
    const refused = await run({}, 'anchors');
    t.match(refused.stdout, String.raw`          the ledger says: ARC 465: fee too low\n  9  a line` + '\n');
    t.equal(refused.stdout.split('the ledger says').length, 2, 'only of the refused one');

    const remove = (batch: number) =>
      inViews(dataDir, 'anchor_transactions', 'DELETE FROM $table WHERE id = ?', batchId(batch));
    t.equal(remove(first.batch), 1);
    t.match(await run({}, 'anchors'), {
      code: 1,
      stderr: `batch ${first.batch} has no transaction, though a later batch has: run sentinel audit`,
    });
    for (let batch = first.batch + 1; batch <= newest!.batch; batch++) remove(batch);
    const { code, stdout: gone } = await run({}, 'anchors', '--json');
    const { anchors, missing, waiting } = JSON.parse(gone) as Record<string, object & { count: number }>;
    t.strictSame([code, anchors, missing], [0, [], []]);
    t.ok((waiting?.count ?? 0) > newest!.batch, 'no batch has a transaction');
    t.match(await run({}, 'anchors'), { stdout: /^\d+ batches wait for a transaction since 20\S+Z\n$/ });
  },
);

t.test('wrong words are told before anything is opened', async (t) => {
  const nowhere = temporaryFolder(t);
  for (const args of [
    ['anchors', 'again'],
    ['anchors', 'resume', 'now'],
    ['anchors', 'recheck', 'now'],
    ['anchors', 'recheck', '--json'],
    ['anchors', 'resume', '--json'],
    ['anchors', '--count', '0'],
    ['funds', 'import'],
    ['funds', 'import', 'no-such-file'],
    ['funds', 'import', '00', '11'],
    ['funds', 'import', '00', '--json'],
    ['funds', 'spend'],
  ])
    t.match(
      await runChild(t, [SENTINEL, ...args, '--data', nowhere]),
      { code: 2, stderr: String },
      args.join(' '),
    );
  const folder = t.testdir();
  await writeFile(join(folder, 'large'), '0'.repeat(3_000_000));
  const large = await runChild(t, [SENTINEL, 'funds', 'import', join(folder, 'large'), '--data', nowhere]);
  t.match(large, { code: 2, stderr: /longer than/ });
  for (const command of ['anchors', 'funds'])
    t.match(await runChild(t, [SENTINEL, command, '--help']), {
      code: 0,
      stdout: `usage: sentinel ${command}`,
    });
});
