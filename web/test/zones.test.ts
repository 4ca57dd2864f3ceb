/** Tests days and hours of zones that are no whole hour from UTC, or whose clocks go back. */
import t from 'tap';
import { hoursUntil } from '../src/activity.ts';
import { dayEnd, dayStart, momentOf } from '../src/date-range.ts';

/** Runs with this zone as the machine's. */
function within<T>(zone: string, run: () => T): T {
  const before = process.env['TZ'];
  process.env['TZ'] = zone;
  try {
    return run();
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}

t.test('hours say the minute at which they begin, and which of two equal ones they are', (t) => {
  // Newfoundland is 2:30 behind UTC in summer and 3:30 in winter; clocks went back at 2 AM, which was 04:30 UTC.
  const hours = within('America/St_Johns', () => hoursUntil(Date.parse('2026-11-01T10:10:00.000Z'), []));
  const label = (start: string): string | undefined =>
    hours.find((hour) => hour.start === Date.parse(start))?.label;
  t.equal(label('2026-11-01T02:00:00.000Z'), '11:30 PM');
  t.equal(label('2026-11-01T04:00:00.000Z'), '1:30 AM GMT-2:30');
  t.equal(label('2026-11-01T05:00:00.000Z'), '1:30 AM GMT-3:30');
  t.equal(label('2026-11-01T10:00:00.000Z'), '6:30 AM');
  t.equal(new Set(hours.map((hour) => hour.label)).size, 24, 'no two hours look the same');
  t.same(
    hours.flatMap(({ tick }) => tick ?? []).filter((tick) => tick.length > '11:30 PM'.length),
    [],
    'the axis has no room for the zone',
  );
  t.end();
});

t.test('a day is whole when clocks go back at its end: exports and filters miss no hour', (t) => {
  const days: [zone: string, day: string, from: string, to: string][] = [
    ['Africa/Cairo', '2026-10-29', '2026-10-28T21:00:00.000Z', '2026-10-29T21:59:59.999Z'],
    ['Asia/Beirut', '2026-10-24', '2026-10-23T21:00:00.000Z', '2026-10-24T21:59:59.999Z'],
    ['America/Santiago', '2026-04-04', '2026-04-04T03:00:00.000Z', '2026-04-05T03:59:59.999Z'],
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z', '2026-09-07T02:59:59.999Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00.000Z', '2026-04-05T13:29:59.999Z'],
    ['Asia/Kolkata', '2026-12-31', '2026-12-30T18:30:00.000Z', '2026-12-31T18:29:59.999Z'],
  ];
  for (const [zone, day, from, to] of days)
    t.same(
      within(zone, () => [dayStart(day), dayEnd(day)]),
      [from, to],
      `${zone} ${day}`,
    );
  t.end();
});

t.test('a range ends with the last ms of its minute', (t) => {
  const moments = within('UTC', () => [
    momentOf('2026-11-28', '2:30', 'PM', 'beginning'),
    momentOf('2026-11-28', '2:30', 'PM', 'end'),
  ]);
  t.same(moments, ['2026-11-28T14:30:00.000Z', '2026-11-28T14:30:59.999Z']);
  t.end();
});

t.test('a range that ends at a time that comes twice holds both', (t) => {
  const range = (zone: string, day: string, time: string): string[] =>
    within(zone, () => [
      momentOf(day, time, 'AM', 'beginning').slice(11, 16),
      momentOf(day, time, 'AM', 'end').slice(11, 16),
    ]);
  t.same(range('Europe/Berlin', '2026-10-25', '2:30'), ['00:30', '01:30']);
  t.same(range('America/New_York', '2026-11-01', '1:15'), ['05:15', '06:15']);
  t.same(range('Australia/Lord_Howe', '2026-04-05', '1:45'), ['14:45', '15:15']);
  t.same(range('Europe/Berlin', '2026-10-25', '1:30'), ['23:30', '23:30'], 'before');
  t.same(range('Europe/Berlin', '2026-10-25', '3:30'), ['02:30', '02:30'], 'after');
  t.same(
    range('Europe/Berlin', '2026-03-29', '2:30'),
    ['01:30', '01:30'],
    'a skipped one is later by the gap',
  );
  t.end();
});
