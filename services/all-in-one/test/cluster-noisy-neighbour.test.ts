/** Runs `noisy-neighbour.test.ts` with every service in its own process, on Kafka and MongoDB. */
import t from 'tap';
import { useCluster } from './support/system.ts';
import { FAULTS_MS } from './support/until.ts';

t.setTimeout(FAULTS_MS);
if (await useCluster(t)) await import('./noisy-neighbour.test.ts');
