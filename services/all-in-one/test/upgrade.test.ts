/**
 * Tests that this version takes what another version left behind: its data folder, killed under load, and its backup
 * (`npm run upgrade` records another version).
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Link } from '@sentinel-node/contracts';
import { auditIsClean } from './support/audit.ts';
import { runChild } from './support/child.ts';
import { Person, type Member } from './support/client.ts';
import { temporaryFolder } from './support/folder.ts';
import { Node, ROOT, SENTINEL } from './support/node.ts';
import { Reporter, version } from './support/reporter.ts';
import { linksOf, linksOnce } from './support/scene.ts';
import { FILE_MS } from './support/until.ts';
import { nthText, readRecording, SECRET, unpack, type Recording } from './upgrade/recording.ts';

const RECORDINGS =
  process.env['SENTINEL_TEST_RECORDINGS'] ?? join(ROOT, 'services/all-in-one/test/recorded-versions');
const ENV = { SENTINEL_SECRET: SECRET, SENTINEL_INTERVAL_MISSION_CRITICAL: '1' };

/** Returns a link without the depth of its transaction, which grows by itself. */
const settled = (links: readonly unknown[]) =>
  (links as Link[]).map(({ anchor, ...link }) => ({ ...link, batch: anchor.batch }));

async function signedIn(node: Node, { person: { email, name } }: Recording): Promise<Member> {
  const person = new Person(node, email, name);
  await person.signIn();
  return person as Member;
}

/** Reads what was recorded once more. */
async function answersAreSame(t: Test, admin: Member, agent: Reporter, recording: Recording): Promise<void> {
  for (const [path, recorded] of Object.entries(recording.proofs)) {
    const headers = { 'x-access-token': admin.token, 'x-xsrf-token': admin.xsrf };
    const answer = await fetch(`${admin.server.url}/api/v1${path}`, { headers });
    t.equal(await answer.text(), recorded, path);
  }
  for (const [id, recorded] of Object.entries(recording.chains)) {
    const found = (await linksOf(agent, id)).slice(-recorded.length);
    t.equal(found.length, recorded.length, id);
    t.has(settled(found), settled(recorded), `the chain of ${id}`);
  }
  for (const [path, recorded] of Object.entries(recording.answers)) {
    for (const { list, items } of listsOf(recorded)) {
      const found = listsOf(await admin.done('GET', path)).find((one) => one.list === list)?.items ?? [];
      const byId = new Map(found.map((item) => [item.id, item]));
      for (const item of items) t.has(byId.get(item.id), lasting(item), `${path}: ${list} ${item.id}`);
    }
  }
}

interface Item {
  readonly id: string;
}

/** Returns the lists of an answer by their names; an answer without a list is one item. */
function listsOf(answer: unknown): { readonly list: string; readonly items: readonly Item[] }[] {
  const entries = Object.entries(answer as Record<string, unknown>);
  const lists = entries.filter((entry): entry is [string, Item[]] => Array.isArray(entry[1]));
  return lists.map(([list, items]) => ({ list, items }));
}

/** Members that change by themselves: what was heard last, and the depth of transactions. */
const PASSING = new Set(['anchor', 'contact', 'lastContact', 'checkedAt', 'lastLogin', 'lastSignIn']);
const lasting = (item: Item): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !PASSING.has(name)));

async function proofsHold(t: Test, recording: Recording): Promise<void> {
  const folder = temporaryFolder(t);
  const trust = join(folder, 'trust.json');
  writeFileSync(trust, recording.trust);
  for (const [path, proof] of Object.entries(recording.proofs)) {
    const file = join(folder, 'proof.json');
    writeFileSync(file, proof);
    const { stdout, stderr } = await runChild(t, [SENTINEL, 'verify', file, '--trust', trust]);
    t.match(stdout, /^NOT PUBLIC: all holds/m, `${path} ${stderr}`);
  }
}

const folders = readdirSync(RECORDINGS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
t.setTimeout(FILE_MS);
t.ok(folders.length > 0, 'a version is recorded');
for (const { name } of folders) {
  const folder = join(RECORDINGS, name);
  const recording = readRecording(folder);
  const agentOf = (admin: Member): Reporter => new Reporter(admin, recording.deviceId, recording.apiKey);

  t.test(`the data folder of ${recording.version}, killed under load`, { timeout: FILE_MS }, async (t) => {
    const dataDir = temporaryFolder(t);
    unpack(folder, 'data-folder', dataDir);
    const node = new Node(t, ENV, dataDir);
    await node.start();
    const admin = await signedIn(node, recording);
    const agent = agentOf(admin);
    await answersAreSame(t, admin, agent, recording);
    for (const [id, answered] of Object.entries(recording.busy)) {
      const before = await linksOnce(agent, id, answered);
      const last = before.length - 1;
      t.ok(
        last === answered - 1 || last === answered,
        `${answered} reports were answered, ${before.length} are there`,
      );
      t.equal(before[0]!.hash, version(nthText(last)).hash);
      await agent.report(id, 'REPLACED', version(nthText(last)), version(nthText(last + 1)));
      const [newest] = await linksOnce(agent, id, before.length + 1);
      t.equal(newest!.number, before.length + 1, 'the chain goes on');
      t.not(newest!.type, 'BREAK');
    }
    await node.stop();
    await auditIsClean(t, dataDir, { SENTINEL_SECRET: SECRET });
    const rebuilt = await runChild(t, [SENTINEL, 'rebuild', '--all', '--data', dataDir], {
      SENTINEL_SECRET: SECRET,
    });
    t.equal(rebuilt.code, 0, rebuilt.stderr);
    await node.start();
    const again = await signedIn(node, recording);
    await answersAreSame(t, again, agentOf(again), recording);
    await node.stop();
  });

  t.test(`the backup of ${recording.version}`, { timeout: FILE_MS }, async (t) => {
    const backup = join(temporaryFolder(t), 'backup');
    mkdirSync(backup);
    unpack(folder, 'backup', backup);
    const dataDir = join(temporaryFolder(t), 'data');
    const env = { SENTINEL_SECRET: SECRET };
    const restored = await runChild(t, [SENTINEL, 'restore', backup, '--data', dataDir], env);
    t.equal(restored.code, 0, restored.stderr);
    await auditIsClean(t, dataDir, env);
    const node = new Node(t, ENV, dataDir);
    await node.start();
    const admin = await signedIn(node, recording);
    await answersAreSame(t, admin, agentOf(admin), recording);
    await node.stop();
  });

  t.test(`the proofs of ${recording.version}`, { timeout: FILE_MS }, (t) => proofsHold(t, recording));
}
