/**
 * Pattern of a run's prefix. A suite's services add an id, because a new database does not fit a log of
 * another suite.
 */
const PREFIX = /^sentinel-try-(?:[0-9a-f]{8}-)+$/;

/**
 * Returns the prefix of a run's topics, groups and databases. @throws Error outside of `npm run try-backends`
 */
export function tryPrefix(): string {
  const prefix = process.env['SENTINEL_TEST_PREFIX'] ?? '';
  if (!PREFIX.test(prefix)) throw new Error('SENTINEL_TEST_PREFIX is not set: run npm run try-backends');
  return prefix;
}
