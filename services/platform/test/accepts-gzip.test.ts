import t from 'tap';
import { acceptsGzip } from '../src/index.ts';

t.test('gzip is taken where it is named with a weight, or anything is', async (t) => {
  for (const header of [
    'gzip',
    'br, GZIP;q=0.5',
    'gzip ; q=1',
    '*',
    'deflate, *;q=0.1',
    'identity;q=0, gzip',
  ])
    t.ok(acceptsGzip(header), header);
});

t.test('gzip is not taken where it is refused or not named', async (t) => {
  for (const header of [
    '',
    'identity',
    'br',
    'gzip;q=0',
    'gzip;q=0.000, *',
    '*;q=0',
    'xgzip',
    'gzip-2',
    'gzip;q=x',
  ])
    t.notOk(acceptsGzip(header), header);
  t.notOk(acceptsGzip(undefined));
});
