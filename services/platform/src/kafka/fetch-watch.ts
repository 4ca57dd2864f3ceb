/** The answer of a broker to a fetch from one partition. */
export interface FetchedFrom {
  /** Topic and partition. */
  readonly name: string;
  readonly records: number;
  /** Whether nothing waits behind the position that was asked for. */
  readonly isAtEnd: boolean;
}

/**
 * Knows for how long some partition of a consumer has not been fetched. Only answers of brokers set the time back, so
 * that a consumer that joins its group again and again, and fetches nothing, shows.
 * @boundedBy the partitions of the topics
 */
export class FetchWatch {
  readonly #now: () => number;
  #owed: readonly string[] = [];
  /** When each partition was last fetched, and what was fetched was handled. */
  readonly #fetchedAt = new Map<string, number>();
  /** The partitions of each broker's last answer: their next fetch waits until the records are handled. */
  readonly #inHand = new Map<string, readonly string[]>();
  /** The last moment after which every partition was fetched. */
  #completeAt: number;

  /** @param now milliseconds of a clock that never goes back; default: the process's */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#completeAt = now();
  }

  /** Takes the partitions that are to be fetched from now on. */
  assign(names: readonly string[]): void {
    this.#complete();
    this.#owed = names;
  }

  /** Notes that a broker is asked; `brokers` are all that there are. What the broker gave before is handled. */
  asks(broker: string, brokers: readonly string[]): void {
    for (const [other, names] of this.#inHand)
      if (other === broker || !brokers.includes(other)) this.#handled(other, names);
  }

  /** Notes the answer of a broker. An answer with records may leave out those of some partitions. */
  answers(broker: string, partitions: readonly FetchedFrom[]): void {
    const hasRecords = partitions.some(({ records }) => records > 0);
    const fetched = partitions.filter(({ isAtEnd }) => hasRecords || isAtEnd).map(({ name }) => name);
    this.#inHand.set(broker, fetched);
  }

  /** Notes that nobody fetches now, and nothing is being handled. */
  ends(): void {
    for (const [broker, names] of this.#inHand) this.#handled(broker, names);
  }

  /** Milliseconds for which some partition has not been fetched; 0 without partitions, and while all are being handled. */
  get silentMs(): number {
    this.#complete();
    return this.#owed.length === 0 ? 0 : this.#now() - this.#completeAt;
  }

  #handled(broker: string, names: readonly string[]): void {
    for (const name of names) this.#fetchedAt.set(name, this.#now());
    this.#inHand.delete(broker);
  }

  /** Moves the moment on; a partition that was never fetched, or that came back after long, leaves it as it was. */
  #complete(): void {
    const inHand = new Set([...this.#inHand.values()].flat());
    let oldest = this.#now();
    for (const name of this.#owed)
      if (!inHand.has(name)) oldest = Math.min(oldest, this.#fetchedAt.get(name) ?? -Infinity);
    this.#completeAt = Math.max(this.#completeAt, oldest);
  }
}
