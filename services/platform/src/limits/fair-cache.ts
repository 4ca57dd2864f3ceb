interface Entry<V> {
  readonly group: string;
  readonly value: V;
}

/**
 * Keeps at most `max` values by key. When there is no room, the value that was set longest ago gives way in the group (an
 * organisation) that has most, so that no group pushes out what others have.
 * @poolKind
 */
export class FairCache<V> {
  readonly #max: number;
  readonly #entries = new Map<string, Entry<V>>();
  /** Keys by group, the one that was set longest ago first. */
  readonly #groups = new Map<string, Set<string>>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  set(group: string, key: string, value: V): void {
    this.delete(key);
    this.#entries.set(key, { group, value });
    const keys = this.#groups.get(group);
    if (keys === undefined) this.#groups.set(group, new Set([key]));
    else keys.add(key);
    if (this.#entries.size > this.#max) this.#giveWay();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const keys = this.#groups.get(entry.group)!;
    keys.delete(key);
    if (keys.size === 0) this.#groups.delete(entry.group);
  }

  /** Yields the values, one of each group in turn; those of a group from the one that was set longest ago on. */
  *inTurns(): Generator<V> {
    let turns = [...this.#groups.values()].map((keys) => keys.values());
    while (turns.length > 0) {
      const left: typeof turns = [];
      for (const turn of turns) {
        const { done, value: key } = turn.next();
        if (done === true) continue;
        left.push(turn);
        yield this.#entries.get(key)!.value;
      }
      turns = left;
    }
  }

  #giveWay(): void {
    let most = new Set<string>();
    for (const keys of this.#groups.values()) if (keys.size > most.size) most = keys;
    const [oldest] = most;
    if (oldest !== undefined) this.delete(oldest);
  }
}
