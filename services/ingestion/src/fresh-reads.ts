interface Read<T> {
  running: Promise<T>;
  /** Starts when `running` has ended; all callers that came during `running` share this read. */
  next: Promise<T> | undefined;
}

/**
 * Runs one read a key at a time. A caller gets the result of a read that began after its call, with everything stored
 * before; many simultaneous callers of one key cost two reads.
 * @pool device-reads
 */
export class FreshReads<T> {
  readonly #read: (key: string, group: string) => Promise<T>;
  readonly #reads = new Map<string, Read<T>>();

  constructor(read: (key: string, group: string) => Promise<T>) {
    this.#read = read;
  }

  /** @param group group whose share of the reads the call takes, if the call is the first of its turn */
  get(key: string, group: string): Promise<T> {
    const read = this.#reads.get(key);
    if (read === undefined) return this.#begin(key, group);
    const again = (): Promise<T> => this.#begin(key, group);
    read.next ??= read.running.then(again, again);
    return read.next;
  }

  isReading(key: string): boolean {
    return this.#reads.has(key);
  }

  #begin(key: string, group: string): Promise<T> {
    const read: Read<T> = { running: this.#read(key, group), next: undefined };
    this.#reads.set(key, read);
    read.running = read.running.finally(() => {
      if (read.next === undefined) this.#reads.delete(key);
    });
    return read.running;
  }
}
