/** Returns whether `SENTINEL_TEST_REQUIRE` (comma list) forbids skipping the part's tests. */
export function isRequired(
  part: 'browser' | 'bsv-sdk' | 'go' | 'kafka' | 'mongo' | 'openssl' | 'python',
): boolean {
  return (process.env['SENTINEL_TEST_REQUIRE'] ?? '').split(',').includes(part);
}
