import t from 'tap';
import { changeErrors, maintenanceErrors, newMaintenance } from '../src/forms/maintenance-values.ts';
import { dayEnd, dayError, dayStart, LAST_DAY, lastMonth, momentOf } from '../src/date-range.ts';

t.test(
  '[S5.24] the default of an export is one month back, at most the last day of that month',
  async (t) => {
    const from = (year: number, month: number, day: number) =>
      lastMonth(new Date(year, month - 1, day, 15)).from;
    t.equal(from(2026, 3, 31), '2026-02-28');
    t.equal(from(2028, 3, 31), '2028-02-29');
    t.equal(from(2026, 5, 31), '2026-04-30');
    t.equal(from(2026, 1, 15), '2025-12-15');
    t.same(lastMonth(new Date(2026, 2, 31)), { from: '2026-02-28', to: '2026-03-31' });
  },
);

t.test('a mistyped year is refused, and every other day has its moments', async (t) => {
  const year = 'The year has at most four digits';
  for (const day of ['12026-11-02', '202611-01-01', '9999-12-31']) t.equal(dayError(day, 'empty'), year, day);
  t.equal(dayError('', 'empty'), 'empty');
  for (const day of ['0001-01-02', '2026-11-02', LAST_DAY]) {
    t.equal(dayError(day, 'empty'), undefined, day);
    t.match(dayStart(day), /^\d{4}-/);
    t.match(dayEnd(day), /^\d{4}-/);
    t.match(momentOf(day, '11:59', 'PM', 'end'), /^\d{4}-/);
  }
});

t.test('a mistyped year of a maintenance window is refused', async (t) => {
  const end = '12026-11-02T10:00';
  const year = 'The year has at most four digits';
  t.equal(changeErrors({ reason: 'Update', end }).end, year);
  const values = { ...newMaintenance, when: 'PLANNED', start: '2026-11-02T09:00', end };
  t.equal(maintenanceErrors(values).end, year);
  t.equal(maintenanceErrors({ ...values, end: '2026-11-02T10:00' }).end, undefined);
});
