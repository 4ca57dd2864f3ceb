/** Services of one suite add an id of their own: a new database does not fit a log that another suite has left. */
const PREFIX = /^sentinel-try-(?:[0-9a-f]{8}-)+$/;

/** Begins the name of every topic, group and database of one run. @throws Error outside of `npm run try-backends` */
export function tryPrefix(): string {
  const prefix = process.env['SENTINEL_TEST_PREFIX'] ?? '';
  if (!PREFIX.test(prefix)) throw new Error('SENTINEL_TEST_PREFIX is not set: run npm run try-backends');
  return prefix;
}
