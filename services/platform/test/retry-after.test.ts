import t from 'tap';
import { retryAfterMs } from '../src/egress/retry-after.ts';

const NOW = Date.UTC(2026, 10, 21);
const LONGEST_MS = 600_000;
const of = (header: string | null | undefined): number => retryAfterMs(header, NOW, LONGEST_MS);

t.test('seconds and dates count from now, up to the longest wait', async (t) => {
  t.equal(of('120'), 120_000);
  t.equal(of('999999999'), LONGEST_MS);
  t.equal(of('Sat, 21 Nov 2026 00:01:00 GMT'), 60_000);
  t.equal(of('Sat, 21 Nov 2020 00:01:00 GMT'), 0, 'past');
});

t.test('a header that is absent or cannot be read asks for no wait', async (t) => {
  for (const odd of [null, undefined, '', 'soon', '-1', '1e3', '99999999999999'])
    t.equal(of(odd), 0, String(odd));
});
