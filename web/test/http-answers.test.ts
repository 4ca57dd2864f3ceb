/** Answers of the server that break off. */
import t, { type Test } from 'tap';
import { Type } from 'typebox';
import { createHttp, tagOf } from '../src/api/http.ts';

const http = createHttp({ base: '/api/v1', token: () => 'token', unauthorized: () => undefined });
const CALL = { name: 'getThing', path: '/thing', answer: Type.Object({ id: Type.String() }) };

Object.assign(globalThis, { document: { cookie: '' } });

/** Answers every call so; returns what was logged. */
function answering(t: Test, answer: (init: RequestInit | undefined) => Response) {
  const logged = t.capture(console, 'error');
  const fetchBefore = globalThis.fetch;
  globalThis.fetch = async (_, init) => answer(init);
  t.teardown(() => (globalThis.fetch = fetchBefore));
  return logged;
}

/** Returns an answer whose body breaks off when the call is aborted. */
const halfOf = (status: number) => (init: RequestInit | undefined) => {
  const { signal } = init ?? {};
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('{"id":'));
      signal?.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
  return new Response(body, { status });
};

t.test('a call that is aborted while its answer arrives is no failure', async (t) => {
  for (const status of [200, 500]) {
    const logged = answering(t, halfOf(status));
    const controller = new AbortController();
    const answer = http.call({ ...CALL, signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    await t.rejects(answer, { name: 'AbortError' });
    t.same(logged(), [], 'nothing is logged');
  }
});

t.test('an answer that breaks off by itself is one', async (t) => {
  const logged = answering(t, () => new Response('{"id":'));
  await t.rejects(http.call(CALL), { code: 'UNEXPECTED_ANSWER' });
  t.equal(logged().length, 1);
});

t.test('a download that breaks off by itself is one too, and is logged', async (t) => {
  const broken = () =>
    new Response(new ReadableStream({ start: (controller) => controller.error(new TypeError('cut off')) }));
  const logged = answering(t, broken);
  await t.rejects(http.download(CALL, 'text/csv'), { code: 'NETWORK' });
  t.strictSame(logged()[0]?.args, ['getThing failed: NETWORK, HTTP 0, request without an id']);
  const aborted = answering(t, halfOf(200));
  const controller = new AbortController();
  const answer = http.download({ ...CALL, signal: controller.signal }, 'text/csv');
  setTimeout(() => controller.abort(), 10);
  await t.rejects(answer, { name: 'AbortError' });
  t.same(aborted(), []);
});

t.test('an answer keeps its tag, and a change names the tag of its state', async (t) => {
  const sent: (string | null)[] = [];
  answering(t, (init) => {
    sent.push(new Headers(init?.headers).get('if-match'));
    return new Response('{"id":"a"}', { headers: { etag: 'W/"7"' } });
  });
  const read = await http.call(CALL);
  t.equal(tagOf(read), 'W/"7"');
  t.equal(tagOf({ ...read }), undefined, 'another object may be another state');
  await http.call({ ...CALL, method: 'PUT', body: {}, ifMatch: tagOf(read) });
  t.strictSame(sent, [null, 'W/"7"']);
});
