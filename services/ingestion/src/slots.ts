import { FairPool } from '@sentinel-node/platform';

/**
 * Runs `running` tasks in parallel and lets `waiting` more wait. Waiting groups are served in rotation, the tasks of each in
 * the order in which they came. A group may have no more waiting tasks than there are free places left.
 * @poolKind
 */
export class Slots {
  readonly #running: number;
  readonly #places: FairPool;
  #taken = 0;
  /** Waiting tasks by group; the next group to be served comes first. */
  readonly #queue = new Map<string, (() => void)[]>();

  constructor(running: number, waiting: number) {
    this.#running = running;
    this.#places = new FairPool({ unit: 'reads of the store', whole: waiting, perMember: waiting });
  }

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.#places.used;
  }

  /** @throws OverloadedError when too many tasks wait, in total or of the group */
  async run<T>(group: string, task: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#running) this.#taken += 1;
    else await this.#turn(group);
    try {
      return await task();
    } finally {
      const next = this.#next();
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }

  async #turn(group: string): Promise<void> {
    const place = this.#places.hold(group, group);
    try {
      place.take(1);
      await new Promise<void>((resolve) => this.#wait(group, resolve));
    } finally {
      place.release();
    }
  }

  #wait(group: string, begin: () => void): void {
    const others = this.#queue.get(group);
    if (others === undefined) this.#queue.set(group, [begin]);
    else others.push(begin);
  }

  #next(): (() => void) | undefined {
    const [first] = this.#queue;
    if (first === undefined) return undefined;
    const [group, tasks] = first;
    // Moves the group behind the others.
    this.#queue.delete(group);
    const next = tasks.shift();
    if (tasks.length > 0) this.#queue.set(group, tasks);
    return next;
  }
}
