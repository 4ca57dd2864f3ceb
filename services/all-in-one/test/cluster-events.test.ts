/** Runs `events.test.ts` with every service in its own process, on Kafka and MongoDB. */
import t from 'tap';
import { useCluster } from './support/system.ts';
import { FILE_MS } from './support/until.ts';

t.setTimeout(FILE_MS);
if (await useCluster(t)) await import('./events.test.ts');
