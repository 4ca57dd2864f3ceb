/** Tests the pace of reading, and which reports promise a link. */
import t from 'tap';
import fc from '@sentinel-node/test-kit/properties';
import type { Report } from '@sentinel-node/contracts';
import { dueAfter } from '../src/domain/pace.ts';
import { requiresLink } from '../src/domain/promise.ts';

t.test('a read is due when those before it have had their time', async (t) => {
  t.equal(
    dueAfter(-Infinity, 10_000, 1_000, 1_000),
    10_950,
    'a second of bytes, less the credit of the first',
  );
  t.equal(dueAfter(10_950, 10_950, 500, 1_000), 11_450);
  t.equal(dueAfter(10_950, 10_990, 500, 1_000), 11_450, 'a short delay is caught up');
  t.equal(dueAfter(10_950, 11_100, 500, 1_000), 11_550, 'a long one but for 50 ms');
  t.equal(dueAfter(10_950, 10_950, 500, Infinity), 10_950, 'without a limit at once');
});

t.test('never more bytes than the rate allows, but for one pause’s credit', async () => {
  const read = fc.record({ waitMs: fc.nat(500), bytes: fc.integer({ min: 1, max: 10_000_000 }) });
  fc.assert(
    fc.property(fc.array(read, { minLength: 1 }), fc.integer({ min: 1_000, max: 1e9 }), (reads, rate) => {
      let [now, due, total] = [0, -Infinity, 0];
      for (const { waitMs, bytes } of reads) {
        now = Math.max(now + waitMs, due);
        due = dueAfter(due, now, bytes, rate);
        total += bytes;
      }
      return due >= -50 + (total / rate) * 1_000 - 1e-6 * total && dueAfter(due, now, 1, Infinity) >= due;
    }),
  );
});

t.test('a report promises a link when its newest version is another one than before', async (t) => {
  const version = (letter: string, length = 1) => ({ length, hash: letter.repeat(64) });
  const cases: [Report['versions'], boolean][] = [
    [[], false],
    [[version('a')], false],
    [[version('a'), version('a')], false],
    [[version('a'), version('a', 9)], true],
    [[version('a'), version('b')], true],
    [[version('a'), version('b'), version('b')], false],
    [[version('a'), version('a'), version('b')], true],
  ];
  for (const [versions, expected] of cases) t.equal(requiresLink({ versions }), expected);
});
