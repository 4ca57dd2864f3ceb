import { OverloadedError } from '@sentinel-node/platform';

/** Lets `running` tasks run at once and `waiting` more wait for their turn, first come first served. */
export class Slots {
  readonly #running: number;
  readonly #waiting: number;
  #taken = 0;
  readonly #queue: (() => void)[] = [];

  constructor(running: number, waiting: number) {
    this.#running = running;
    this.#waiting = waiting;
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
    if (this.#queue.length >= this.#waiting)
      return Promise.reject(new OverloadedError(`more than ${this.#waiting} reads of the store wait`));
    return new Promise((resolve) => this.#queue.push(resolve));
  }
}
