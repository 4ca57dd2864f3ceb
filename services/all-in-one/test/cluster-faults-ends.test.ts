/** Tests services that end under load: kill -9 at any moment, and SIGTERM. */
import { ENDS_COUNTS, endServices } from './support/ends.ts';
import { faults } from './support/faults.ts';

faults('services that end under load', () => ({ counts: ENDS_COUNTS }), endServices);
