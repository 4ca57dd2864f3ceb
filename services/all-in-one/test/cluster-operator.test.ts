/**
 * Tests commands of the operator on Kafka and MongoDB, beside working services: `sentinel audit`, and dead letters.
 * They share a cluster, whose start takes longer than most of them.
 */
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import type { Test } from 'tap';
import type { AuditResult } from '../src/audit/audit.ts';
import { startChild } from './support/child.ts';
import { Cluster, startServers } from './support/cluster.ts';
import { SENTINEL } from './support/node.ts';
import { life } from './support/life.ts';
import { passesOverPoison } from './support/passed-over.ts';
import { version } from './support/reporter.ts';
import { linksOf, raisedOn, sceneOn, turnOff, type Scene } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';
import { SECRET } from './support/secret.ts';

const CLUSTER_MS = 2 * FILE_MS;
t.setTimeout(CLUSTER_MS);

interface Audited {
  readonly code: number | null;
  readonly stderr: string;
  readonly result: AuditResult;
  readonly findings: readonly string[];
}

async function audit(cluster: Cluster, ...args: string[]): Promise<Audited> {
  const { code, stdout, stderr } = await cluster.command('audit', '--json', ...args);
  if (!stdout.startsWith('{')) throw new Error(`the audit did not work: ${code} ${stdout}${stderr}`);
  const result = JSON.parse(stdout) as AuditResult;
  return { code, stderr, result, findings: result.findings.map(({ check, what }) => `${check}: ${what}`) };
}

async function filled(t: Test, cluster: Cluster): Promise<Scene<Cluster>> {
  const made = await sceneOn(t, cluster, { one: {}, two: {}, three: {} });
  const { admin, agent, files, stream } = made;
  for (const id of Object.values(files)) await agent.report(id, 'FIRST', version('a'));
  await agent.report(files['one']!, 'REPLACED', version('a'), version('b'), version('a'));
  await agent.report(files['two']!, 'MISSING');
  await turnOff(admin, await raisedOn(stream, files['two']!, 'EMPTY'), 'DEACTIVATED');
  await until('an anchored link', async () => {
    const [newest] = await linksOf(agent, files['one']!);
    return newest === undefined || newest.bsvId === null ? undefined : true;
  });
  return made;
}

t.test('commands of the operator on a live cluster', { timeout: CLUSTER_MS }, async (t) => {
  const servers = await startServers(t);
  if (servers === undefined) return;
  const env = { SENTINEL_INTERVAL_MISSION_CRITICAL: '4' };
  const cluster = await Cluster.start(t, servers, { env, counts: { 'chain-verifier': 2 } });
  const client = await MongoClient.connect(servers.mongo.url);
  t.teardown(() => client.close());
  const databases = async () => (await client.db().admin().listDatabases()).databases.map(({ name }) => name);
  const before = (await databases()).sort();
  const made = await filled(t, cluster);

  await t.test('finds nothing while reports, claims and the registry go on', async (t) => {
    const end = life(made);
    try {
      for (let round = 0; round < 2; round += 1) {
        const { code, findings, result, stderr } = await audit(cluster);
        t.same(findings, [], stderr);
        t.equal(code, 0);
        t.ok(result.judged > 5 && result.batches > 0 && result.documents > 20 && result.entries > 5);
      }
    } finally {
      t.ok((await end()) > 3, 'something happened meanwhile');
    }
  });

  await t.test('seals, headers and anchors are given out beside it', async (t) => {
    const headers = await cluster.command('headers', join(t.testdir(), 'headers'));
    t.match(headers, { code: 0, stderr: /^sentinel headers: blocks 0 to \d+; /m });
    t.match(await cluster.command('seals'), { code: 0, stdout: /^\{.*\n\{"batch":0,/ });
    t.match(await cluster.command('anchors'), { code: 0, stdout: /^ +\d+ {2}2\S+Z {2}\w/m });
  });

  await t.test('names what was edited, taken away, put in, in the store', async (t) => {
    const db = client.db('sentinel');
    const [link] = await linksOf(made.agent, made.files['one']!);
    const changed = await db
      .collection<{ _id: string }>('links')
      .findOneAndUpdate({ _id: link!.id }, { $set: { hash: version('forged').hash } });
    const gone = await db.collection<{ _id: string }>('alerts').findOneAndDelete({});
    const user = await db.collection('users').findOne({});
    await db.collection<{ _id: string }>('users').insertOne({ ...user, _id: 'forged' });
    const end = life(made);
    try {
      const { code, findings } = await audit(cluster);
      t.equal(code, 1);
      matchList(t, findings, [
        `views: users forged: no record of the log gives it`,
        `views: links ${link!.id}: hash differ from what the log gives`,
        `views: alerts ${gone!._id}: missing, the log gives it`,
      ]);
      t.equal(findings.length, 3);
    } finally {
      await end();
      await db.collection<{ _id: string }>('links').replaceOne({ _id: link!.id }, changed!);
      await db.collection<{ _id: string }>('alerts').insertOne(gone!);
      await db.collection<{ _id: string }>('users').deleteOne({ _id: 'forged' });
    }
  });

  await t.test(
    'waits for services that do not run as long as it is told to, and says for which',
    async (t) => {
      t.equal((await audit(cluster)).code, 0, 'all reports before are judged');
      await cluster.of('chain-verifier', 0).stop();
      await cluster.of('chain-verifier', 1).stop();
      await made.agent.report(made.files['three']!, 'UNCHANGED', version('a'), version('a'));
      const { code, stdout, stderr } = await cluster.command('audit', '--wait', '1');
      t.equal(code, 1);
      t.equal(stdout, '');
      t.match(
        stderr,
        /^sentinel audit: after 1 s still waiting for chain-verifier: 1 records to go; .*--wait/m,
      );
      await cluster.start();
      t.equal((await audit(cluster)).code, 0);
    },
  );

  await t.test('ended by a signal it cleans up', async (t) => {
    // Without a projector, the audit rebuilds the views and then waits, so it cannot end before the signal.
    await cluster.of('query', 0).stop();
    await made.agent.report(made.files['three']!, 'UNCHANGED', version('a'), version('a'));
    const child = startChild(t, [SENTINEL, 'audit'], {
      SENTINEL_KAFKA_BROKERS: servers.kafka.brokers,
      SENTINEL_MONGODB_URL: servers.mongo.url,
      SENTINEL_SECRET: SECRET,
    });
    await until('the scratch database', async () =>
      (await databases()).some((name) => name.includes('_scratch_')) ? true : undefined,
    );
    child.process.kill('SIGINT');
    t.equal((await child.ended).code, 130);
    t.match(child.stderr(), /^sentinel audit: ended by SIGINT$/m);
    t.notOk((await databases()).some((name) => name.includes('_scratch_')));
    await cluster.start();
  });

  await t.test('wrong usage is one line', async (t) => {
    const usage = await cluster.command('audit', '--wait', 'long');
    t.equal(usage.code, 2);
    t.match(usage.stderr, /^sentinel audit: --wait takes a whole number from 1 to 86400\n$/);
  });

  t.same(
    (await databases()).filter((name) => name !== 'sentinel').sort(),
    before.filter((name) => name !== 'sentinel'),
    'no scratch database is left',
  );
  await t.test('poison in a live cluster', (t) => passesOverPoison(t, cluster));
  t.equal((await cluster.stop()).code, 0);
});
