import { Worker } from 'node:worker_threads';

const BODY = new URL('./regexp-worker.js', import.meta.url);

/** Result of an attempt; `late` when the deadline passed and the thread was ended. */
export type Tried = 'valid' | 'invalid' | 'late';

/** A thread that answers one question at a time. It is ended when an answer is late, and started again. */
export class RegexpThread {
  readonly #body: URL;
  readonly #deadlineMs: number;
  #worker: Promise<Worker> | undefined;

  constructor(deadlineMs: number, body = BODY) {
    this.#body = body;
    this.#deadlineMs = deadlineMs;
  }

  /**
   * The deadline does not include the start of the thread.
   * @param times how many times the deadline the thread has @throws Error when the thread fails
   */
  async try(pattern: string, times = 1): Promise<Tried> {
    const worker = await (this.#worker ??= this.#start());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>(
      (resolve) => (timer = setTimeout(() => resolve('late'), times * this.#deadlineMs)),
    );
    const answer = nextMessage(worker);
    worker.postMessage(pattern);
    try {
      const tried = await Promise.race([answer, late]);
      if (tried === 'late') await this.stop();
      return tried === 'late' ? 'late' : tried === true ? 'valid' : 'invalid';
    } finally {
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await (await worker?.catch(() => undefined))?.terminate();
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(this.#body);
    // An idle thread must not keep the process running.
    worker.unref();
    worker.once('exit', () => (this.#worker = undefined));
    await nextMessage(worker);
    return worker;
  }
}

/** @throws Error when the thread fails first */
function nextMessage(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number): void => fail(new Error(`the thread for expressions ended with ${code}`));
    const fail = (error: Error): void => {
      worker.off('message', done).off('error', fail).off('exit', onExit);
      reject(error);
    };
    const done = (message: unknown): void => {
      worker.off('error', fail).off('exit', onExit);
      resolve(message);
    };
    worker.once('message', done).once('error', fail).once('exit', onExit);
  });
}
