import { EVENT_LOG_LIMITS } from './embedded/log/event-log-options.ts';
import { CACHED_STATEMENTS } from './embedded/limits.ts';
import { DOCUMENT_STORE_LIMITS } from './embedded/store/document-store-options.ts';
import { KAFKA_LIMITS } from './kafka/options.ts';
import { definePools, LEAST_RECENTLY_USED } from './limits/pool.ts';
import { MONGO_STORE_LIMITS } from './mongodb/limits.ts';

const OVERLOADED = '503 `OVERLOADED`';

/** Of the adapters, under every service. */
export const PLATFORM_POOLS = definePools({
  'embedded-appends': {
    holds: 'records appended to the embedded log and not yet on the disk',
    unit: 'bytes',
    whole: EVENT_LOG_LIMITS.unflushedBytes,
    whenFull: OVERLOADED,
  },
  'embedded-tails': {
    holds: 'newest records of the embedded log, for its readers',
    unit: 'bytes',
    whole: EVENT_LOG_LIMITS.tailCacheBytes,
    metric: null,
    whenFull: 'the oldest record gives way',
  },
  'embedded-statements': {
    holds: 'prepared statements of one connection to SQLite',
    unit: 'statements',
    whole: CACHED_STATEMENTS,
    metric: null,
    whenFull: LEAST_RECENTLY_USED,
  },
  'embedded-calls': {
    holds: 'calls to the embedded document store that wait or run',
    unit: 'calls',
    whole: DOCUMENT_STORE_LIMITS.pendingCalls,
    whenFull: OVERLOADED,
  },
  'kafka-appends': {
    holds: 'records that Kafka has not acknowledged',
    unit: 'bytes',
    whole: KAFKA_LIMITS.unflushedBytes,
    whenFull: OVERLOADED,
  },
  'mongodb-calls': {
    holds: 'calls to MongoDB that wait or run',
    unit: 'calls',
    whole: MONGO_STORE_LIMITS.pendingCalls,
    metric: 'sentinel_mongodb_pending_calls',
    whenFull: OVERLOADED,
  },
});
