import { searchedTimes, shownDateTime } from '@sentinel-node/contracts';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { mayBeInTime } from '../src/lists/shown-times.ts';

const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Kiritimati'];
const times = fc.date({
  min: new Date('1970-01-01'),
  max: new Date('9999-12-31'),
  noInvalidDate: true,
});

t.test('every part of a shown time may be in one', async () => {
  fc.assert(
    fc.property(
      times,
      fc.constantFrom(...ZONES),
      fc.nat(1),
      fc.nat(30),
      fc.nat(30),
      fc.boolean(),
      (time, zone, spelling, from, length, isLower) => {
        const shown = searchedTimes(shownDateTime(time.getTime(), zone))[spelling]!;
        const part = shown.slice(from, from + length);
        return mayBeInTime(isLower ? part.toLowerCase() : part.toUpperCase());
      },
    ),
    { numRuns: 1_000 },
  );
});

t.test('words that are in no time', async (t) => {
  for (const word of ['server 1', 'accounts', 'not there', 'x', 'log.1', 'pa', 'é', '21/11', 'a1'])
    t.notOk(mayBeInTime(word), word);
  for (const word of ['Nov', '11:05', '2026 1', ' 21, ', 'PM', 'p', '1', '']) t.ok(mayBeInTime(word), word);
});
