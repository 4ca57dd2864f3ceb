/**
 * Lets one thing per key through in `everyMs`. Keeps at most `maxKeys` keys; the one that was let through longest ago
 * goes first.
 */
export class OncePer {
  readonly #everyMs: number;
  readonly #maxKeys: number;
  /** In the order of their times. */
  readonly #lastMs = new Map<string, number>();

  constructor(everyMs: number, maxKeys: number) {
    this.#everyMs = everyMs;
    this.#maxKeys = maxKeys;
  }

  /** True, and from now on closed, when the key was not let through in the last `everyMs`. */
  take(key: string, nowMs: number): boolean {
    const last = this.#lastMs.get(key);
    if (last !== undefined && nowMs - last < this.#everyMs) return false;
    this.#lastMs.delete(key);
    this.#lastMs.set(key, nowMs);
    if (this.#lastMs.size > this.#maxKeys) this.#lastMs.delete(this.#lastMs.keys().next().value!);
    return true;
  }

  /** What was let through did not happen. */
  giveBack(key: string): void {
    this.#lastMs.delete(key);
  }

  get size(): number {
    return this.#lastMs.size;
  }
}
