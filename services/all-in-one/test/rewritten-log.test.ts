/** Tests which evidence shows, and to whom, that the operator rewrote history. */
import { cpSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import {
  encodeAddCheckpoint,
  fromHex,
  TOPICS,
  type Link,
  type OperationRecord,
} from '@sentinel-node/contracts';
import { audit } from './support/audit.ts';
import { runChild, startChild } from './support/child.ts';
import type { Member } from './support/client.ts';
import { temporaryFolder } from './support/folder.ts';
import { Forger } from './support/forger.ts';
import { Node, QUIET, RUN, SENTINEL } from './support/node.ts';
import { deviceOf, version } from './support/reporter.ts';
import { linksOf, linksOnce, sceneOn } from './support/scene.ts';
import { documentsOf } from './support/stored.ts';
import { until } from './support/until.ts';
import { SECRET } from './support/secret.ts';

const TEST_MS = 600_000;
const CONTRADICTION = 3;
const NOT_PUBLIC = 3;
/** Exit code of `sentinel agent --once` after a broken promise of the server or a problem of the log. */
const AGENT_SAYS_BROKEN = 6;
const OTHER_ROOT = 'another checkpoint of this size was cosigned\n';
const SECRET_ENV = { SENTINEL_SECRET: SECRET };
const ENV = { ...SECRET_ENV, SENTINEL_INTERVAL_MISSION_CRITICAL: '1' };

t.setTimeout(TEST_MS);
t.test('a rewritten log', { timeout: TEST_MS }, async (t) => {
  const node = new Node(t, ENV);
  await node.start();
  const { admin, agent, files } = await sceneOn(t, node, { ledger: {} });
  const fileId = files['ledger']!;
  const inBlock = (count: number): Promise<Link[]> =>
    until(`${count} links in blocks`, async () => {
      const links = await linksOf(agent, fileId);
      const isDone = links.length === count && links.every(({ anchor }) => anchor.confirmations > 0);
      return isDone ? links : undefined;
    });
  await agent.report(fileId, 'FIRST', version('a'));
  await inBlock(1);
  await agent.report(fileId, 'REPLACED', version('a'), version('what really happened'));
  await inBlock(2);
  await agent.report(fileId, 'REPLACED', version('what really happened'), version('c'));
  await inBlock(3);
  const folder = temporaryFolder(t);
  await mkdir(folder, { recursive: true });
  const [kept, trust, backup] = ['kept-checkpoint', 'trust.json', 'backup'].map((name) => join(folder, name));
  await writeFile(kept!, await (await fetch(`${node.url}/checkpoint`)).text());
  const sentinel = (t: Test, ...args: string[]) => runChild(t, [SENTINEL, ...args], SECRET_ENV);
  await writeFile(trust!, (await sentinel(t, 'trust', '--data', node.dataDir)).stdout);
  const watching = await watchingAgent(t, admin, trust!);
  t.match(await watching.looks(node.url), { code: 0 }, 'an agent has seen the log');
  const witness = await witnessOf(t, await vkeyOf(node));
  const keptNote = await readFile(kept!, 'utf8');
  t.equal((await witness.offered(0, [], keptNote)).status, 200, 'a witness has cosigned the log');
  await node.stop();
  const [{ logId }] = (await documentsOf<{ logId: string }>(node, 'deployment')).filter(
    (one) => 'logId' in one,
  ) as [{ logId: string }];
  const made = await sentinel(t, 'backup', backup!, '--data', node.dataDir);
  t.equal(made.code, 0, made.stderr);

  await t.test('as it is, the audit agrees with the kept checkpoint', async (t) => {
    const { code, stdout } = await sentinel(t, 'audit', '--data', node.dataDir, '--checkpoint', kept!);
    t.equal(code, 0, stdout);
    const asJson = async (...args: string[]) =>
      JSON.parse((await sentinel(t, 'audit', '--data', node.dataDir, '--json', ...args)).stdout);
    t.match(await asJson('--checkpoint', kept!), { boundBatches: Number(keptNote.split('\n')[1]) });
    t.equal((await asJson()).boundBatches, null);
    t.match(await sentinel(t, 'audit', '--data', node.dataDir, '--checkpoint', trust!), {
      code: 2,
      stderr: /is not a checkpoint that the key of this log signed/,
    });
  });

  /** Restores a system with a forged event; without `change`, only the transactions stay the same. */
  async function forged(
    t: Test,
    change: (forger: Forger, first: number) => void,
  ): Promise<{ dataDir: string; first: number }> {
    const copy = join(temporaryFolder(t), 'backup');
    cpSync(backup!, copy, { recursive: true });
    const forger = new Forger(t, copy, fromHex(logId));
    const first = await forger.rewrite(
      version('what really happened').hash,
      version('what suits better').hash,
    );
    change(forger, first);
    const dataDir = temporaryFolder(t);
    const { code, stderr } = await sentinel(t, 'restore', copy, '--data', dataDir);
    t.equal(code, 0, stderr);
    return { dataDir, first };
  }

  await t.test('with its transactions left: audit and start refuse and name the first batch', async (t) => {
    const { dataDir, first } = await forged(t, () => undefined);
    t.ok(first > 0, `batch ${first}`);
    const { code, findings, result } = await audit(t, dataDir, SECRET_ENV);
    t.same(
      findings.filter((finding) => !finding.startsWith('anchors: ')),
      [],
      'all else follows from the forged event',
    );
    t.equal(code, CONTRADICTION);
    t.match(result.contradiction, { batch: first, what: /SEAL_ANCHOR_DIFFERS/ });
    t.match(
      (await sentinel(t, 'audit', '--data', dataDir)).stdout,
      `batch ${first} is the first that contradicts`,
    );

    const child = startChild(t, [RUN], { ...QUIET, ...ENV, SENTINEL_DATA_DIR: dataDir });
    const url = await until('its address', () => /^ {2}console {5}(\S+)$/m.exec(child.stderr())?.[1]);
    const address = url.replace('//localhost:', '//127.0.0.1:');
    const ready = await fetch(`${address}/readyz`);
    t.equal(ready.status, 503);
    t.match(await ready.text(), /anchoring/);
    t.match(
      await (await fetch(`${address}/metrics`)).text(),
      new RegExp(`anchoring_contradicted_batch\\{[^}]*\\} ${first}\\n`),
    );
    t.match(child.stdout() + child.stderr(), new RegExp(`"batch":${first},.*contradicts its transaction`));
    t.equal((await fetch(`${address}/checkpoint`)).status, 503, 'nothing of it is signed');
    child.process.kill('SIGTERM');
    await child.ended;
    const { stdout } = await sentinel(t, 'topics', 'read', TOPICS.operations, '--data', dataDir);
    const told = stdout.split('\n').filter((line) => line !== '');
    const facts = told.map((line) => (JSON.parse(line) as { record: OperationRecord }).record);
    matchList(
      t,
      facts.map(({ kind, state, batch }) => ({ kind, state, batch })),
      [
        { kind: 'evidence', state: 'wrong', batch: first },
        { kind: 'anchoring', state: 'wrong', batch: first },
      ],
      'of two audits and a start, each fact once',
    );
    t.equal(facts.length, 2);
  });

  await t.test('anchored anew on the development ledger: a kept checkpoint shows it', async (t) => {
    const { dataDir, first } = await forged(t, (forger, from) => forger.forgetAnchors(from));
    const again = new Node(t, ENV, dataDir);
    await again.start();
    await Object.assign(admin, { server: again }).signIn();
    const [newest] = await linksOnce(agent, fileId, 3);
    const proof = await until('a proof by the new transactions', async () => {
      const { status, body } = await admin.api('GET', `/proofs/${agent.path}/${fileId}/${newest!.id}`);
      // The forged views contain paths of the earlier log; until the batches are published again, the answer
      // is 500.
      const one = body as { state?: string };
      return status === 200 && one.state === 'MINED' ? one : undefined;
    });
    const agentSays = await watching.looks(again.url);
    t.equal(agentSays.code, AGENT_SAYS_BROKEN, agentSays.stderr);
    t.match(agentSays.stderr, /CONTRADICTION: .* is not shown to go on/, 'agents are the first witnesses');
    const { events } = await admin.done('GET', `/events/${watching.path}?limit=500`);
    t.match(JSON.stringify(events), /LOG_NOT_CONTINUED/);
    const note = await (await fetch(`${again.url}/checkpoint`)).text();
    const size = Number(keptNote.split('\n')[1]);
    const { path: way } = (await (
      await fetch(`${again.url}/consistency/${size}/${note.split('\n')[1]}`)
    ).json()) as { path: string[] };
    const refused = await witness.offered(size, way, note);
    t.same([refused.status, await refused.text()], [409, OTHER_ROOT], 'any witness shows it');
    await again.stop();
    const path = join(folder, 'proof.json');
    await writeFile(path, JSON.stringify(proof));
    const blind = await sentinel(t, 'verify', path, '--trust', trust!);
    t.equal(blind.code, NOT_PUBLIC, 'it passes with the old trust file');
    t.match(blind.stdout, /ONE_LOG_NOT_SHOWN/);
    const seeing = await sentinel(t, 'verify', path, '--trust', trust!, '--checkpoint', kept!);
    t.match(seeing, { code: 1, stdout: /FAILS {4}KEPT_CHECKPOINT_DIFFERS/ });
    t.same((await audit(t, dataDir, SECRET_ENV)).findings, [], 'the audit alone cannot know');
    const told = await sentinel(t, 'audit', '--data', dataDir, '--checkpoint', kept!);
    t.match(told, { code: CONTRADICTION, stdout: /another one than that of the kept checkpoint/ });
    t.ok(first > 0);
  });
});

/** Returns the real agent of a device without files, with the trust file; its state outlives the server. */
async function watchingAgent(t: Test, admin: Member, trust: string) {
  const { apiKey, deviceId, path } = await deviceOf(admin);
  const state = temporaryFolder(t);
  return {
    path,
    looks: async (url: string) => {
      const config = join(temporaryFolder(t), 'agent.json');
      await mkdir(dirname(config), { recursive: true });
      const configuration = {
        ...{ orgId: admin.orgId, devId: deviceId, apiKey, healthInterval: 10 },
        ...{
          workingDirectory: state,
          sentinelAddress: `${url}/api/v1`,
          clearOrphanedProcesses: true,
          files: [],
        },
      };
      await writeFile(config, JSON.stringify(configuration));
      return runChild(t, [
        SENTINEL,
        'agent',
        '--once',
        '--config',
        config,
        '--state',
        state,
        '--trust',
        trust,
      ]);
    },
  };
}

const vkeyOf = async ({ dataDir }: Node): Promise<string> => {
  const { stdout } = await runChild(t, [SENTINEL, 'trust', '--vkey', '--data', dataDir], SECRET_ENV);
  return stdout.trim();
};

/** Starts another organisation's `sentinel witness`. @returns a function that offers checkpoints to it */
async function witnessOf(t: Test, vkey: string) {
  const args = ['witness', '--state', temporaryFolder(t), '--name', 'w.example', '--log', vkey];
  const child = startChild(t, [SENTINEL, ...args, '--listen', '127.0.0.1:0'], {});
  const url = await until('the witness', () => /(http:\S+)$/m.exec(child.stdout())?.[1]);
  return {
    offered: (oldSize: number, path: readonly string[], checkpoint: string) =>
      fetch(`${url}/add-checkpoint`, {
        method: 'POST',
        body: encodeAddCheckpoint({ oldSize, path: path.map(fromHex), checkpoint }),
      }),
  };
}
