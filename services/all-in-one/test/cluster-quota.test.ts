/** Tests an operator's commands under their own quota: slower, complete, and with the time left. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { CLUSTER_TOPICS } from '@sentinel-node/platform';
import { setClientQuota } from '@sentinel-node/test-kit/test-servers';
import { OPERATOR_CLIENT_ID } from '../src/operator/run.ts';
import type { ReadTotal, TopicReads } from '../src/operator/read-counter.ts';
import { Cluster, startServers, type Servers } from './support/cluster.ts';
import { founder } from './support/client.ts';
import { temporaryFolder } from './support/folder.ts';
import { Load } from './support/load.ts';
import { poison } from './support/poison.ts';
import { seeded } from './support/random.ts';
import { documentsOf } from './support/stored.ts';
import { FAULTS_MS, until } from './support/until.ts';

/**
 * Number of bodies, each with 200 lines of 10 files: no batch of Kafka comes near the bytes that a quota
 * allows in its window of two seconds. So many that each command reads for longer than the 5 s between lines of progress.
 */
const BODIES = 45;
const STEPS = 20;
/** Quotas in bytes a second: each command takes long enough for a line of progress. */
const QUOTA = { backup: 400_000, rebuild: 400_000, audit: 1_200_000, deadLetters: 250_000, restore: 900_000 };
const COMPACTED = new Set(
  CLUSTER_TOPICS.filter(({ retention }) => retention === 'compacted').map(({ name }) => name),
);

interface Counted {
  readonly reads: readonly TopicReads[];
  readonly total: ReadTotal;
}

/**
 * Runs a command while `meanwhile` runs, and checks that its reads are complete. @returns its standard output
 * as JSON
 */
async function whole<T>(
  t: Test,
  cluster: Cluster,
  [quota, ...args]: readonly [number, ...string[]],
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<T & Counted> {
  await setClientQuota(cluster.servers.kafka.brokers, OPERATOR_CLIENT_ID, { consumer_byte_rate: quota });
  const [{ code, stdout, stderr }] = await Promise.all([cluster.command(...args, '--json'), meanwhile()]);
  const result = JSON.parse(stdout) as T & Counted & { readonly files?: readonly unknown[] };
  const isParkedListed = args.includes('list') && (result.files ?? []).length > 0;
  t.equal(code, isParkedListed ? 1 : 0, stderr);
  for (const { topic, read, expected, positions } of result.reads) {
    if (!COMPACTED.has(topic)) t.equal(read, expected, `${topic}: ${read} records`);
    t.ok(
      positions.every(({ position, end }) => position === end || COMPACTED.has(topic)),
      topic,
    );
  }
  const { records, seconds, recordsPerSecond } = result.total;
  t.equal(
    records,
    result.reads.reduce((sum, { read }) => sum + read, 0),
  );
  t.comment(`${args[0]}: ${records} records in ${seconds} s, ${recordsPerSecond} a second`);
  t.match(stderr, new RegExp(`^sentinel ${args[0]}: read ${records} records in `, 'm'), 'told at the end');
  return Object.assign(result, { stderr });
}

const PROGRESS = /: in all (\d+) of (\d+) records read, ([\d.]+) a second, about \d+ s to go$/gm;

/** Checks the lines of progress: the read records grow up to the expected ones, which the end confirms. */
function checkProgress(t: Test, { stderr, total }: Counted & { readonly stderr: string }): void {
  const lines = [...stderr.matchAll(PROGRESS)].map(([, done, all]) => [Number(done), Number(all)] as const);
  t.ok(lines.length > 0, `${lines.length} lines of progress`);
  t.ok(
    lines.every(([done, all], n) => done <= all && done >= (lines[n - 1]?.[0] ?? 0)),
    lines.map((pair) => pair.join(' of ')).join(', '),
  );
  const off = Math.abs((lines.at(-1)?.[1] ?? 0) - total.expected) / total.expected;
  t.ok(off < 0.2, `expected in the lines: ${lines.at(-1)?.[1]}, in the end: ${total.expected}`);
}

t.setTimeout(FAULTS_MS);
t.test('commands under a quota', { timeout: FAULTS_MS }, async (t) => {
  const servers = await startServers(t);
  if (servers === undefined) return;
  const cluster = await Cluster.start(t, servers);
  const load = await Load.of(await founder(cluster), seeded(t), { devices: 1, filesPerDevice: 10 });
  for (let body = 0; body < BODIES; body += 1) await load.once(STEPS);
  await load.isRead();
  const folder = join(temporaryFolder(t), 'backup');
  const flowing = async () => {
    await load.once();
    await load.isRead();
  };

  await t.test('backup, while the services go on as ever', async (t) => {
    const done = await whole<{ partitions: { topic: string; lines: number }[]; stderr: string }>(
      t,
      cluster,
      [QUOTA.backup, 'backup', folder],
      flowing,
    );
    checkProgress(t, done);
    const lines = done.partitions.filter(({ topic }) => topic.endsWith('file-events.v1'));
    t.ok(lines.reduce((sum, one) => sum + one.lines, 0) >= BODIES * STEPS * load.files.length);
  });
  const backedUp = load.answered;
  await t.test('rebuild', async (t) => {
    checkProgress(t, await whole(t, cluster, [QUOTA.rebuild, 'rebuild', '--all'], flowing));
  });
  await t.test('audit', async (t) => {
    const done = await whole<{ findings: unknown[]; judged: number; stderr: string }>(t, cluster, [
      QUOTA.audit,
      'audit',
    ]);
    checkProgress(t, done);
    t.same(done.findings, []);
    t.ok(done.judged >= load.answered);
  });
  await t.test('dead-letters', async (t) => {
    const [{ fileId = '' } = {}] = load.files;
    await poison(cluster, fileId);
    await load.once(STEPS);
    await until('the letters are there', async () => {
      const { files } = await whole<{ files: { waiting: number }[] }>(t, cluster, [
        QUOTA.deadLetters,
        'dead-letters',
        'list',
      ]);
      return files[0]?.waiting === STEPS + 1 ? true : undefined;
    });
    await whole(t, cluster, [QUOTA.deadLetters, 'dead-letters', 'replay', fileId, '--skip']);
    await load.isRead();
  });
  t.same(await load.wrongs(), [], 'every report is in its chain once, and nothing else');
  await cluster.stop();
  await Promise.all([servers.kafka.stop(), servers.mongo.stop()]);

  await t.test('restore', async (t) => {
    const others: Servers | undefined = await startServers(t);
    if (others === undefined) return;
    const other = await Cluster.prepare(t, others);
    const { stderr } = await whole<{ stderr: string }>(t, other, [QUOTA.restore, 'restore', folder]);
    t.match(
      stderr,
      /(chain-verifier|query-projector): \d+ of \d+ records done, /,
      'how far judging and projecting are',
    );
    const links = await documentsOf(other, 'links');
    t.ok(
      links.length <= backedUp && links.length >= BODIES * STEPS * load.files.length,
      `${links.length} links`,
    );
  });
});
