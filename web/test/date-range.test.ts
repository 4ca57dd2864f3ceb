import t from 'tap';
import { lastMonth } from '../src/date-range.ts';

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
