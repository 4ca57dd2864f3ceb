/** Wakes requests that wait for a view to show a change. Every serving process follows the end of the feed itself. */
interface Waiter {
  readonly wake: () => void;
}

/** The most waiting requests; further ones are refused. */
export const ALERT_WAITERS = 10_000;

/** @pool alert-waiters */
export class Signals {
  readonly #waiters = new Map<string, Set<Waiter>>();
  #count = 0;

  get isFull(): boolean {
    return this.#count >= ALERT_WAITERS;
  }

  /** Wakes the waiters for `key`. */
  raise(key: string): void {
    for (const waiter of this.#waiters.get(key) ?? []) waiter.wake();
  }

  /** Resolves at the next `raise` of one of `keys` after this call, or after `ms` milliseconds. */
  async next(keys: readonly string[], ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let waiter: Waiter | undefined;
    this.#count++;
    try {
      await new Promise<void>((resolve) => {
        waiter = { wake: resolve };
        timer = setTimeout(resolve, ms).unref();
        for (const key of keys) this.#add(key, waiter);
      });
    } finally {
      this.#count--;
      clearTimeout(timer);
      for (const key of keys) this.#remove(key, waiter!);
    }
  }

  #add(key: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(key);
    if (waiters === undefined) this.#waiters.set(key, new Set([waiter]));
    else waiters.add(waiter);
  }

  #remove(key: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(key);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiters.delete(key);
  }
}

export const alertSignal = (alertId: string): string => `alert ${alertId}`;
