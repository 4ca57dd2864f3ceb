import { EVENT_LOG_LIMITS } from './embedded/log/event-log-options.ts';
import { CACHED_STATEMENTS, IDLE_THREAD_MS, IDLE_THREADS } from './embedded/limits.ts';
import { HTTP_CONNECTIONS } from './http/timeouts.ts';
import { DOCUMENT_STORE_LIMITS } from './embedded/store/document-store-options.ts';
import { KAFKA_LIMITS } from './kafka/options.ts';
import { HEADER_LIMITS } from './ledger/headers/limits.ts';
import { AS_MUCH_AS_IS_FREE, definePools, LEAST_RECENTLY_USED, READ_AGAIN } from './limits/pool.ts';
import { MONGO_STORE_LIMITS } from './mongodb/limits.ts';

const OVERLOADED = '503 `OVERLOADED`';
const BY_CALLERS = 'none: each call comes from a pool with shares, from a person’s rate, or from a service';

/** Pools of the adapters, which every service uses. */
export const PLATFORM_POOLS = definePools({
  'http-connections': {
    holds: 'connections to the HTTP server',
    unit: 'connections',
    whole: HTTP_CONNECTIONS,
    organization: 'none: nobody is known before a request; the addresses have theirs',
    address: `${AS_MUCH_AS_IS_FREE}; behind trusted proxies none, all are of the proxies`,
    reserve: 'half of what was free stays free',
    whenFull: 'the new connection is closed',
  },
  'embedded-appends': {
    holds: 'records appended to the embedded log and not yet on the disk',
    unit: 'bytes',
    whole: EVENT_LOG_LIMITS.unflushedBytes,
    organization: 'that of **report-appends**; what else is appended follows from calls that have theirs',
    whenFull: OVERLOADED,
  },
  'embedded-tails': {
    holds: 'newest records of the embedded log, for its readers',
    unit: 'bytes',
    whole: EVENT_LOG_LIMITS.tailCacheBytes,
    organization: READ_AGAIN,
    metric: null,
    whenFull: 'the oldest record gives way',
  },
  'embedded-statements': {
    holds: 'prepared statements of one connection to SQLite',
    unit: 'statements',
    whole: CACHED_STATEMENTS,
    organization: 'none: statements are the same for all',
    metric: null,
    whenFull: LEAST_RECENTLY_USED,
  },
  'embedded-idle-threads': {
    holds: `threads that have closed their file and wait ${IDLE_THREAD_MS} ms for another`,
    unit: 'threads',
    whole: IDLE_THREADS,
    organization: 'none: every organisation has the same files',
    metric: null,
    whenFull: 'the thread ends',
  },
  'embedded-calls': {
    holds: 'calls to the embedded document store that wait or run',
    unit: 'calls',
    whole: DOCUMENT_STORE_LIMITS.pendingCalls,
    organization: BY_CALLERS,
    whenFull: OVERLOADED,
  },
  'kafka-appends': {
    holds: 'records that Kafka has not acknowledged',
    unit: 'bytes',
    whole: KAFKA_LIMITS.unflushedBytes,
    organization: 'as embedded-appends',
    whenFull: OVERLOADED,
  },
  'block-headers': {
    holds: 'headers of the public ledger from the checkpoint on, 80 bytes each',
    unit: 'headers',
    whole: HEADER_LIMITS.headers,
    organization: 'none: the headers are the same for all',
    metric: null,
    whenFull: 'no further header is taken, with an alarm: a later checkpoint makes room',
  },
  'mongodb-calls': {
    holds: 'calls to MongoDB that wait or run',
    unit: 'calls',
    whole: MONGO_STORE_LIMITS.pendingCalls,
    organization: BY_CALLERS,
    metric: 'sentinel_mongodb_pending_calls',
    whenFull: OVERLOADED,
  },
});
