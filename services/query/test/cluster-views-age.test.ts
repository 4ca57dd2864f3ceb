/** How old the views are, on Kafka and a server with MongoDB's protocol. */
import { TOPICS } from '@sentinel-node/contracts';
import { clusterBackEnd } from '@sentinel-node/test-kit/cluster-back-end';
import { startKafka, startMongo } from '@sentinel-node/test-kit/test-servers';
import t from 'tap';
import { viewsAgeCases } from './views-age-cases.ts';

const OWN_TOPICS = [
  TOPICS.registry,
  TOPICS.fileEvents,
  TOPICS.chain,
  TOPICS.anchors,
  TOPICS.deviceHealth,
  TOPICS.feed,
];

t.setTimeout(300_000);
const [kafka, mongo] = await Promise.all([startKafka(t), startMongo(t)]);

if (kafka !== undefined && mongo !== undefined)
  viewsAgeCases(t, () => clusterBackEnd({ brokers: kafka.brokers, url: mongo.url, topics: OWN_TOPICS }));
