import { gunzipSync, gzipSync } from 'node:zlib';
import fastify from 'fastify';
import t, { type Test } from 'tap';
import { compressAnswers } from '../src/http/compression.ts';

/** An application with one long answer, and the texts that it compressed; each compression waits for `go`. */
async function scene(t: Test) {
  const texts: string[] = [];
  let go = (): void => undefined;
  const gone = new Promise<void>((resolve) => (go = resolve));
  const app = fastify();
  compressAnswers(app, async (text) => {
    texts.push(text);
    await gone;
    return gzipSync(text);
  });
  app.get<{ Params: { letter: string } }>('/:letter', ({ params: { letter } }) => letter.repeat(2_000));
  await app.ready();
  t.teardown(() => app.close());
  const get = (letter: string) => app.inject({ url: `/${letter}`, headers: { 'accept-encoding': 'gzip' } });
  return { texts, go, get };
}

t.test('equal answers at the same time are compressed once, others by themselves', async (t) => {
  const { texts, go, get } = await scene(t);
  const calls = [get('a'), get('a'), get('b'), get('a')];
  for (let turn = 0; texts.length < 2 && turn < 1_000; turn += 1)
    await new Promise((resolve) => setImmediate(resolve));
  go();
  const answers = await Promise.all(calls);
  t.same(
    answers.map(({ rawPayload }) => gunzipSync(rawPayload).toString()),
    ['a', 'a', 'b', 'a'].map((letter) => letter.repeat(2_000)),
  );
  t.same(
    texts.map((text) => text[0]),
    ['a', 'b'],
  );
});

t.test('an answer after them is compressed anew: nothing is kept', async (t) => {
  const { texts, go, get } = await scene(t);
  go();
  await get('a');
  await get('a');
  t.equal(texts.length, 2);
});
