import { Worker } from 'node:worker_threads';
import { IDLE_THREAD_MS, IDLE_THREADS } from './limits.ts';

interface Idle {
  readonly body: string;
  readonly worker: Worker;
  readonly ending: NodeJS.Timeout;
}

/**
 * Threads that have closed their file. To start a thread takes 50 ms of processor time, and an audit, a rebuild or a run of
 * tests opens one file after another.
 * @pool embedded-idle-threads
 */
const idle: Idle[] = [];

/** Returns an idle thread, or a new one. @param body its module */
export function takeThread(body: URL): Worker {
  const found = idle.find((one) => one.body === body.href);
  if (found === undefined) return new Worker(body);
  forget(found);
  found.worker.ref();
  return found.worker;
}

/** Keeps a thread that has closed its file for another one. It does not keep the process alive. */
export async function giveBack(body: URL, worker: Worker): Promise<void> {
  removeListeners(worker);
  if (idle.length >= IDLE_THREADS) {
    await worker.terminate();
    return;
  }
  const ending = setTimeout(() => {
    forget(one);
    void worker.terminate();
  }, IDLE_THREAD_MS);
  ending.unref();
  const one: Idle = { body: body.href, worker, ending };
  idle.push(one);
  worker.unref();
  // A thread that crashes here has no file: the next one is a new one.
  worker.once('error', () => forget(one));
  worker.once('exit', () => forget(one));
}

function forget(one: Idle): void {
  const index = idle.indexOf(one);
  if (index >= 0) idle.splice(index, 1);
  clearTimeout(one.ending);
  removeListeners(one.worker);
}

/** Removes the listeners of an owner. Those of Node, by which `ref` works, stay. */
function removeListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}
