/** Prepared statements kept per connection. */
export const CACHED_STATEMENTS = 256;
/** Threads without a file, some 9 MB each, that wait for the next one. */
export const IDLE_THREADS = 8;
export const IDLE_THREAD_MS = 1_000;
