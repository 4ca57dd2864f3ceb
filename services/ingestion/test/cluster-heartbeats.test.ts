/** Tests heartbeats at several processes on Kafka and a server with MongoDB's protocol. */
import { startKafka, startMongo } from '@sentinel-node/test-kit/test-servers';
import t from 'tap';
import { clusterBackEnd } from './cluster-back-end.ts';
import { heartbeatsAtProcesses } from './heartbeat-processes.ts';

t.setTimeout(300_000);
const [kafka, mongo] = await Promise.all([startKafka(t), startMongo(t)]);

if (kafka !== undefined && mongo !== undefined)
  heartbeatsAtProcesses(t, () => clusterBackEnd(kafka.brokers, mongo.url));
