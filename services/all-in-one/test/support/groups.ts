/** Tests faults between members of a group, repeated and late records, and clocks that disagree. */
import { TOPICS } from '@sentinel-node/contracts';
import { CLUSTER_TOPICS } from '@sentinel-node/platform';
import { openKafkaEventLog } from '@sentinel-node/platform/kafka';
import { CLOCK, type Faulty } from './faults.ts';
import type { ServiceProcess } from './service-process.ts';

const REPORTS = 25;
const SKEW_MS = 600_000;
/** Number of repeated records. */
const AGAIN = 300;

/** @param second verifier that reaches both servers through their proxies, beside the first one, which does not */
export async function changeGroups(
  { cluster, load, random, fault }: Faulty,
  second: ServiceProcess,
): Promise<void> {
  const { kafka, mongo } = cluster.servers;
  const first = cluster.of('chain-verifier');

  await fault('verifiers join and leave', async (t) => {
    for (const verifier of [first, second]) {
      await load.flows(random(REPORTS));
      t.equal((await verifier.stop()).code, 0);
      await load.flows(random(REPORTS));
      await verifier.start();
    }
    t.comment(`all is read after ${Math.round(await load.isRead())} ms`);
  });

  await fault('partitions go to another one and come back to cached heads', async (t) => {
    await load.end();
    await second.stop();
    await load.once();
    await load.isRead();
    await second.start();
    await load.once(2);
    await load.isRead();
    await second.stop();
    await load.once();
    t.comment(`all is read after ${Math.round(await load.isRead())} ms`);
    await second.start();
    load.begin();
  });

  await fault('a zombie verifier wakes up to write heads that it had published', async (t) => {
    await load.flows(REPORTS);
    mongo.proxy.hang();
    await load.flows(REPORTS);
    second.freeze();
    mongo.proxy.resume();
    t.comment(`all is read after ${Math.round(await load.isRead())} ms`);
    second.thaw();
    await load.flows(REPORTS);
    await second.ready();
  });

  await fault('a zombie verifier whose records reach the broker late', async (t) => {
    await load.flows(REPORTS);
    kafka.proxy.hang();
    await load.flows(REPORTS);
    second.freeze();
    t.comment(`all is read after ${Math.round(await load.isRead())} ms`);
    kafka.proxy.resume();
    await load.flows(REPORTS);
    second.thaw();
    await load.flows(REPORTS);
    await second.ready();
  });

  await fault('records come twice, and late', async (t) => {
    const log = await openKafkaEventLog({
      brokers: [kafka.brokers],
      topics: CLUSTER_TOPICS,
    });
    t.teardown(() => log.close());
    for (const topic of [TOPICS.fileEvents, TOPICS.chain, TOPICS.registry]) {
      let again = 0;
      for (const { partition } of await log.bounds(topic)) {
        if (again >= AGAIN) break;
        for await (const { records } of log.read(topic, partition, 0)) {
          // At least one: a topic of few records could else get none.
          const some = records.filter((_, n) => n === 0 || random(2) === 0);
          await log.append(
            topic,
            some.map(({ key, id, body }) => ({ key, id, body })),
          );
          again += some.length;
        }
      }
      t.ok(again > 0, `${topic}: ${again} records again`);
    }
    await load.flows(REPORTS);
    await load.isRead();
  });

  await fault('clocks of ingestion processes ten minutes apart, each way', async () => {
    const others = [cluster.of('ingestion', 0), cluster.of('ingestion', 1)];
    const [early, late] = [-SKEW_MS, SKEW_MS].map((offset) =>
      cluster.add('ingestion', { SENTINEL_TEST_CLOCK_OFFSET_MS: String(offset) }, [CLOCK]),
    );
    await Promise.all([early?.start(), late?.start()]);
    await load.flows(2 * REPORTS);
    await Promise.all(others.map((other) => other.stop()));
    await load.flows(2 * REPORTS);
    await load.isRead();
    await Promise.all(others.map((other) => other.start()));
    await Promise.all([early?.stop(), late?.stop()]);
  });
}
