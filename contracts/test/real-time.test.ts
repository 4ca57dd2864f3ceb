import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { Value } from 'typebox/value';
import { isRealTime } from '../src/real-time.ts';
import { TimestampSchema } from '../src/schemas/common.ts';

/** Returns true when the runtime's calendar writes an instant from 1970 on as this text. */
function isWrittenTime(text: string): boolean {
  const ms = Date.parse(text);
  return ms >= 0 && new Date(ms).toISOString() === text;
}
const isAccepted = (text: string) => Value.Check(TimestampSchema, text) && isRealTime(text);

const digits = (length: number, max: number) =>
  fc.nat(max).map((value) => String(value).padStart(length, '0'));
/** Texts that fit `TimestampSchema`, whether they name a time or not. */
const fitting = fc
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
const instants = fc.date({
  min: new Date(0),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

t.test('a timestamp names a time only when it is how that time is written, from 1970 on', async () => {
  fc.assert(
    fc.property(fitting, (text) => isRealTime(text) === isWrittenTime(text)),
    { numRuns: 5_000 },
  );
  fc.assert(fc.property(instants, (instant) => isAccepted(instant.toISOString())));
});

t.test('every day of the calendar, and no other', async (t) => {
  for (let year = 1968; year < 2110; year += 1)
    for (let month = 0; month <= 13; month += 1)
      for (let day = 0; day <= 32; day += 1) {
        const date = [`${year}`, `${month}`.padStart(2, '0'), `${day}`.padStart(2, '0')].join('-');
        const text = `${date}T23:59:59.999Z`;
        if (isRealTime(text) !== isWrittenTime(text)) t.fail(text);
      }
});

t.test('what looks like a time', async (t) => {
  for (const none of [
    '2026-02-30T00:00:00.000Z',
    '2026-02-29T00:00:00.000Z',
    '2100-02-29T00:00:00.000Z',
    '2026-02-28T24:00:00.000Z',
    '2026-11-21T23:60:00.000Z',
    '2016-12-31T23:59:60.000Z',
    '1969-12-31T23:59:59.999Z',
    '0000-01-01T00:00:00.000Z',
    '2026-11-21T10:00:00.000+00:00',
    '2026-11-21T10:00:00.000z',
    '2026-11-21 10:00:00.000Z',
    '2026-11-21T10:00:00Z',
    '2026-11-21',
    '+002026-11-21T10:00:00.000Z',
  ])
    t.notOk(isAccepted(none), none);
  for (const some of ['1970-01-01T00:00:00.000Z', '2000-02-29T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
    t.ok(isAccepted(some), some);
});

t.test('a text that is nearly a timestamp', async () => {
  const changed = fc
    .tuple(instants, fc.nat(24), fc.nat(2), fc.string({ maxLength: 2, unit: 'binary-ascii' }))
    .map(([instant, at, cut, put]) => {
      const text = instant.toISOString();
      return text.slice(0, at) + put + text.slice(at + cut);
    });
  fc.assert(
    fc.property(changed, (text) => isAccepted(text) === isWrittenTime(text)),
    { numRuns: 5_000 },
  );
});
