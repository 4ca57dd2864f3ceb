interface Read<T> {
  running: Promise<T>;
  /** Begins when `running` has ended; everybody who came meanwhile waits for this one. */
  next: Promise<T> | undefined;
}

/**
 * One read a key at a time. Whoever asks gets what a read gives that began after the asking: what was stored before
 * is seen, and a crowd that asks for one key costs two reads.
 * @pool device-reads
 */
export class FreshReads<T> {
  readonly #read: (key: string, group: string) => Promise<T>;
  readonly #reads = new Map<string, Read<T>>();

  constructor(read: (key: string, group: string) => Promise<T>) {
    this.#read = read;
  }

  /** @param group whose share of the reads it takes, if it is the first of its turn */
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
