/**
 * Records what another version leaves behind (`npm run upgrade`). The programs of that version run as in its own release;
 * only the API is used, so that any version can be recorded.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Link } from '@sentinel-node/contracts';
import { runChild } from '../support/child.ts';
import { call, invited } from '../support/client.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Node } from '../support/node.ts';
import { addFiles, version } from '../support/reporter.ts';
import { historyOn, linksOf, raisedOn, turnOff } from '../support/scene.ts';
import { FILE_MS, until } from '../support/until.ts';
import { nthText, SECRET, writeRecording } from './recording.ts';

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
    rolled: { rolled: true, rolledFilenameRegexp: 'rolled\\.[0-9]+', monitoringFrequency: 'FOLLOW' },
  });
  const { fixed = '', rolled = '' } = more;
  await agent.report(fixed, 'FIRST', version('a'));
  await agent.report(fixed, 'REPLACED', version('a'), version('other'));
  await turnOff(admin, await raisedOn(stream, fixed, 'UNEXPECTED_CHANGE'), 'RESOLVED');
  await agent.report(rolled, 'FIRST', version('log'));
  await agent.reportWith(rolled, {
    change: 'ROLLED',
    versions: [version('log'), version('')],
    archives: [{ name: 'rolled.1', ...version('log and more') }],
  });
  await agent.heartbeat('one');
  await invited(admin, 'bob@example.org', 'Bob');
  const all = { ...files, ...more };
  const names = Array.from({ length: BUSY_FILES }, (_, n) => `busy ${n}`);
  const added = await addFiles(agent, Object.fromEntries(names.map((name) => [name, {}])));
  const ids = Object.values(added);
  const linksOfAll = async (): Promise<[string, Link[]][]> =>
    Promise.all(Object.values(all).map(async (id) => [id, await linksOf(agent, id)] as [string, Link[]]));
  const anchored = await until('anchored links', async () => {
    const found = await linksOfAll();
    const isDone = found.every(([, links]) => links.length > 0 && links.every(({ bsvId }) => bsvId !== null));
    return isDone ? found : undefined;
  });
  const text = async (path: string): Promise<string> => {
    const headers = { 'x-access-token': admin.token, 'x-xsrf-token': admin.xsrf };
    const answer = await fetch(`${node.url}/api/v1${path}`, { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  };
  const proofs: Record<string, string> = {};
  for (const [id, links] of anchored)
    for (const link of links) {
      const path = `/proofs/${agent.path}/${id}/${link.id}`;
      proofs[path] = await until(`${path} in a block`, async () => {
        const proof = await text(path);
        return (JSON.parse(proof) as { state: string }).state === 'MINED' ? proof : undefined;
      });
    }
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
  await until('the API', async () =>
    (await call(node, 'GET', '/readyz')).status === 200 ? true : undefined,
  );
  const busy: Record<string, number> = {};
  const isKilled = { now: false };
  const reports = ids.map(async (id) => {
    for (busy[id] = 0; !isKilled.now; busy[id] += 1) {
      const n = busy[id]!;
      if (n === 0) await agent.report(id, 'FIRST', version(nthText(0)));
      else await agent.report(id, 'REPLACED', version(nthText(n - 1)), version(nthText(n)));
    }
  });
  for (const running of reports) running.catch(() => undefined);
  await until('reports under way', () =>
    ids.every((id) => (busy[id] ?? 0) >= LAST_REPORTS) ? true : undefined,
  );
  isKilled.now = true;
  await node.kill();
  await Promise.allSettled(reports);
  const data = join(temporaryFolder(t), 'data');
  cpSync(node.dataDir, data, { recursive: true });
  const { email, name, orgId } = admin;
  const { deviceId, apiKey } = agent;
  writeRecording(
    TO,
    {
      version: VERSION,
      person: { email, name },
      orgId,
      deviceId,
      apiKey,
      files: all,
      busy,
      proofs,
      answers,
      chains: Object.fromEntries(anchored),
      trust,
    },
    { 'data-folder': data, backup },
  );
});
