/**
 * Kills and ends services on the given cluster under load: every report answered 202 is in its chain once.
 */
import { ENDS_COUNTS, endServices } from '../support/ends.ts';
import { faultsOn } from '../support/faults.ts';
import { servicesOnGiven } from './given.ts';
import { lookAtKafka } from './look.ts';

const { brokers } = await lookAtKafka();
const { servers, options } = servicesOnGiven(brokers);
faultsOn(
  async () => servers,
  'services that end under load',
  () => ({ ...options, counts: ENDS_COUNTS }),
  endServices,
);
