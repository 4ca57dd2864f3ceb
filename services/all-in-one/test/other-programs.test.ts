/**
 * Checks a running system's log and anchors with other people's libraries: Go's for notes and tiles, Python's
 * for the ledger.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { otherProgram } from '@sentinel-node/test-kit/other-programs';
import t from 'tap';
import type { Bundle } from '@sentinel-node/contracts';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { SENTINEL, startedNode } from './support/node.ts';
import { version } from './support/reporter.ts';
import { linksOnce, sceneOn } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';

/** Number of batches over which the file's history is spread. */
const BATCHES = 3;

t.setTimeout(FILE_MS);
t.test('what a running system gives out holds for programs of others', { timeout: FILE_MS }, async (t) => {
  const node = await startedNode(t, { SENTINEL_INTERVAL_MISSION_CRITICAL: '4' });
  const { admin, agent, files } = await sceneOn(t, node, { ledger: {} });
  const fileId = files['ledger'] ?? '';
  const folder = temporaryFolder(t);
  await mkdir(folder, { recursive: true });
  const at = (name: string): string => join(folder, name);
  const checkpoint = async (): Promise<string> => (await fetch(`${node.url}/checkpoint`)).text();
  const bundleOf = async (to: number): Promise<Bundle> =>
    (await admin.done('GET', `/proofs/${agent.path}/${fileId}?from=0&to=${to}`)) as Bundle;

  let bundle: Bundle | undefined;
  for (let link = 1; link <= BATCHES; link += 1) {
    await agent.report(fileId, link === 1 ? 'FIRST' : 'REPLACED', version(`content ${link}`));
    const [newest] = await linksOnce(agent, fileId, link);
    bundle = await until('all entries are in blocks', async () => {
      const one = await bundleOf(newest?.number ?? 0);
      return one.state === 'MINED' ? one : undefined;
    });
    if (link === 1) await writeFile(at('kept'), await checkpoint());
  }
  await writeFile(at('bundle'), JSON.stringify(bundle));
  const sentinel = async (...args: string[]) => {
    const ended = await runChild(t, [SENTINEL, ...args, '--data', node.dataDir]);
    t.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  await writeFile(at('seals'), (await sentinel('seals')).stdout);
  const after = /--after (\d+):/.exec((await sentinel('headers', at('headers'))).stderr)?.[1] ?? '';
  const vkey = (await sentinel('trust', '--vkey')).stdout.trim();

  const go = await otherProgram(t, 'go');
  if (go !== undefined) {
    const [program, ...args] = go;
    const read = () => promisify(execFile)(program, [...args, node.url, vkey, at('kept')]);
    const size = Number((await checkpoint()).split('\n')[1]);
    t.ok(Number((await read()).stdout) >= size, `${size} batches or more, which go on from the first kept`);
    await writeFile(at('kept'), (await readFile(at('kept'), 'utf8')).replace('\n', 'x\n'));
    await t.rejects(read(), /^checkpoint: /m, 'a kept checkpoint that the key did not sign');
  }

  const bsv = await otherProgram(t, 'bsv-sdk');
  if (bsv !== undefined) {
    const [program, ...args] = bsv;
    const read = () =>
      promisify(execFile)(program, [...args, at('seals'), at('headers'), after, at('bundle')]);
    const counted = JSON.parse((await read()).stdout) as Record<string, number>;
    t.ok((counted['anchors'] ?? 0) >= BATCHES, JSON.stringify(counted));
    t.equal(counted['blocks'], bundle?.batches.length, 'each batch of the bundle');
    t.ok((counted['verified'] ?? 0) >= BATCHES - 1, 'anchors that lead back to one in a block');
    const [first, second, ...more] = (await readFile(at('seals'), 'utf8')).trimEnd().split('\n');
    await writeFile(at('seals'), [first, second, ...more.toReversed()].join('\n'));
    await t.rejects(read(), /^batch 1: /m, 'seals in another order');
  }
});
