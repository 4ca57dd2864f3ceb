import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { zonedFormats } from '../src/index.ts';

const ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York', 'Europe/Vienna'] as const;
const OPTIONS = { dateStyle: 'medium', timeStyle: 'long' } as const;

t.test('in any order of zones the text is that of a formatter of its own', async (t) => {
  const formats = zonedFormats(OPTIONS);
  const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...ZONES), time)), (asked) =>
      asked.every(
        ([timeZone, at]) =>
          formats(timeZone).format(at) ===
          new Intl.DateTimeFormat('en-US', { ...OPTIONS, timeZone }).format(at),
      ),
    ),
  );
  t.pass('for all');
});

t.test('one zone has one formatter, and an unknown zone changes nothing', async (t) => {
  const formats = zonedFormats(OPTIONS);
  const first = formats('UTC');
  t.throws(() => formats('Nowhere/Land'), RangeError);
  t.equal(formats('UTC'), first);
});

t.test('without a zone it is the zone that the machine has now', async (t) => {
  const before = process.env['TZ'];
  t.teardown(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
  const formats = zonedFormats({ hour: 'numeric', hourCycle: 'h23' });
  process.env['TZ'] = 'UTC';
  t.equal(formats().format(0), '00');
  process.env['TZ'] = 'Asia/Tokyo';
  t.equal(formats().format(0), '09');
});
