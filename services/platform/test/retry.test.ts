import t from 'tap';
import { backoffMs, retry } from '../src/index.ts';

t.test('waits double from the first to the longest, and chance shortens them', async (t) => {
  const backoff = { firstMs: 50, longestMs: 1_000 };
  t.strictSame(
    [0, 1, 2, 3, 4, 5, 6, 1_000].map((failures) => backoffMs(failures, backoff)),
    [50, 100, 200, 400, 800, 1_000, 1_000, 1_000],
  );
  t.equal(backoffMs(0, { firstMs: 100, longestMs: 100 }, 0.5), 75);
  t.equal(backoffMs(0, { firstMs: 100, longestMs: 100, jitter: 1 }, 0.5), 50);
});

t.test('work is repeated until it succeeds, with a wait before every attempt but the first', async (t) => {
  const waits: number[] = [];
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts < 4) throw new Error('not yet');
    return attempts;
  };
  const delay = async (ms: number) => void waits.push(ms);
  const backoff = { firstMs: 10, longestMs: 20 };
  t.equal(await retry(work, { backoff, delay, mayRetry: () => true }), 4);
  t.strictSame(waits, [10, 20, 20]);
});

t.test('an error that may not be retried is thrown at once, and an error of the wait too', async (t) => {
  const backoff = { firstMs: 10, longestMs: 20 };
  const seen: unknown[] = [];
  const work = () => Promise.reject(new Error('broken'));
  const mayRetry = (error: unknown, attempts: number, waitMs: number) => {
    seen.push([(error as Error).message, attempts, waitMs]);
    return attempts < 2;
  };
  await t.rejects(retry(work, { backoff, delay: async () => undefined, mayRetry }), { message: 'broken' });
  t.strictSame(seen, [
    ['broken', 1, 10],
    ['broken', 2, 20],
  ]);
  const delay = () => Promise.reject(new Error('stopped'));
  await t.rejects(retry(work, { backoff, delay, mayRetry: () => true }), { message: 'stopped' });
});
