/**
 * Tests three brokers with every record on all of them, where a write needs two, under load: leaders killed
 * and frozen, two brokers away at once, the controller gone, partitions moved. More rounds: `npm run faults
 * -- three-brokers`.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { TOPICS } from '@sentinel-node/contracts';
import { CLUSTER_TOPICS } from '@sentinel-node/platform';
import { createTopics, openKafkaEventLog } from '@sentinel-node/platform/kafka';
import { controllerOf, leadersOf, moveLeaders } from '@sentinel-node/test-kit/test-servers';
import type { Test } from 'tap';
import { startThreeBrokers, type ThreeBrokers } from './support/cluster.ts';
import { faultsOn, type Faulty } from './support/faults.ts';
import { SERVICES } from './support/service-process.ts';

const REPLICAS = 3;
/** Number of reports answered between two faults. */
const REPORTS = 60;
/**
 * Pause in ms; two of three brokers are away for two pauses, longer than any deadline of `preload-quick.ts`.
 * Running calls end in the first pause.
 */
const AWAY_MS = 5_000;

/** Number of records in the read during which the leader changes. */
const RECORDS = 2_000;
const BODY_BYTES = 600;
const APPENDED_AT_ONCE = 100;
const FETCH_BYTES = 65_536;

faultsOn(
  startThreeBrokers,
  'three brokers under load',
  () => ({
    replicationFactor: REPLICAS,
    counts: { 'chain-verifier': 2 },
    load: { steps: 3, paceMs: 800 },
  }),
  async (given) => {
    const { load, fault, random, cluster } = given;
    const { brokers, nodes } = cluster.servers.kafka;
    const number = (id: number) => nodes[id - 1]!;
    await fault('a leader is killed, in the middle of a bounded read too', async (t) => {
      await load.flows(random(REPORTS));
      await leaderChangesInARead(t, given, random);
      await load.flows(REPORTS);
      t.pass(`all is read after ${Math.round(await load.isRead())} ms`);
    });
    await fault('two of three are away, and come back', async (t) => {
      await load.flows(random(REPORTS));
      const [first, second] = shuffled([1, 2, 3], random).map(number);
      await Promise.all([first!.kill(), second!.kill()]);
      await pause(AWAY_MS);
      const before = load.answered;
      await pause(AWAY_MS);
      t.equal(load.answered, before, 'no report is answered 202 that one broker alone would have');
      await Promise.all([first!.restart(), second!.restart()]);
      await load.flows(REPORTS);
      t.pass(`all is read after ${Math.round(await load.isRead())} ms`);
    });
    await fault('a broker that leads hangs', async (t) => {
      const leaders = [...(await leadersOf(brokers, TOPICS.fileEvents)).values()];
      const id = leaders[random(leaders.length)]!;
      await number(id).freeze();
      const began = performance.now();
      await load.flows(2 * REPORTS);
      t.comment(`broker ${id} hangs; reports are answered after ${Math.round(performance.now() - began)} ms`);
      t.pass(`all is read after ${Math.round(await load.isRead())} ms`);
      await number(id).thaw();
      await load.flows(REPORTS);
    });
    await fault('every partition moves to another leader', async (t) => {
      const before = await leadersOf(brokers, TOPICS.chain);
      const moved = await moveLeaders(
        brokers,
        CLUSTER_TOPICS.map(({ name }) => name),
      );
      const after = await leadersOf(brokers, TOPICS.chain);
      t.ok(
        [...before].every(([partition, leader]) => after.get(partition) !== leader),
        `${moved} were moved`,
      );
      await load.flows(REPORTS);
      t.pass(`all is read after ${Math.round(await load.isRead())} ms`);
    });
    await fault('the controller is killed', async (t) => {
      await load.flows(random(REPORTS));
      const id = await controllerOf(brokers);
      await number(id).kill();
      await load.flows(REPORTS);
      t.pass(`all is read after ${Math.round(await load.isRead())} ms`);
      await number(id).restart();
      t.not(await controllerOf(brokers), id, `${id} was the controller, another one is now`);
      await load.flows(REPORTS);
    });
    const ended = SERVICES.filter((name) => cluster.of(name).child.end() !== undefined);
    given.t.same(ended, [], 'no service ended');
  },
);

/** Checks that a read of a range gives every record once, also when the leader changes. */
async function leaderChangesInARead(
  t: Test,
  { cluster }: Faulty<ThreeBrokers>,
  random: (below: number) => number,
): Promise<void> {
  const { brokers, nodes } = cluster.servers.kafka;
  const connection = { brokers: brokers.split(',') };
  const spec = { name: `test.${randomUUID()}`, partitions: 1, retention: 'forever' } as const;
  await createTopics(connection, [spec], { replicationFactor: REPLICAS });
  const limits = { readPartitionBytes: FETCH_BYTES, requestTimeoutMs: 3_000 };
  const log = await openKafkaEventLog({ ...connection, topics: [spec], limits });
  t.teardown(() => log.close());
  const body = new Uint8Array(BODY_BYTES).fill(120);
  for (let from = 0; from < RECORDS; from += APPENDED_AT_ONCE)
    await log.append(
      spec.name,
      Array.from({ length: APPENDED_AT_ONCE }, (_, n) => ({ key: 'one', id: `${from + n}`, body })),
    );
  const offsets: number[] = [];
  const at = 1 + random(RECORDS / 2);
  let killed: number | undefined;
  for await (const { records } of log.read(spec.name, 0, 0, RECORDS)) {
    offsets.push(...records.map(({ offset }) => offset));
    if (killed !== undefined || offsets.length < at) continue;
    killed = (await leadersOf(brokers, spec.name)).get(0)!;
    await nodes[killed - 1]!.kill();
  }
  t.comment(`broker ${killed} was killed after ${at} records or a few more`);
  t.ok(offsets.length === RECORDS && offsets.every((offset, n) => offset === n), 'the read is whole');
  t.not((await leadersOf(brokers, spec.name)).get(0), killed, 'another broker led at its end');
  await nodes[killed! - 1]!.restart();
}

function shuffled<T>(values: readonly T[], random: (below: number) => number): T[] {
  const rest = [...values];
  return values.map(() => rest.splice(random(rest.length), 1)[0]!);
}
