/** One read for all who want the same at once. */
interface Running<T> {
  readonly read: Promise<T>;
  /** Begins when `read` has ended. */
  next?: Promise<T>;
}

/**
 * Whoever asks while a read is under way shares the next one with all others who do: it begins after they asked, so
 * that nobody is given what was read before.
 * @boundedBy the calls that wait for them
 */
export class SharedReads<T> {
  readonly #running = new Map<string, Running<T>>();

  /** @param ask the same for all who give the key */
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
