/** A read under way, and the next one. */
interface Running<T> {
  readonly read: Promise<T>;
  /** Starts when `read` has ended. */
  next?: Promise<T>;
}

/**
 * Shares reads. A call during a read shares the next read with all other such calls: that read starts after the call,
 * so no caller gets older data.
 * @boundedBy the calls that wait for them
 */
export class SharedReads<T> {
  readonly #running = new Map<string, Running<T>>();

  /** @param ask must be the same for all calls with the key */
  read(key: string, ask: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#begin(key, ask);
    const begin = (): Promise<T> => this.#begin(key, ask);
    running.next ??= running.read.then(begin, begin);
    return running.next;
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
