/** Tests the waits before calls are made again. */
import t from 'tap';
import { backOffMs } from '../src/domain/back-off.ts';
import { enrolAt } from '../src/enrol/call.ts';

t.test('each failure in a row doubles the wait, up to the longest', (t) => {
  const limits = { firstMs: 500, longestMs: 30_000 };
  t.same(
    [1, 2, 3, 7, 8, 1_000].map((failures) => backOffMs(limits, failures, 0.5)),
    [500, 1_000, 2_000, 30_000, 30_000, 30_000],
  );
  t.same(
    [0, 1].map((chance) => backOffMs(limits, 1, chance)),
    [375, 625],
    'a quarter more or less',
  );
  t.same(
    [0, 1].map((chance) => backOffMs({ ...limits, spread: 0.5 }, 1, chance)),
    [250, 750],
  );
  t.end();
});

t.test('Retry-After makes the wait longer, and never shorter', async (t) => {
  const limits = { firstMs: 500, longestMs: 30_000 };
  t.equal(backOffMs(limits, 1, 0.5, 60_000), 60_000);
  t.equal(backOffMs(limits, 3, 0.5, 0), 2_000);
  let calls = 0;
  const enrolled = enrolAt({
    server: 'https://sentinel.example',
    request: { token: 't', name: 'n', key: 'k' } as unknown as Parameters<typeof enrolAt>[0]['request'],
    fetch: () => {
      calls += 1;
      return Promise.resolve(new Response('', { status: 503, headers: { 'retry-after': '0' } }));
    },
    until: performance.now() + 400,
    onWait: () => undefined,
  });
  await t.rejects(enrolled, /did not answer in time/);
  t.equal(calls, 1, 'a busy server is not called again at once');
});
