/** A read under way, and the next one. */
interface Running<T> {
  readonly read: Promise<T>;
  /** Starts when `read` has ended. */
  next?: Promise<T>;
}

/**
 * Shares reads: one a key at a time. A call during a read shares the next read with all other such calls: that read
 * starts after the call, so that no caller gets older data. Many simultaneous calls of one key cost two reads.
 * @boundedBy the calls that wait for them
 */
export class SharedReads<T> {
  readonly #running = new Map<string, Running<T>>();

  /** @param ask must read the same for all calls with the key; the first call of a turn has its `ask` called */
  read(key: string, ask: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#begin(key, ask);
    const begin = (): Promise<T> => this.#begin(key, ask);
    running.next ??= running.read.then(begin, begin);
    return running.next;
  }

  isReading(key: string): boolean {
    return this.#running.has(key);
  }

  #begin(key: string, ask: () => Promise<T>): Promise<T> {
    const read = ask().finally(() => {
      if (running.next === undefined) this.#running.delete(key);
    });
    const running: Running<T> = { read };
    this.#running.set(key, running);
    return read;
  }
}
