/** Tests when kafkajs looks at the requests that wait for a connection. */
import { createRequire } from 'node:module';
import t from 'tap';
import '../src/kafka/client.ts';

const requireInner = createRequire(import.meta.url);
const RequestQueue = requireInner('kafkajs/src/network/requestQueue');

const THROTTLED_MS = 20;

/** Returns kafkajs's queue of a connection, and the ids of the requests that it has sent. */
function queueOf({ maxInFlightRequests }: { readonly maxInFlightRequests: number }) {
  const quiet = () => undefined;
  const logger = { debug: quiet, warn: quiet };
  const queue = new RequestQueue({
    maxInFlightRequests,
    requestTimeout: 1_000,
    enforceRequestTimeout: false,
    logger,
  });
  const sent: number[] = [];
  const send = (correlationId: number) =>
    new Promise((resolve, reject) => {
      const sendRequest = () => void sent.push(correlationId);
      queue.push({ entry: { correlationId, resolve, reject }, expectResponse: true, sendRequest });
    });
  const answer = (correlationId: number) => queue.fulfillRequest({ correlationId, payload: null, size: 0 });
  return { queue, sent, send, answer };
}

t.test('without waiting requests no timer runs', async (t) => {
  const { queue, send, answer } = queueOf({ maxInFlightRequests: 5 });
  const done = send(1);
  answer(1);
  await done;
  t.equal(queue.throttleCheckTimeoutId, null);
});

t.test(
  'a request that waits for the end of a throttle is sent then, and no timer runs after it',
  async (t) => {
    const { queue, sent, send, answer } = queueOf({ maxInFlightRequests: 5 });
    queue.maybeThrottle(THROTTLED_MS);
    const done = send(1);
    t.strictSame(sent, []);
    t.ok(queue.throttleCheckTimeoutId);
    while (sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    answer(1);
    await done;
    t.equal(queue.throttleCheckTimeoutId, null);
  },
);

t.test('a request above the limit of open ones is sent after an answer', async (t) => {
  const { queue, sent, send, answer } = queueOf({ maxInFlightRequests: 1 });
  t.teardown(() => queue.destroy());
  const done = Promise.all([send(1), send(2)]);
  t.strictSame(sent, [1]);
  answer(1);
  t.strictSame(sent, [1, 2]);
  answer(2);
  await done;
});
