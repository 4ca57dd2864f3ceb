interface Entry<V> {
  readonly group: string;
  readonly value: V;
  readonly weight: number;
}

interface Group {
  weight: number;
  /** The one that was set longest ago first. */
  readonly keys: Set<string>;
}

export interface FairWeightedCacheOptions<V> {
  readonly maxEntries: number;
  /** Of all entries together; a heavier value is not kept. */
  readonly maxWeight: number;
  readonly weightOf: (value: V) => number;
  /** Returns whether the value has no use any more: it gives way first. */
  readonly isStale: (value: V) => boolean;
}

/**
 * Keeps values by key. When there is no room, one gives way in the group (an organisation) that has most, so that no group pushes
 * out what others have: one that is stale, or else the newest beside the one that needs the room. So a group that asks in turn for
 * more than there is room for finds most of it, where the oldest would give way just before its turn.
 * @poolKind
 */
export class FairWeightedCache<V> {
  readonly #options: FairWeightedCacheOptions<V>;
  readonly #entries = new Map<string, Entry<V>>();
  readonly #groups = new Map<string, Group>();
  #weight = 0;

  constructor(options: FairWeightedCacheOptions<V>) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  set(group: string, key: string, value: V): void {
    this.delete(key);
    const { maxEntries, maxWeight, weightOf } = this.#options;
    const weight = weightOf(value);
    if (weight > maxWeight) return;
    this.#entries.set(key, { group, value, weight });
    let of = this.#groups.get(group);
    if (of === undefined) this.#groups.set(group, (of = { weight: 0, keys: new Set() }));
    of.keys.add(key);
    of.weight += weight;
    this.#weight += weight;
    while (this.#entries.size > maxEntries || this.#weight > maxWeight) this.#giveWay(key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
    const of = this.#groups.get(entry.group)!;
    of.keys.delete(key);
    of.weight -= entry.weight;
    if (of.keys.size === 0) this.#groups.delete(entry.group);
  }

  clear(): void {
    this.#entries.clear();
    this.#groups.clear();
    this.#weight = 0;
  }

  /** @param added key that needs the room; it gives way itself when its group has most and nothing else */
  #giveWay(added: string): void {
    const { isStale } = this.#options;
    const { keys } = this.#largest();
    const [oldest] = keys;
    if (oldest === undefined) return;
    const isOldestStale = oldest !== added && isStale(this.#entries.get(oldest)!.value);
    this.delete(isOldestStale ? oldest : (newestBeside(keys, added) ?? added));
  }

  #largest(): Group {
    const { maxEntries, maxWeight } = this.#options;
    const shareOf = ({ keys, weight }: Group): number => Math.max(keys.size / maxEntries, weight / maxWeight);
    let largest: Group = { weight: 0, keys: new Set() };
    let share = -1;
    for (const group of this.#groups.values()) {
      const own = shareOf(group);
      if (own > share) [largest, share] = [group, own];
    }
    return largest;
  }
}

/** Returns the key that was set last, but for `added`; undefined without another. */
function newestBeside(keys: ReadonlySet<string>, added: string): string | undefined {
  let newest: string | undefined;
  for (const key of keys) if (key !== added) newest = key;
  return newest;
}
