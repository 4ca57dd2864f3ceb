/** Limits frequent objects: each at most once a second, and a total a second. */
import type { FeedItem, FeedKind } from '@sentinel-node/contracts';
import { STREAM_LIMITS, STREAM_TIMES } from './limits.ts';

const FREQUENT: ReadonlySet<FeedKind> = new Set(['file', 'device', 'summary', 'anchor']);

/**
 * Pure except for its memory. Times are monotonic milliseconds.
 * @pool stream-updates
 */
export class Merger {
  /** Waiting items with the offset of the first record that named them, oldest first. */
  readonly #pending = new Map<string, { readonly item: FeedItem; readonly offset: number }>();
  readonly #sentAt = new Map<string, number>();
  /** Costly objects, with the time of the earliest next send. */
  readonly #heldUntil = new Map<string, number>();
  #windowStart = Number.NEGATIVE_INFINITY;
  #inWindow = 0;

  get isFull(): boolean {
    return this.#pending.size > STREAM_LIMITS.pendingObjects;
  }

  get isWaiting(): boolean {
    return this.#pending.size > 0;
  }

  /** Returns the items to send now; the rest waits for `due`. */
  take(items: readonly FeedItem[], offset: number, now: number): FeedItem[] {
    return items.filter((item) => {
      if (!FREQUENT.has(item.kind)) return true;
      const key = `${item.kind} ${item.id}`;
      if (!this.#pending.has(key) && this.#admit(key, now)) return true;
      this.#pending.set(key, { item, offset: this.#pending.get(key)?.offset ?? offset });
      return false;
    });
  }

  /** Returns the waiting items whose turn has come. */
  due(now: number): FeedItem[] {
    for (const [key, until] of this.#heldUntil) if (now >= until) this.#heldUntil.delete(key);
    for (const [key, at] of this.#sentAt) if (now - at >= STREAM_TIMES.merge) this.#sentAt.delete(key);
    const items: FeedItem[] = [];
    for (const [key, { item }] of this.#pending) {
      if (!this.#admit(key, now)) continue;
      this.#pending.delete(key);
      items.push(item);
    }
    return items;
  }

  /** Returns the highest offset up to which no item waits, provided that everything up to `offset` was taken. */
  sentUpTo(offset: number): number {
    let first = offset + 1;
    for (const waiting of this.#pending.values()) first = Math.min(first, waiting.offset);
    return first - 1;
  }

  /** Delays the next send of an object that is costly to read. */
  delay({ kind, id }: Pick<FeedItem, 'kind' | 'id'>, until: number): void {
    this.#heldUntil.set(`${kind} ${id}`, until);
  }

  clear(): void {
    this.#pending.clear();
  }

  #admit(key: string, now: number): boolean {
    if (now - this.#windowStart >= STREAM_TIMES.merge) {
      this.#windowStart = now;
      this.#inWindow = 0;
    }
    if (now < (this.#heldUntil.get(key) ?? now)) return false;
    if (this.#inWindow >= STREAM_LIMITS.frequentPerSecond) return false;
    if (now - (this.#sentAt.get(key) ?? Number.NEGATIVE_INFINITY) < STREAM_TIMES.merge) return false;
    this.#sentAt.set(key, now);
    this.#inWindow++;
    return true;
  }
}
