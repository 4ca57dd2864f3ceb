import t from 'tap';
import { prefersCsv } from '../src/index.ts';

t.test('CSV is given where it is named, or liked better than JSON', async (t) => {
  for (const header of [
    'text/csv',
    'TEXT/CSV; charset=utf-8',
    'text/csv, */*',
    'application/json, text/csv',
    'text/csv;q=0.4, application/json;q=0.3',
    'text/*',
    'application/json;q=0, */*',
    'text/csv;q=0.001',
  ])
    t.ok(prefersCsv(header), header);
});

t.test('CSV is not given where it is refused, not named, or JSON is liked better', async (t) => {
  for (const header of [
    '',
    'text/csv;q=0',
    'text/csv; q=0.000, */*',
    'text/csv;charset=utf-8;q=0',
    'text/csv;q=0, text/*',
    'text/*;q=0',
    '*/*',
    'application/json',
    'text/html, */*;q=0.8',
    'text/csv;q=0.5, application/json',
    'x-text/csv',
    'text/csv-schema',
    'text/csv;q=x',
  ])
    t.notOk(prefersCsv(header), header);
  t.notOk(prefersCsv(undefined));
});
