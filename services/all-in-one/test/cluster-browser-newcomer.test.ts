/** The same as `browser-newcomer.test.ts`, with every service a process of its own on Kafka and MongoDB. */
import t from 'tap';
import { useCluster } from './support/system.ts';
import { FILE_MS } from './support/until.ts';

t.setTimeout(FILE_MS);
if (await useCluster(t)) await import('./browser-newcomer.test.ts');
