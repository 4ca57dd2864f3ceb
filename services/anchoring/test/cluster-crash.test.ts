/** Crashes at every step of anchoring, on Kafka and a server with MongoDB's protocol. */
import { clusterBackEnd } from '@sentinel-node/test-kit/cluster-back-end';
import { seedFrom } from '@sentinel-node/test-kit/seeds';
import { startKafka, startMongo } from '@sentinel-node/test-kit/test-servers';
import t from 'tap';
import { devLedgerOf } from './crash-ledgers.ts';
import { crashEverywhere, type CrashWorld } from './crash-suite.ts';
import { openWorld, OWN_TOPICS } from './support.ts';

t.setTimeout(900_000);
const seed = seedFrom();
t.comment(`SENTINEL_TEST_SEED=${seed}`);
const [kafka, mongo] = await Promise.all([startKafka(t), startMongo(t)]);

if (kafka !== undefined && mongo !== undefined) {
  const cluster = { brokers: kafka.brokers, url: mongo.url, topics: OWN_TOPICS };
  const open = async (): Promise<CrashWorld> => {
    const world = await openWorld(undefined, () => clusterBackEnd(cluster));
    return { world, ledger: devLedgerOf(world), close: () => world.close() };
  };
  // The state after one call is the state before the next, so one of the two moments is enough here.
  t.test('the process ends after each change, on Kafka and MongoDB', (t) =>
    crashEverywhere(t, open, { moment: 'after', seed }),
  );
}
