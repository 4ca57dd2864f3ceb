import { definePools } from '@sentinel-node/platform';
import { ANCHORING_LIMITS as LIMITS } from './limits.ts';

export const ANCHORING_POOLS = definePools({
  'waiting-leaves': {
    holds: 'entries that wait for a batch',
    unit: 'entries',
    whole: LIMITS.batchLeaves,
    metric: 'sentinel_anchoring_waiting_leaves',
    whenFull: 'the batch is cut, and a second later the next',
  },
  'known-subjects': {
    holds: 'files whose last anchored number is kept',
    unit: 'files',
    whole: LIMITS.knownSubjects,
    metric: null,
    whenFull: 'all are forgotten, and read from the store when they are needed',
  },
  'open-transactions': {
    holds: 'transactions that are not final and are polled',
    unit: 'transactions',
    whole: LIMITS.openTransactions,
    metric: null,
    whenFull: 'the newer ones wait for their poll',
  },
});
