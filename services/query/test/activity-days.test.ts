/** Tests the last days of a time zone, their counts, and how long alerts waited. */
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { handlingOf } from '../src/dashboard/read-activity.ts';
import { dayParts } from '../src/registry/zoned-time.ts';

const HOUR_MS = 3_600_000;
const SEED = 57;
const ZONES = [
  'UTC',
  'Europe/Zurich',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Australia/Lord_Howe',
];

const at = (text: string): number => Date.parse(text);
const clock = (timeZone: string) => (ms: number) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' }).format(ms);

t.test(
  'given any moment and zone, then the parts touch, the last has the moment in it, and days begin at midnight',
  async (t) => {
    const moment = fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2030-12-31T00:00:00Z') });
    fc.assert(
      fc.property(moment, fc.constantFrom(...ZONES), fc.constantFrom(1, 4), (now, zone, parts) => {
        const bounds = dayParts(now, 7, parts, zone);
        const isRising = bounds.every((bound, index) => index === 0 || bound > bounds[index - 1]!);
        if (!isRising) throw new Error(`not rising: ${bounds.join()}`);
        if (!(bounds.at(-2)! <= now && now < bounds.at(-1)!)) throw new Error('now is not in the last part');
        const days = bounds.filter((_, index) => index % parts === 0).slice(0, 7);
        const odd = days.map(clock(zone)).filter((shown) => shown !== '00:00');
        if (days.length !== 7 || odd.length > 0)
          throw new Error(`${days.length} days, not midnight: ${odd.join()}`);
      }),
      { seed: SEED },
    );
    t.pass();
  },
);

t.test('the day on which clocks go forward has 23 hours, and back 25', async (t) => {
  const lengths = (now: string) => {
    const bounds = dayParts(at(now), 3, 1, 'Europe/Zurich');
    return bounds.slice(1).map((bound, index) => (bound - bounds[index]!) / HOUR_MS);
  };
  t.strictSame(lengths('2026-03-30T10:00:00Z'), [24, 23, 24]);
  t.strictSame(lengths('2026-10-26T10:00:00Z'), [24, 25, 24]);
});

t.test('the time to handle is the median of the handled ones', async (t) => {
  const alerts = (...waits: (number | null)[]) =>
    waits.map((wait) => ({ timestamp: 1_000, handledAt: wait === null ? null : 1_000 + wait * 1_000 }));
  t.strictSame(handlingOf([]), { alerts: 0, handled: 0, medianSeconds: null });
  t.strictSame(handlingOf(alerts(null)), { alerts: 1, handled: 0, medianSeconds: null });
  t.strictSame(handlingOf(alerts(7, null, 3, 100)), { alerts: 4, handled: 3, medianSeconds: 7 });
  t.strictSame(handlingOf(alerts(3, 5)), { alerts: 2, handled: 2, medianSeconds: 4 });
  t.strictSame(
    handlingOf(alerts(-5)),
    { alerts: 1, handled: 1, medianSeconds: 0 },
    'clocks of two processes',
  );
});
