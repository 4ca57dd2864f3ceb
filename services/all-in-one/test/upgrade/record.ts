/**
 * Records what another version leaves behind (`npm run upgrade`). The programs of that version run as in its own release;
 * only the API is used, so that any version can be recorded.
 */
import { join } from 'node:path';
import { DEV_BLOCK_DEPTH } from '@sentinel-node/platform/ledger';
import t from 'tap';
import type { Link } from '@sentinel-node/contracts';
import { runChild } from '../support/child.ts';
import { invited } from '../support/client.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Node } from '../support/node.ts';
import { addFiles, version } from '../support/reporter.ts';
import { alertsOf, anchoredLinks, historyOn, linksOf, raisedOn, turnOff } from '../support/scene.ts';
import { FILE_MS, until } from '../support/until.ts';
import { SECRET } from '../support/secret.ts';
import { nthText, writeRecording } from './recording.ts';

const given = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set; use npm run upgrade`);
  return value;
};
/** Folder of the other version's programs, its commit, and where the recording goes. */
const PROGRAMS = given('SENTINEL_RECORD_PROGRAMS');
const VERSION = given('SENTINEL_RECORD_VERSION');
const TO = given('SENTINEL_RECORD_TO');
const SENTINEL_OF_VERSION = join(PROGRAMS, 'services/agent/bin/sentinel.mjs');
const BUNDLE = join(PROGRAMS, 'services/all-in-one/dist/bundle/all-in-one.js');
/** Files that are reported when the process is killed, and the least number of their reports. */
const BUSY_FILES = 3;
const LAST_REPORTS = 10;

t.setTimeout(FILE_MS);
t.test(`record ${VERSION}`, { timeout: FILE_MS }, async (t) => {
  const env = { SENTINEL_SECRET: SECRET, SENTINEL_INTERVAL_MISSION_CRITICAL: '1' };
  const node = new Node(t, env, temporaryFolder(t), BUNDLE);
  await node.start();
  const { admin, agent, files, stream } = await historyOn(t, node);
  const more = await addFiles(agent, {
    fixed: { modifiable: false },
    open: { modifiable: false },
    rolled: { rolled: true, rolledFilenameRegexp: 'rolled\\.[0-9]+', monitoringFrequency: 'FOLLOW' },
  });
  const { fixed = '', open = '', rolled = '' } = more;
  for (const id of [fixed, open]) {
    await agent.report(id, 'FIRST', version('a'));
    await agent.report(id, 'REPLACED', version('a'), version('other'));
  }
  const handled = await turnOff(admin, await raisedOn(stream, fixed, 'UNEXPECTED_CHANGE'), 'RESOLVED');
  t.equal(handled.status, 200);
  const { id, deviceId, fileId } = await raisedOn(stream, open, 'UNEXPECTED_CHANGE');
  await agent.report(rolled, 'FIRST', version('log'));
  await agent.reportWith(rolled, {
    change: 'ROLLED',
    versions: [version('log'), version('')],
    archives: [{ name: 'rolled.1', ...version('log and more') }],
  });
  t.equal((await agent.heartbeat('one')).status, 200);
  await invited(admin, 'bob@example.org', 'Bob');
  const quiet = Object.values({ ...files, ...more });
  const names = Array.from({ length: BUSY_FILES }, (_, n) => `busy ${n}`);
  const added = await addFiles(agent, Object.fromEntries(names.map((name) => [name, {}])));
  const busyIds = Object.values(added);
  await until('the alert that was handled', async () => {
    const alerts = await alertsOf(agent, fixed);
    return alerts.every(({ status }) => status === 'RESOLVED') ? true : undefined;
  });
  const proofs: Record<string, string> = {};
  for (const id of quiet)
    for (const link of await anchoredLinks(agent, id)) {
      const path = `/proofs/${agent.path}/${id}/${link.id}`;
      proofs[path] = await until(
        `${path} at the depth from which nothing changes`,
        async () => {
          const proof = await admin.text(path);
          const { block } = JSON.parse(proof) as { block?: { confirmations: number } };
          return block?.confirmations === DEV_BLOCK_DEPTH ? proof : undefined;
        },
        FILE_MS,
      );
    }
  const chains: Record<string, Link[]> = {};
  for (const id of quiet) chains[id] = await linksOf(agent, id);
  const answers: Record<string, unknown> = {};
  for (const path of [
    `/alerts/${admin.orgId}?limit=500`,
    `/events/${admin.orgId}?limit=500`,
    `/devices/${agent.path}`,
    `/users/${admin.orgId}`,
  ])
    answers[path] = await admin.done('GET', path);
  t.equal((await node.stop()).code, 0);

  const sentinel = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runChild(t, [SENTINEL_OF_VERSION, ...args], {
      SENTINEL_SECRET: SECRET,
    });
    if (code !== 0) throw new Error(`sentinel ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const backup = join(temporaryFolder(t), 'backup');
  await sentinel('backup', backup, '--data', node.dataDir);
  const trust = await sentinel('trust', '--data', node.dataDir);

  await node.start();
  const busy: Record<string, number> = {};
  const reports = busyIds.map(async (id) => {
    for (busy[id] = 0; ; busy[id] += 1) {
      const n = busy[id]!;
      if (n === 0) await agent.report(id, 'FIRST', version(nthText(0)));
      else await agent.report(id, 'REPLACED', version(nthText(n - 1)), version(nthText(n)));
    }
  });
  // Each ends with the call that the kill cuts off.
  const ended = Promise.allSettled(reports);
  await until('reports under way', () =>
    busyIds.every((id) => (busy[id] ?? 0) >= LAST_REPORTS) ? true : undefined,
  );
  await node.kill();
  await ended;
  const { email, name, orgId } = admin;
  writeRecording(
    TO,
    {
      version: VERSION,
      recordedAt: new Date().toISOString(),
      person: { email, name },
      orgId,
      deviceId: agent.deviceId,
      apiKey: agent.apiKey,
      busy,
      proofs,
      answers,
      chains,
      open: { id, deviceId, fileId },
      trust,
    },
    { 'data-folder': node.dataDir, backup },
  );
});
