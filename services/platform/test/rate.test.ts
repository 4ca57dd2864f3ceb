import t from 'tap';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { addressKey, ApiError, fullBucket, RateLimiter, Refusals, takeTokens } from '../src/index.ts';

const limit = { perSecond: 10, burst: 20 };

t.test('a full bucket gives its burst, then what flows in', async (t) => {
  let bucket = fullBucket(limit, 0);
  const first = takeTokens(bucket, limit, 0, 20);
  t.match(first, { allowed: true, remaining: 0, retryAfterMs: 0 });
  bucket = first.bucket;
  t.match(takeTokens(bucket, limit, 0), { allowed: false, retryAfterMs: 100 });
  t.match(takeTokens(bucket, limit, 99), { allowed: false, retryAfterMs: 1 });
  t.match(takeTokens(bucket, limit, 100), { allowed: true, remaining: 0 });
  t.match(takeTokens(bucket, limit, 3_600_000), { allowed: true, remaining: 19 });
});

t.test('waiting the named time is enough, whatever was asked', async (t) => {
  for (const cost of [1, 3, 7, 20]) {
    const empty = { tokens: 0.25, at: 5 };
    const refused = takeTokens(empty, limit, 5, cost);
    t.equal(refused.allowed, false);
    t.equal(takeTokens(refused.bucket, limit, 5 + refused.retryAfterMs, cost).allowed, true, `cost ${cost}`);
  }
});

t.test('a refusal takes nothing, a clock that goes back gives nothing', async (t) => {
  const bucket = { tokens: 5, at: 1_000 };
  t.equal(takeTokens(bucket, limit, 1_000, 6).bucket.tokens, 5);
  t.equal(takeTokens(bucket, limit, 0, 6).allowed, false);
  t.equal(takeTokens(bucket, limit, 1_000, 21).retryAfterMs, Infinity, 'more than the bucket ever holds');
});

t.test('a charge is taken also when the bucket has less, as far as one burst of debt', async (t) => {
  let now = 0;
  const limiter = new RateLimiter({ limit, clock: { now: () => now } });
  limiter.charge('a', 5);
  t.match(limiter.take('a', 15), { allowed: true, remaining: 0 });
  limiter.charge('a', 7);
  t.match(limiter.peek('a'), { allowed: false, remaining: 0, retryAfterMs: 800 });
  limiter.charge('a', 1_000_000);
  t.match(limiter.peek('a'), { allowed: false, retryAfterMs: 2_100 }, 'no more than the burst is owed');
  now = 2_099;
  t.equal(limiter.take('a').allowed, false);
  now = 2_100;
  t.equal(limiter.take('a').allowed, true);
  t.equal(limiter.take('a').allowed, false);
});

t.test('keys are apart and bounded, the longest unused is forgotten', async (t) => {
  const limiter = new RateLimiter({ limit: { perSecond: 1, burst: 1 }, clock: { now: () => 0 }, maxKeys: 2 });
  t.equal(limiter.take('a').allowed, true);
  t.equal(limiter.take('b').allowed, true);
  t.equal(limiter.take('a').allowed, false, 'a is used again, so b is the oldest');
  t.equal(limiter.take('c').allowed, true);
  t.equal(limiter.size, 2);
  t.equal(limiter.take('a').allowed, false);
  t.equal(limiter.take('b').allowed, true, 'forgotten');
});

t.test('an address of IPv6 counts as its network', async (t) => {
  const cases: Record<string, string> = {
    '203.0.113.7': '203.0.113.7',
    '::ffff:203.0.113.7': '203.0.113.7',
    '2001:db8:1:2:aaaa:bbbb:cccc:dddd': '2001:db8:1:2::/64',
    '2001:0DB8:1:2::1': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '2001:db8:1:2:3::': '2001:db8:1:2::/64',
    '::1': '0:0:0:0::/64',
    '::': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '64:ff9b::192.0.2.1': '64:ff9b:0:0::/64',
    '1:2:3:4:5:6:192.0.2.1': '1:2:3:4::/64',
  };
  for (const [ip, key] of Object.entries(cases)) t.equal(addressKey(ip), key, ip);
});

t.test('refusals are counted by address, and told to wait beyond so many', async (t) => {
  const clock = new ManualClock();
  const refusals = new Refusals({ perMinute: 2, clock });
  const refusal = new ApiError('UNAUTHENTICATED');
  t.notOk(refusals.areTooMany('192.0.2.1'));
  t.equal(refusals.answer('192.0.2.1', refusal), refusal);
  t.equal(refusals.answer('192.0.2.1', refusal), refusal);
  t.ok(refusals.areTooMany('192.0.2.1'));
  t.match(refusals.answer('192.0.2.1', refusal), {
    code: 'RATE_LIMITED',
    retryAfterSeconds: 30,
    headers: { 'ratelimit-limit': '2', 'ratelimit-remaining': '0', 'ratelimit-reset': '60' },
  });
  t.equal(refusals.answer('192.0.2.2', refusal), refusal);
  clock.advance(30_000);
  t.notOk(refusals.areTooMany('192.0.2.1'));
  t.equal(refusals.answer('192.0.2.1', refusal), refusal);
});
