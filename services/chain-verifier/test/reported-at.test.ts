import fc from 'fast-check';
import t from 'tap';
import { reportedAt } from '../src/domain/reported-at.ts';

const digits = (length: number, max: number) =>
  fc.nat(max).map((value) => String(value).padStart(length, '0'));
/** Texts that fit `TimestampSchema`, whether they name a time or not. */
const timestamps = fc
  .tuple(
    fc.oneof(digits(4, 9999), fc.integer({ min: 1960, max: 2040 }).map(String)),
    digits(2, 13),
    digits(2, 32),
    digits(2, 25),
    fc.oneof(fc.constant('00'), digits(2, 61)),
    fc.oneof(fc.constant('00'), digits(2, 61)),
    fc.oneof(fc.constant('000'), digits(3, 999)),
  )
  .map(([year, month, day, hour, minute, second, ms]) => {
    return `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`;
  });

t.test('a timestamp counts only when it is how its time is written, from 1970 on', async (t) => {
  fc.assert(
    fc.property(timestamps, (text) => {
      const ms = Date.parse(text);
      const isTime = ms >= 0 && new Date(ms).toISOString() === text;
      return reportedAt(text) === (isTime ? ms : undefined);
    }),
    { numRuns: 5_000 },
  );
  for (const none of ['2026-02-30T00:00:00.000Z', '2026-02-28T24:00:00.000Z', '1969-12-31T23:59:59.999Z'])
    t.equal(reportedAt(none), undefined, none);
});
