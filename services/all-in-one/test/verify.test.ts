/** From a file on a device to a proof that `sentinel verify` checks by the trust file of `sentinel trust`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { ROOT, startedNode } from './support/node.ts';
import { version } from './support/reporter.ts';
import { linksOnce, sceneOn } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';

const SENTINEL = join(ROOT, 'services/agent/bin/sentinel.mjs');
const NOT_PUBLIC = 3;

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
  t.match(await trust(), { code: 1, stderr: /another process uses the data folder/ });
  await node.stop();
  const given = await trust();
  t.equal(given.code, 0, given.stderr);
  await writeFile(at('trust.json'), given.stdout);
  t.match((await trust({ SENTINEL_LOG_ORIGIN: 'example.org/log' })).stdout, /"example.org\/log"/);

  const verify = (...args: string[]) =>
    runChild(t, [SENTINEL, 'verify', at('proof.json'), '--trust', at('trust.json'), ...args]);
  const { code, stdout } = await verify('--file', at('log'));
  t.equal(code, NOT_PUBLIC, stdout);
  t.notMatch(stdout, /FAILS/);
  t.match(stdout, /holds {4}FILE: The first 15 bytes of .* are those of the entry; what follows/);
  await writeFile(at('log'), 'what is twisted');
  t.match(await verify('--file', at('log')), { code: 1, stdout: /FAILS {4}FILE/ });
});

t.test('a log without an anchor has no trust file yet', { timeout: FILE_MS }, async (t) => {
  const node = await startedNode(t);
  await node.stop();
  const { code, stderr } = await runChild(t, [SENTINEL, 'trust', '--data', node.dataDir]);
  t.equal(code, 1);
  t.match(stderr, /nothing is anchored yet/);
});
