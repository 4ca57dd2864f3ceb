/** Tests services that end, join and leave, disagree and hear nothing, under load: one cluster, as its start takes long. */
import { deafIngestion } from './support/deaf-ingestion.ts';
import { endServices } from './support/ends.ts';
import { faults } from './support/faults.ts';
import { changeGroups } from './support/groups.ts';

faults(
  'services that end, change places and hear nothing under load',
  () => ({ counts: { ingestion: 2 } }),
  async (given) => {
    const { kafka, mongo } = given.cluster.servers;
    const second = given.cluster.add('chain-verifier', {
      SENTINEL_KAFKA_BROKERS: kafka.proxied,
      SENTINEL_MONGODB_URL: mongo.proxied,
    });
    await second.start();
    await endServices(given);
    await changeGroups(given, second);
    // It would hang with the proxies.
    await second.stop();
    await deafIngestion(given);
  },
);
