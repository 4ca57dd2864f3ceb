/**
 * Tests a node, a witness and a monitor in separate processes: from a report to a proof whose quorum shows a
 * single log.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '@sentinel-node/test-kit/test-servers';
import t, { type Test } from 'tap';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { ROOT, startedNode } from './support/node.ts';
import { version } from './support/reporter.ts';
import { linksOnce, sceneOn } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';

const SENTINEL = join(ROOT, 'services/agent/bin/sentinel.mjs');

/** Starts the witness after the node's first offer has failed. */
async function startWitness(t: Test, state: string, log: string, port: number): Promise<void> {
  const args = ['witness', '--state', state, '--log', log, '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, [SENTINEL, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!isReady) throw new Error(`the witness ended with ${child.exitCode} before it listened`);
}

t.setTimeout(FILE_MS);
t.test('a witness shows one log in the proof itself', { timeout: FILE_MS }, async (t) => {
  const folder = temporaryFolder(t);
  await mkdir(folder, { recursive: true });
  const at = (name: string): string => join(folder, name);
  const sentinel = (...args: string[]) =>
    runChild(t, [SENTINEL, ...args], { SENTINEL_WITNESS_POLICY: at('policy') });
  const [port = 0] = await freePorts(1);
  const made = await runChild(t, [SENTINEL, 'witness', '--state', at('w'), '--name', 'w.example', '--vkey']);
  t.equal(made.code, 0, made.stderr);
  await writeFile(at('policy'), `witness w ${made.stdout.trim()} http://127.0.0.1:${port}\nquorum w\n`);

  const node = await startedNode(t, {
    SENTINEL_INTERVAL_MISSION_CRITICAL: '4',
    SENTINEL_WITNESS_POLICY: at('policy'),
  });
  const { admin, agent, files } = await sceneOn(t, node, { ledger: {} });
  const fileId = files['ledger'] ?? '';
  await agent.report(fileId, 'FIRST', version('what is watched'));
  const [link] = await linksOnce(agent, fileId, 1);
  const proof = (wanted: (one: Record<string, unknown>) => boolean) =>
    until('the proof', async () => {
      const one = await admin.done('GET', `/proofs/${agent.path}/${fileId}/${link?.id}`);
      return wanted(one) ? one : undefined;
    });
  await proof(({ state }) => state === 'MINED');
  const vkey = (await sentinel('trust', '--vkey', '--data', node.dataDir)).stdout.trim();
  await startWitness(t, at('w'), vkey, port);
  const cosigned = await proof(({ batch }) => JSON.stringify(batch).includes('— w.example '));
  await writeFile(at('proof.json'), JSON.stringify(cosigned));
  const given = await sentinel('trust', '--data', node.dataDir);
  t.match(JSON.parse(given.stdout), { policy: /^witness w .*\nquorum w\n$/ });
  await writeFile(at('trust.json'), given.stdout);
  const verified = await sentinel('verify', at('proof.json'), '--trust', at('trust.json'));
  t.match(verified, { code: 3, stdout: /holds {4}WITNESSED/ }, verified.stderr);
  t.notMatch(verified.stdout, /ONE_LOG_NOT_SHOWN/);
  const looked = await until('a look with the quorum', async () => {
    const found = await sentinel(
      ...['monitor', '--once', '--trust', at('trust.json'), '--url', node.url, '--state', at('kept')],
    );
    return found.code === 0 ? found : undefined;
  });
  t.match(looked.stdout, /^GOES ON: .*cosigned by w/);
  await node.stop();
});
