/** Waits of the commands that look at files which may hang in the system, as on a network file system that is gone. */

/** Longest wait for one answer of a file system, in ms. */
const ANSWER_MS = 10_000;

/** An answer did not come in time. */
export class NoAnswerError extends Error {
  readonly code = 'NO_ANSWER';
}

/** Waits for answers of file systems, each for a time of its own, and all of them no longer than the command may take. */
export class Patience {
  readonly #untilMs: number;
  #isLost = false;

  /** @param totalMs Infinity: as long as the single answers take */
  constructor(totalMs: number) {
    this.#untilMs = performance.now() + totalMs;
  }

  /** Whether an answer did not come, so that a thread of the process may hang in the system. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Waits for a short call. @throws NoAnswerError; the error of the call */
  async answer<T>(call: () => Promise<T>): Promise<T> {
    return await this.#within(call, ANSWER_MS, `no answer in ${ANSWER_MS / 1_000} s: its file system hangs`);
  }

  /** Waits for work of any length, until the command's time is over. @throws NoAnswerError; the error of the work */
  async end<T>(work: () => Promise<T>): Promise<T> {
    return await this.#within(work, Infinity, '');
  }

  /** @throws NoAnswerError the command's time is over */
  check(): void {
    if (performance.now() >= this.#untilMs) throw new NoAnswerError(OVER);
  }

  async #within<T>(work: () => Promise<T>, ms: number, late: string): Promise<T> {
    this.check();
    const restMs = this.#untilMs - performance.now();
    const waitMs = Math.min(ms, restMs);
    if (waitMs === Infinity) return await work();
    let timer: NodeJS.Timeout | undefined;
    const ended = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#isLost = true;
        reject(new NoAnswerError(restMs < ms ? OVER : late));
      }, waitMs);
    });
    return await Promise.race([work(), ended]).finally(() => clearTimeout(timer));
  }
}

const OVER = 'the time of --timeout is over';
