/**
 * Tests the way from the wallet to anchored links, with every service in its own process on the given
 * cluster.
 */
import t from 'tap';
import { useServers } from '../support/system.ts';
import { FAULTS_MS } from '../support/until.ts';
import { servicesOnGiven } from './given.ts';
import { lookAtKafka } from './look.ts';

t.setTimeout(FAULTS_MS);
const { brokers } = await lookAtKafka();
const { servers, options } = servicesOnGiven(brokers);
useServers(servers, options);
await import('../journey.test.ts');
