import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { giveBack, takeThread } from '../src/embedded/idle-threads.ts';
import { IDLE_THREADS } from '../src/embedded/limits.ts';
import { WorkerChannel } from '../src/embedded/worker-channel.ts';
import { until } from './until.ts';

const bodyOf = (code: string): URL => new URL(`data:text/javascript,${encodeURIComponent(code)}`);
const PORT = "import { parentPort } from 'node:worker_threads';";
const ECHO = bodyOf(`${PORT} parentPort.on('message', (text) => parentPort.postMessage(text))`);
const OTHER = bodyOf(`${PORT} parentPort.on('message', () => parentPort.postMessage('other'))`);
const CRASHES = bodyOf(`${PORT} parentPort.on('message', () => { throw new Error('of the test') })`);

function take(t: Test, body: URL): Worker {
  const worker = takeThread(body);
  t.teardown(() => worker.terminate());
  return worker;
}

async function ask(worker: Worker, text: unknown): Promise<unknown> {
  worker.postMessage(text);
  const [answer] = (await once(worker, 'message')) as [unknown];
  return answer;
}

t.test('a thread that is given back is the next one of its body, and of no other', async (t) => {
  const first = take(t, ECHO);
  let heard = 0;
  first.on('message', () => heard++);
  t.equal(await ask(first, 'a'), 'a');
  await giveBack(ECHO, first);
  const other = take(t, OTHER);
  t.not(other, first);
  t.equal(await ask(other, 'a'), 'other');
  const next = take(t, ECHO);
  t.equal(next, first);
  t.equal(await ask(next, 'b'), 'b');
  t.equal(heard, 1, 'its former owner hears nothing');
  t.not(take(t, ECHO), first, 'while it works, it is nobody else’s');
  await giveBack(OTHER, other);
  await giveBack(ECHO, next);
});

t.test('a thread that has waited for a file for some time ends', async (t) => {
  const worker = take(t, ECHO);
  await ask(worker, 'a');
  await giveBack(ECHO, worker);
  await until('the thread ends', () => worker.threadId < 0);
  t.not(take(t, ECHO), worker);
});

t.test('a thread that crashes while it is idle is not taken, and hurts nobody', async (t) => {
  const worker = take(t, CRASHES);
  await giveBack(CRASHES, worker);
  worker.postMessage('');
  worker.ref();
  const [error] = (await once(worker, 'error')) as [Error];
  t.equal(error.message, 'of the test');
  t.not(take(t, CRASHES), worker);
});

t.test('no more threads are idle than the limit allows', async (t) => {
  const workers = Array.from({ length: IDLE_THREADS + 1 }, () => take(t, OTHER));
  for (const worker of workers) await giveBack(OTHER, worker);
  t.ok(workers.at(-1)!.threadId < 0, 'the last one has ended');
  t.ok(workers.slice(0, -1).every(({ threadId }) => threadId > 0));
});

/** Answers each call with the start message; refuses `bad`. */
const SERVES = bodyOf(`${PORT}
let start;
parentPort.on('message', (message) => {
  if ('start' in message) start = message.start;
  else if (message.request === 'bad')
    parentPort.postMessage({ call: message.call, error: { kind: 'fatal', code: 'FATAL', message: 'of the test' } });
  else parentPort.postMessage({ call: message.call, value: start });
})`);

const QUESTION = { call: 0, request: 'a' };

function neverFatal(error: Error): void {
  throw error;
}

t.test(
  'two files, one after the other, are of one thread; nobody calls the one that is closed',
  async (t) => {
    const first = new WorkerChannel<string, string>(SERVES, 'first file', neverFatal);
    t.equal(await first.call('a'), 'first file');
    await first.end('end');
    const second = new WorkerChannel<string, string>(SERVES, 'second file', neverFatal);
    t.equal(await second.call('a'), 'second file');
    await t.rejects(first.call('b'), { message: 'a storage thread was ended before a call' });
    await first.end('end');
    await first.abandon();
    t.equal(await second.call('b'), 'second file', 'who closes the first again leaves it alone');
    await second.end('end');
    t.strictSame(await ask(take(t, SERVES), QUESTION), { call: 0, value: 'second file' });
    t.strictSame(await ask(take(t, SERVES), QUESTION), { call: 0, value: undefined }, 'another one is new');
  },
);

t.test('a thread that cannot close its file takes no other', async (t) => {
  const channel = new WorkerChannel<string, string>(SERVES, 'a file', neverFatal);
  await channel.call('a');
  await t.rejects(channel.end('bad'), { message: 'of the test' });
  t.strictSame(await ask(take(t, SERVES), QUESTION), { call: 0, value: undefined }, 'the next one is new');
});
