const PREFIX = /^sentinel-try-[0-9a-f]{8}-$/;

/** Begins the name of every topic, group and database of one run. @throws Error outside of `npm run try-backends` */
export function tryPrefix(): string {
  const prefix = process.env['SENTINEL_TEST_PREFIX'] ?? '';
  if (!PREFIX.test(prefix)) throw new Error('SENTINEL_TEST_PREFIX is not set: run npm run try-backends');
  return prefix;
}
