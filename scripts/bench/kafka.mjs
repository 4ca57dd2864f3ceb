/** Ingestion and the verifier on Kafka, compared with kafkajs alone on the same records. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS } from '@sentinel-node/contracts';
import { makeFleet, targetsOf } from './fleet.mjs';
import { bytesOf, fill, FORWARD, openCluster } from './kafka-cluster.mjs';
import { openLoad, openServer, say, SECRET, serverProcess } from './open.mjs';
import { BULK_CONNECTIONS, BULK_LINES, FILES_PER_DEVICE, GOALS, PATIENCE_MS } from './settings.mjs';
import { stagesOf } from './stages.mjs';
import { row } from './statistics.mjs';
import { used } from './usage.mjs';

const MS_PER_SECOND = 1_000;
/** Interval between two reads of a measured verifier's counters, in milliseconds. */
const LOOK_MS = 100;

/** Measures bulk bodies by HTTP, answered when Kafka has the reports; ceiling: `sendBatch` of as many records at a time. */
export async function kafkaIngest({ folder, ingestSeconds: seconds, repeats, warmUpSeconds }) {
  const cluster = await openCluster();
  try {
    const fleet = makeFleet(2 * FILES_PER_DEVICE);
    const [{ id: deviceId, fileIds }] = fleet.devices;
    const bare = serverProcess(join(folder, 'bare'));
    const records = BULK_CONNECTIONS * BULK_LINES;
    const { brokers } = cluster;
    const ceiling = (time) =>
      bare.ask('produce', { brokers, records, orgId: fleet.orgId, deviceId, fileIds, seconds: time });
    const options = { fleet, cluster: { brokers, mongodbUrl: cluster.freshDatabase() } };
    const { server, url } = await openServer('ingestion', join(folder, 'ingestion'), options);
    const load = openLoad();
    const shape = { connections: BULK_CONNECTIONS, lines: BULK_LINES };
    await load.ask('ready', { url, targets: targetsOf(fleet, SECRET), ...shape });
    await load.ask('run', { seconds: warmUpSeconds });
    await ceiling(warmUpSeconds);
    const sides = { bare: [], ours: [] };
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      sides.bare.push(await ceiling(seconds));
      sides.ours.push(await ingested(server, load, seconds));
      printRates(sides);
    }
    for (const child of [load, server, bare]) await child.stop();
    return { rows: rowsOf('ingestion', 'bare sendBatch', sides, GOALS.kafkaIngest) };
  } finally {
    await cluster.close();
  }
}

async function ingested(server, load, seconds) {
  const before = await server.ask('usage');
  const run = await load.ask('run', { seconds });
  const { cpu } = used(before, await server.ask('usage'));
  if (run.failed > 0) throw new Error(`${run.failed} requests failed, the first with ${run.firstFailure}`);
  return { rate: run.reports / run.seconds, cpu: cpu / run.reports };
}

/** Measures one verifier, and two that share the partitions, on stored reports; ceiling: as many bytes in and out. */
export async function kafkaPipeline({ folder, kafkaReports: count, repeats }) {
  const cluster = await openCluster();
  try {
    await fill(cluster, makeFleet(FILES_PER_DEVICE), count);
    say(`${count} reports lie in Kafka`);
    const sides = { bare: [], ours: [], two: [] };
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      sides.ours.push(await verified(cluster, join(folder, `one-${repeat}`), count, 1));
      sides.bare.push(await forwarded(cluster, join(folder, `bare-${repeat}`), count));
      sides.two.push(await verified(cluster, join(folder, `two-${repeat}`), count, 2));
      printRates(sides);
    }
    const rows = rowsOf('verifier', 'bare consume and produce', sides, GOALS.kafkaVerifier);
    const bytes = await Promise.all(
      [TOPICS.fileEvents, TOPICS.chain].map((topic) => bytesOf(cluster, topic)),
    );
    const peaks = sides.ours.map(({ maxRss }) => maxRss);
    const memory = row('verifier, peak resident MiB', 'mebibytes', peaks, `≤ ${GOALS.verifierMiB}`);
    const notes = [`bytes of a report: ${bytes.map(Math.round).join(' as accepted, ')} as judged`];
    return { rows: [...rows, ...rowsOfTwo(sides), memory], notes };
  } finally {
    await cluster.close();
  }
}

/** Reads each report and writes a record as long as the verifier's for it. */
async function forwarded(cluster, folder, count) {
  const { brokers } = cluster;
  const bare = serverProcess(folder);
  const bytes = Math.round(await bytesOf(cluster, TOPICS.chain));
  const names = { from: TOPICS.fileEvents, to: FORWARD, group: `bench-${randomUUID()}` };
  const run = await bare.ask('forward', { brokers, ...names, count, bytes });
  await bare.stop();
  return run;
}

/** Measures some verifiers of one group from the moment when all are working to the last record. */
async function verified(cluster, folder, count, processes) {
  await cluster.forgetGroup();
  const at = { brokers: cluster.brokers, mongodbUrl: cluster.freshDatabase() };
  const opening = Array.from({ length: processes }, (_, n) =>
    openServer('verifier', join(folder, String(n)), { cluster: at }),
  );
  const verifiers = await Promise.all(opening);
  const look = async () => {
    const judged = await Promise.all(verifiers.map(async ({ url }) => (await stagesOf(url)).judged));
    return { at: performance.now(), judged, all: judged.reduce((sum, one) => sum + one, 0) };
  };
  const usages = () => Promise.all(verifiers.map(({ server }) => server.ask('usage')));
  const isOver = ({ all }) => all >= count;
  const opened = await look();
  const joined = await lookUntil(look, (seen) => seen.judged.every((one) => one > 0) || isOver(seen));
  // With few records the first verifier is done before the second has joined.
  const first = isOver(joined) ? opened : joined;
  const before = await usages();
  const last = await lookUntil(look, isOver);
  const after = await usages();
  for (const { server } of verifiers) await server.stop();
  const done = last.all - first.all;
  const cpu = after.reduce((sum, one, n) => sum + used(before[n], one).cpu, 0);
  return {
    rate: (done * MS_PER_SECOND) / (last.at - first.at),
    cpu: cpu / done,
    least: Math.min(...last.judged) / last.all,
    maxRss: Math.max(...after.map((one) => one.maxRss)),
  };
}

async function lookUntil(look, isTrue) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await delay(LOOK_MS)) {
    const seen = await look();
    if (isTrue(seen)) return seen;
  }
  throw new Error(`the verifiers did not come so far within ${PATIENCE_MS} ms`);
}

function printRates(sides) {
  const rates = Object.entries(sides).map(([name, runs]) => `${name} ${Math.round(runs.at(-1).rate)}`);
  say(`${rates.join(', ')} reports/s`);
}

function rowsOf(ours, bare, sides, goal) {
  const ratios = (field, over, under) => over.map((run, n) => run[field] / under[n][field]);
  const of = (runs, field) => runs.map((run) => run[field]);
  return [
    row(`${bare}, reports/s`, 'rate', of(sides.bare, 'rate')),
    row(`${ours}, reports/s`, 'rate', of(sides.ours, 'rate')),
    row('ratio', 'ratio', ratios('rate', sides.ours, sides.bare), `≥ ${goal.toFixed(2)}`),
    row(`${bare}, µs of processor time`, 'micros', of(sides.bare, 'cpu')),
    row(`${ours}, µs of processor time`, 'micros', of(sides.ours, 'cpu')),
  ];
}

function rowsOfTwo({ ours, two }) {
  const ratios = two.map(({ rate }, n) => rate / ours[n].rate);
  const of = (field) => two.map((run) => run[field]);
  return [
    row('two verifiers, reports/s', 'rate', of('rate')),
    row('ratio of two to one', 'ratio', ratios),
    row('two verifiers, µs of processor time', 'micros', of('cpu')),
    row('share of the one that did less', 'ratio', of('least')),
  ];
}
