/**
 * Tests that this version takes what another version left behind: its data folder, killed under load, and its backup
 * (`npm run upgrade` records another version).
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { TOPICS } from '@sentinel-node/contracts';
import { auditIsClean } from './support/audit.ts';
import { runChild } from './support/child.ts';
import { Person, type Member } from './support/client.ts';
import { CLOCK } from './support/faults.ts';
import { temporaryFolder } from './support/folder.ts';
import { Node, ROOT, SENTINEL } from './support/node.ts';
import { Reporter, version } from './support/reporter.ts';
import { linksOf, linksOnce, turnOff } from './support/scene.ts';
import { SECRET } from './support/secret.ts';
import { FILE_MS } from './support/until.ts';
import { missing, nthText, readRecording, unpack, type Recording } from './upgrade/recording.ts';

const RECORDINGS =
  process.env['SENTINEL_TEST_RECORDINGS'] ?? join(ROOT, 'services/all-in-one/test/recorded-versions');
/** Members that change by themselves: what was heard last, and the depth of transactions. */
const PASSING = new Set(['contact', 'lastContact', 'anchor']);
/** The state of a device follows from when it was heard. */
const PASSING_OF_DEVICE = new Set([...PASSING, 'status']);
const HOUR_MS = 3_600_000;

/** Returns the settings of a system; on a machine whose clock is before the recording, one with a later clock. */
function settingsFor({ recordedAt }: Recording): Readonly<Record<string, string>> {
  const behindMs = Date.parse(recordedAt) - Date.now();
  const env = { SENTINEL_SECRET: SECRET, SENTINEL_INTERVAL_MISSION_CRITICAL: '1' };
  if (behindMs < 0) return env;
  const offset = String(behindMs + HOUR_MS);
  return { ...env, NODE_OPTIONS: `--import=${CLOCK}`, SENTINEL_TEST_CLOCK_OFFSET_MS: offset };
}

async function signedIn(t: Test, node: Node, { orgId, person: { email, name } }: Recording): Promise<Member> {
  const person = new Person(node, email, name);
  await person.signIn();
  t.equal(person.orgId, orgId);
  return person as Member;
}

async function stops(t: Test, node: Node): Promise<void> {
  t.equal((await node.stop()).code, 0, 'it ends in order');
}

interface Item {
  readonly id: string;
}

/** Returns the lists of an answer, by the names of its members. */
const listsOf = (answer: unknown): [string, readonly Item[]][] =>
  Object.entries(answer as Record<string, readonly Item[]>).filter(([, value]) => Array.isArray(value));

/** Reads what was recorded once more. */
async function answersAreSame(t: Test, admin: Member, recording: Recording): Promise<void> {
  for (const [path, recorded] of Object.entries(recording.proofs))
    t.equal(await admin.text(path), recorded, path);
  const agent = new Reporter(admin, recording.deviceId, recording.apiKey);
  for (const [id, recorded] of Object.entries(recording.chains))
    t.same(missing(await linksOf(agent, id), recorded, PASSING), [], `the chain of ${id}`);
  for (const [path, recorded] of Object.entries(recording.answers)) {
    const found = (await admin.done('GET', path)) as Record<string, readonly Item[]>;
    const lists = listsOf(recorded);
    const passing = path.startsWith('/devices/') ? PASSING_OF_DEVICE : PASSING;
    t.same(missing(found, recorded, new Set([...passing, ...lists.map(([name]) => name)])), [], path);
    for (const [name, items] of lists) {
      const later = new Map(found[name]?.map((item) => [item.id, item]));
      t.ok(items.length > 0 && (/^\/events/.test(path) || later.size === items.length), `${path}: ${name}`);
      for (const item of items) t.same(missing(later.get(item.id), item, PASSING), [], `${path}: ${item.id}`);
    }
  }
}

/** Returns the numbers of records in a stopped system's log by file, and the highest sequence. */
async function logOf(t: Test, dataDir: string) {
  const args = [SENTINEL, 'topics', 'read', TOPICS.fileEvents, '--data', dataDir];
  const { stdout, stderr } = await runChild(t, args, { SENTINEL_SECRET: SECRET });
  const counts = new Map<string, number>();
  let last = 0;
  for (const line of stdout.split('\n').filter((one) => one !== '')) {
    const { record, report } = JSON.parse(line) as { record?: { fileId?: string }; report?: string };
    const { fileId } = record ?? {};
    if (fileId === undefined || report === undefined) continue;
    counts.set(fileId, (counts.get(fileId) ?? 0) + 1);
    last = Math.max(last, (JSON.parse(report) as { sequence: number }).sequence);
  }
  t.ok(last > 0, stderr);
  return { counts, last };
}

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
t.setTimeout(FILE_MS * folders.length);
t.ok(folders.length > 0, 'a version is recorded');
for (const { name } of folders) {
  const folder = join(RECORDINGS, name);
  const recording = readRecording(folder);
  const env = settingsFor(recording);

  t.test(`the data folder of ${recording.version}, killed under load`, { timeout: FILE_MS }, async (t) => {
    const dataDir = temporaryFolder(t);
    unpack(folder, 'data-folder', dataDir);
    const { counts, last } = await logOf(t, dataDir);
    const node = new Node(t, env, dataDir);
    await node.start();
    const admin = await signedIn(t, node, recording);
    await answersAreSame(t, admin, recording);
    const agent = new Reporter(admin, recording.deviceId, recording.apiKey, last);
    for (const [id, answered] of Object.entries(recording.busy)) {
      const count = counts.get(id) ?? 0;
      t.ok(
        count === answered || count === answered + 1,
        `${answered} reports were answered, ${count} are there`,
      );
      await linksOnce(agent, id, count);
      await agent.report(id, 'REPLACED', version(nthText(count - 1)), version(nthText(count)));
      const links = (await linksOnce(agent, id, count + 1)).reverse();
      t.same(
        links.map(({ number, hash, alerts }) => ({ number, hash, alerts })),
        links.map((_, n) => ({ number: n + 1, hash: version(nthText(n)).hash, alerts: [] })),
        'the chain goes on',
      );
    }
    const trust = await runChild(t, [SENTINEL, 'trust', '--data', dataDir], { SENTINEL_SECRET: SECRET });
    t.equal(trust.stdout, recording.trust, 'checkers trust the same log');
    await stops(t, node);
    // Where CHANGELOG.md names views to rebuild first (“Before you upgrade”), the audit is right to find differences:
    // no document of the recorded versions is of these.
    await auditIsClean(t, dataDir, { SENTINEL_SECRET: SECRET });
    const args = [SENTINEL, 'rebuild', '--all', '--data', dataDir];
    const rebuilt = await runChild(t, args, { SENTINEL_SECRET: SECRET });
    t.equal(rebuilt.code, 0, rebuilt.stderr);
    await node.start();
    const again = await signedIn(t, node, recording);
    await answersAreSame(t, again, recording);
    t.equal((await turnOff(again, recording.open, 'RESOLVED')).status, 200, 'an old alert is handled');
    await stops(t, node);
    await auditIsClean(t, dataDir, { SENTINEL_SECRET: SECRET });
  });

  t.test(`the backup of ${recording.version}`, { timeout: FILE_MS }, async (t) => {
    const backup = join(temporaryFolder(t), 'backup');
    unpack(folder, 'backup', backup);
    const dataDir = join(temporaryFolder(t), 'data');
    const args = [SENTINEL, 'restore', backup, '--data', dataDir];
    const restored = await runChild(t, args, { SENTINEL_SECRET: SECRET });
    t.equal(restored.code, 0, restored.stderr);
    await auditIsClean(t, dataDir, { SENTINEL_SECRET: SECRET });
    const node = new Node(t, env, dataDir);
    await node.start();
    await answersAreSame(t, await signedIn(t, node, recording), recording);
    await stops(t, node);
  });

  t.test(`the proofs of ${recording.version}`, { timeout: FILE_MS }, (t) => proofsHold(t, recording));
}

t.test('what an answer lacks', (t) => {
  const passing = new Set(['at']);
  const recorded = { id: 'a', list: [{ n: 0 }], none: null, at: 1 };
  t.same(missing({ ...recorded, at: 2, more: 1 }, recorded, passing), []);
  t.same(missing({ id: 'a', list: [{ n: false }] }, recorded, passing), ['/list/0/n', '/none']);
  t.same(missing({ ...recorded, list: [{ n: 0 }, {}] }, recorded, passing), ['/list: another list']);
  t.same(missing(undefined, recorded, passing), ['']);
  t.end();
});
