/** Prepared statements kept per connection. */
export const CACHED_STATEMENTS = 256;
