/** Tests a backup of a working cluster, restored into another Kafka and another MongoDB. */
import { join } from 'node:path';
import t from 'tap';
import { replacedBy } from '@sentinel-node/platform';
import { VIEW_COLLECTIONS } from '@sentinel-node/query';
import { MongoClient } from 'mongodb';
import type { AuditResult } from '../src/audit/audit.ts';
import { NOT_VIEWS } from '../src/not-views.ts';
import { Cluster, startServers } from './support/cluster.ts';
import { temporaryFolder } from './support/folder.ts';
import { life } from './support/life.ts';
import { version } from './support/reporter.ts';
import { linksOf, linksOnce, raisedOn, sceneOn, turnOff } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';

const CLUSTER_MS = 2 * FILE_MS;
t.setTimeout(CLUSTER_MS);

async function auditFinds(cluster: Cluster): Promise<readonly unknown[]> {
  const { stdout, stderr } = await cluster.command('audit', '--json');
  if (!stdout.startsWith('{')) throw new Error(`the audit did not work: ${stderr}`);
  return (JSON.parse(stdout) as AuditResult).findings;
}

t.test('backup, rebuild and restore on Kafka and MongoDB', { timeout: CLUSTER_MS }, async (t) => {
  const servers = await startServers(t);
  if (servers === undefined) return;
  const env = { SENTINEL_INTERVAL_MISSION_CRITICAL: '4' };
  const folder = join(temporaryFolder(t), 'backup');
  const cluster = await Cluster.start(t, servers, { env });
  const made = await sceneOn(t, cluster, { one: {}, two: {}, three: {} });
  const { admin, agent, files, stream } = made;
  const { one = '', two = '' } = files;
  for (const id of Object.values(files)) await agent.report(id, 'FIRST', version('a'));
  await agent.report(two, 'MISSING');
  await turnOff(admin, await raisedOn(stream, two, 'EMPTY'), 'DEACTIVATED');
  await agent.report(two, 'FIRST', version('a'));
  await until('an anchored link', async () => ((await linksOf(agent, one))[0]?.bsvId ? true : undefined));
  const end = life(made);
  const live = { ended: false };
  /** Links that were anchored before the backup. */
  const kept: Awaited<ReturnType<typeof linksOf>> = [];

  try {
    await t.test('all views are rebuilt while reports and the registry go on', async (t) => {
      const { code, stdout, stderr } = await cluster.command('rebuild', '--all', '--json');
      t.equal(code, 0, stderr);
      t.equal((JSON.parse(stdout) as { rebuilt: string[] }).rebuilt.length, VIEW_COLLECTIONS.length);
      t.strictSame(await auditFinds(cluster), []);
    });
    kept.push(...(await linksOf(agent, one)).filter(({ bsvId }) => bsvId !== null));
    const { code, stderr } = await cluster.command('backup', folder);
    t.equal(code, 0, stderr);
    t.ok((await end()) > 3, 'something happened meanwhile');
    live.ended = true;
  } finally {
    if (!live.ended) await end();
  }

  await t.test('every collection of the cluster is a view or listed as none', async (t) => {
    const client = await MongoClient.connect(servers.mongo.url);
    const found = await client.db('sentinel').listCollections({}, { nameOnly: true }).toArray();
    await client.close();
    const names = found.map(({ name }) => name);
    const listed = new Set([
      ...VIEW_COLLECTIONS.map(({ name }) => name),
      ...NOT_VIEWS.map(({ spec }) => spec.name),
    ]);
    t.strictSame(
      names.filter((name) => !listed.has(name)),
      [],
      'no replacement is left, nothing is unknown',
    );
    t.ok(names.every((name) => replacedBy(name) === undefined));
  });
  await cluster.stop();
  await Promise.all([servers.kafka.stop(), servers.mongo.stop()]);

  await t.test('another Kafka and another MongoDB take it', async (t) => {
    const others = await startServers(t);
    if (others === undefined) return;
    const other = await Cluster.prepare(t, others, { env });
    const { code, stderr } = await other.command('restore', folder);
    t.equal(code, 0, stderr);
    const again = await other.command('restore', folder);
    t.equal(again.code, 1);
    t.match(again.stderr, /^sentinel restore: the document store is not empty/m);
    await other.start();
    Object.assign(admin, { server: other });
    await admin.signIn();
    t.strictSame(await auditFinds(other), []);
    const links = await linksOf(agent, one);
    const byId = new Map(links.map((link) => [link.id, link]));
    const same = kept.filter(
      ({ id, linkHash, bsvId }) => byId.get(id)?.linkHash === linkHash && byId.get(id)?.bsvId === bsvId,
    );
    t.ok(kept.length > 0);
    t.strictSame(same, kept, 'links that were anchored before the backup are where they were');
    await agent.reportWith(one, { change: 'REPLACED', versions: [version('a'), version('restored')] });
    const [newest] = await linksOnce(agent, one, links.length + 1);
    t.equal(newest!.hash, version('restored').hash);
    await until('it is anchored', async () => ((await linksOf(agent, one))[0]?.bsvId ? true : undefined));
    t.strictSame(await auditFinds(other), []);
    await other.stop();
  });
});
