import { definePools, LEAST_RECENTLY_USED, READ_AGAIN } from '@sentinel-node/platform';
import { HEAD_CACHE_LIMITS } from './head-cache.ts';
import { MAX_PARKED_FILES } from './parked-files.ts';
import { MAX_DECISIONS } from './recorded-decisions.ts';
import { SAVE_LIMITS } from './unsaved-heads.ts';

export const VERIFIER_POOLS = definePools({
  heads: {
    holds: 'last state of the files that were judged last',
    unit: 'files',
    whole: HEAD_CACHE_LIMITS.heads,
    organization: READ_AGAIN,
    metric: 'sentinel_verifier_cached_heads',
    whenFull: `${LEAST_RECENTLY_USED}, also above ${HEAD_CACHE_LIMITS.bytes / 1_048_576} MiB`,
  },
  'unsaved-heads': {
    holds: 'last state of files that the store does not have yet',
    unit: 'files',
    whole: SAVE_LIMITS.heads,
    organization: 'none: nothing is refused',
    metric: 'sentinel_verifier_unsaved_heads',
    whenFull: 'a partition saves its own before its next batch',
  },
  'parked-files': {
    holds: 'parked files that are counted',
    unit: 'files',
    whole: MAX_PARKED_FILES,
    organization: 'none: nothing is refused, only the count stops',
    metric: 'sentinel_verifier_parked_files',
    whenFull: 'the gauge stays at this',
  },
  'dead-letters': {
    holds: 'decisions on all records that could not be judged since the beginning, read at each start',
    unit: 'records',
    whole: MAX_DECISIONS,
    organization: 'none: an operator looks at each parked file',
    metric: null,
    whenFull: 'the verifier stops at each start with an alarm, and judging again with an error',
  },
});
