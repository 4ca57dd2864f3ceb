/** A contradiction that one process found stops the others, on Kafka and a server with MongoDB's protocol. */
import { clusterBackEnd } from '@sentinel-node/test-kit/cluster-back-end';
import { startKafka, startMongo } from '@sentinel-node/test-kit/test-servers';
import t from 'tap';
import { contradictionsOn } from './contradiction-suite.ts';
import { OWN_TOPICS } from './support.ts';

t.setTimeout(600_000);
const [kafka, mongo] = await Promise.all([startKafka(t), startMongo(t)]);
if (kafka !== undefined && mongo !== undefined)
  contradictionsOn(t, () => clusterBackEnd({ brokers: kafka.brokers, url: mongo.url, topics: OWN_TOPICS }));
