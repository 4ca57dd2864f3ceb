import { OverloadedError } from '@sentinel-node/platform';

/**
 * Lets `running` tasks run at once and `waiting` more wait for their turn, first come first served.
 * @poolKind
 */
export class Slots {
  readonly #running: number;
  readonly #maxWaiting: number;
  #taken = 0;
  readonly #queue: (() => void)[] = [];

  constructor(running: number, waiting: number) {
    this.#running = running;
    this.#maxWaiting = waiting;
  }

  /** Tasks that wait for their turn. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** @throws OverloadedError when too many wait already */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#running) this.#taken += 1;
    else await this.#turn();
    try {
      return await task();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }

  #turn(): Promise<void> {
    if (this.#queue.length >= this.#maxWaiting)
      return Promise.reject(new OverloadedError(`more than ${this.#maxWaiting} reads of the store wait`));
    return new Promise((resolve) => this.#queue.push(resolve));
  }
}
