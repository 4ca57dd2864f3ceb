/** Tests a Kafka and a MongoDB server that end, restart and hang under load. */
import { faults } from './support/faults.ts';
import { OUTAGE_ENV, outages } from './support/outages.ts';

faults(
  'Kafka and MongoDB away under load',
  ({ kafka, mongo }) => ({
    env: {
      ...OUTAGE_ENV,
      SENTINEL_KAFKA_BROKERS: kafka.proxied,
      SENTINEL_MONGODB_URL: mongo.proxied,
    },
  }),
  async (given) => {
    await outages(given, 'Kafka', 'kafka');
    await outages(given, 'MongoDB', 'mongo');
  },
);
