import { FairPool } from '@sentinel-node/platform';

/**
 * Lets `running` tasks run at once and `waiting` more wait for their turn, first come first served. A group waits with no
 * more tasks than there are places left.
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

  /** Tasks that wait for their turn. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** @throws OverloadedError when too many wait already, of all or of the group */
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
