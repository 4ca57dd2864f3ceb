import { FairPool } from '@sentinel-node/platform';

/**
 * Runs `running` tasks in parallel and lets `waiting` more wait, first come first served. A group may have no more
 * waiting tasks than there are free places left.
 * @poolKind
 */
export class Slots {
  readonly #running: number;
  readonly #places: FairPool;
  #taken = 0;
  readonly #queue: (() => void)[] = [];

  constructor(running: number, waiting: number) {
    this.#running = running;
    this.#places = new FairPool({ unit: 'reads of the store', whole: waiting, perMember: waiting });
  }

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** @throws OverloadedError when too many tasks wait, in total or of the group */
  async run<T>(group: string, task: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#running) this.#taken += 1;
    else await this.#turn(group);
    try {
      return await task();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }

  async #turn(group: string): Promise<void> {
    const place = this.#places.hold(group, group);
    try {
      place.take(1);
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    } finally {
      place.release();
    }
  }
}
