import { AS_MUCH_AS_IS_FREE, definePools, READ_AGAIN } from '@sentinel-node/platform';
import { ANCHORING_LIMITS as LIMITS } from './limits.ts';

export const ANCHORING_POOLS = definePools({
  'waiting-leaves': {
    holds: 'entries that wait for a batch',
    unit: 'entries',
    whole: LIMITS.batchLeaves,
    organization: 'none: a full batch is cut, nothing is refused',
    metric: 'sentinel_anchoring_waiting_leaves',
    whenFull: 'the batch is cut, and a second later the next',
  },
  'known-subjects': {
    holds: 'files whose last anchored number is kept',
    unit: 'files',
    whole: LIMITS.knownSubjects,
    organization: READ_AGAIN,
    metric: null,
    whenFull: 'all are forgotten, and read from the store when they are needed',
  },
  'open-transactions': {
    holds: 'transactions that are not final and are polled',
    unit: 'transactions',
    whole: LIMITS.openTransactions,
    organization: 'none: the batches of the log are no organisation’s',
    metric: null,
    whenFull: 'the newer ones wait for their poll',
  },
  'tile-reads': {
    holds: 'reads of tiles of the log, of which one runs and the others wait',
    unit: 'reads',
    whole: LIMITS.tileReads,
    organization: 'none: the log is everybody’s',
    address: AS_MUCH_AS_IS_FREE,
    reserve: 'half of what was free stays free',
    whenFull: '503 `OVERLOADED`',
  },
});
