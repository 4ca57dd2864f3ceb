/** Runs the suites of one system on one cluster: every service in its own process, on Kafka and MongoDB. */
import t from 'tap';
import { useOneCluster } from './support/system.ts';
import { FILE_MS } from './support/until.ts';

const SUITES = 6;

if (await useOneCluster(t)) {
  await import('./journey.test.ts');
  await import('./alerts.test.ts');
  await import('./events.test.ts');
  await import('./proofs.test.ts');
  await import('./browser-newcomer.test.ts');
  await import('./crash-notices.test.ts');
}
// Each suite has set the limit of a file.
t.setTimeout(SUITES * FILE_MS);
