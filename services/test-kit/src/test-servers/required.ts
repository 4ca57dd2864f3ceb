/** Returns whether `SENTINEL_TEST_REQUIRE` (comma list) forbids skipping the tests of a part. */
export function isRequired(part: 'browser' | 'kafka' | 'mongo'): boolean {
  return (process.env['SENTINEL_TEST_REQUIRE'] ?? '').split(',').includes(part);
}
