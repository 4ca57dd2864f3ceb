/**
 * Admits one event per key in `everyMs`. Remembers at most `maxKeys` keys and evicts the key that was admitted longest
 * ago.
 * @poolKind
 */
export class KeyedThrottle {
  readonly #everyMs: number;
  readonly #maxKeys: number;
  /** Time of the last admission by key, oldest first. */
  readonly #lastMs = new Map<string, number>();

  constructor(everyMs: number, maxKeys: number) {
    this.#everyMs = everyMs;
    this.#maxKeys = maxKeys;
  }

  /** Admits the event if the key had none in the last `everyMs`. A time to come is of a clock that was set back since. */
  take(key: string, nowMs: number): boolean {
    const sinceMs = nowMs - (this.#lastMs.get(key) ?? -Infinity);
    if (sinceMs >= 0 && sinceMs < this.#everyMs) return false;
    this.#lastMs.delete(key);
    this.#lastMs.set(key, nowMs);
    if (this.#lastMs.size > this.#maxKeys) this.#lastMs.delete(this.#lastMs.keys().next().value!);
    return true;
  }

  /** Forgets the admission of an event that did not happen. */
  release(key: string): void {
    this.#lastMs.delete(key);
  }

  get size(): number {
    return this.#lastMs.size;
  }
}
