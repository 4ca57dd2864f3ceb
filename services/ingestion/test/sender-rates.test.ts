/** A report counts for its device and for the organisation of the device; a refused one counts for neither. */
import t from 'tap';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { SenderRates } from '../src/sender-rates.ts';

const device = { perSecond: 10, burst: 20 };
const organization = { perSecond: 15, burst: 30 };
const [one, two, other] = [
  { id: 'one', orgId: 'a' },
  { id: 'two', orgId: 'a' },
  { id: 'other', orgId: 'b' },
] as const;

t.test('all devices of an organisation together have its limit; others have theirs', async (t) => {
  const clock = new ManualClock();
  const rates = new SenderRates({ device, organization, clock });
  t.equal(rates.take(one, 20), undefined);
  t.match(rates.take(one), { limit: device, detail: /device/, taken: { retryAfterMs: 100 } });
  t.match(rates.take(two, 11), { limit: organization, detail: /organization/ });
  t.equal(rates.take(two, 10), undefined, 'the refused ones cost nothing');
  t.match(rates.take(two), { limit: organization, taken: { remaining: 0, retryAfterMs: 67 } });
  t.equal(rates.take(other, 20), undefined);
  clock.advance(1_000);
  t.match(rates.take(two, 16), { limit: organization });
  t.equal(rates.take(two, 15), undefined);
});

t.test(
  'what was done already counts for the device and its organisation, also beyond their limits',
  async (t) => {
    const rates = new SenderRates({ device, organization, clock: new ManualClock() });
    rates.charge(one, 29);
    t.match(rates.take(one), { limit: device, taken: { retryAfterMs: 1_000 } });
    t.equal(rates.take(two), undefined);
    t.match(rates.take(two), { limit: organization });
  },
);

t.test('looking counts nothing', async (t) => {
  const rates = new SenderRates({ device, organization, clock: new ManualClock() });
  for (let n = 0; n < 100; n += 1) t.equal(rates.exceeded(one), undefined);
  t.equal(rates.take(one, 20), undefined);
});
