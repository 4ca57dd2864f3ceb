/** Whether `SENTINEL_TEST_REQUIRE` (comma list) says that the tests of a part may not be left out. */
export function isRequired(part: 'browser' | 'bsv-sdk' | 'go' | 'kafka' | 'mongo'): boolean {
  return (process.env['SENTINEL_TEST_REQUIRE'] ?? '').split(',').includes(part);
}
