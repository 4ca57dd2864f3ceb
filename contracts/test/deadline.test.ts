import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { abortedAfter } from '../src/deadline.ts';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Cleans the heap some times, also after the pending turns. */
async function collected(): Promise<void> {
  if (typeof collect !== 'function') throw new Error('the runtime has no gc()');
  for (let turn = 0; turn < 3; turn += 1) {
    collect();
    await delay(5);
  }
}

t.test('a time-out that nothing else holds ends the call also after a garbage collection', async (t) => {
  const reasons: unknown[] = [];
  const ending = new AbortController();
  for (let call = 0; call < 20; call += 1) {
    // Long enough for the collections to come first; on a machine where they do not, the test shows less.
    const signal = abortedAfter(1_000, ending.signal);
    signal.addEventListener('abort', () => reasons.push(signal.reason));
  }
  await collected();
  for (let step = 0; reasons.length < 20 && step < 500; step += 1) await delay(10);
  t.equal(reasons.length, 20);
  t.ok(reasons.every((reason) => reason instanceof DOMException && reason.name === 'TimeoutError'));
});

t.test('the signal of another ends it at once, with its reason', (t) => {
  const ending = new AbortController();
  const signal = abortedAfter(60_000, ending.signal);
  ending.abort(new Error('the agent stops'));
  t.ok(signal.aborted);
  t.match(signal.reason, { message: 'the agent stops' });
  t.ok(abortedAfter(60_000, AbortSignal.abort()).aborted, 'also when it was aborted before');
  t.end();
});
