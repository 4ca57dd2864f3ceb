/** A contradiction that one process found stops the others, on Kafka and a server with MongoDB's protocol. */
import { startKafka, startMongo } from '@sentinel-node/test-kit/test-servers';
import t from 'tap';
import { clusterBackEnd } from './cluster-back-end.ts';
import { contradictionsOn } from './contradiction-suite.ts';

t.setTimeout(600_000);
const [kafka, mongo] = await Promise.all([startKafka(t), startMongo(t)]);
if (kafka !== undefined && mongo !== undefined)
  contradictionsOn(t, () => clusterBackEnd(kafka.brokers, mongo.url));
