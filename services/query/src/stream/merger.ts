/** Limits frequent objects: each at most once a second, and a total of each kind a second. */
import type { FeedItem, FeedKind } from '@sentinel-node/contracts';
import { STREAM_LIMITS, STREAM_TIMES } from './limits.ts';

const FREQUENT: ReadonlySet<FeedKind> = new Set(['file', 'device', 'summary', 'anchor']);

/** The messages of one kind in the present second. */
interface Window {
  startedAt: number;
  sent: number;
  /** Whether an item had to wait for the next window: later ones wait behind it. */
  isBehind: boolean;
}

/**
 * Pure except for its memory. Times are monotonic milliseconds. Each kind has its own share of a second, so that no device
 * waits behind thousands of files.
 * @pool stream-updates
 */
export class Merger {
  /** Waiting items with the offset of the first record that named them, oldest first. */
  readonly #pending = new Map<string, { readonly item: FeedItem; readonly offset: number }>();
  readonly #sentAt = new Map<string, number>();
  /** Costly objects, with the time of the earliest next send. */
  readonly #heldUntil = new Map<string, number>();
  readonly #windows = new Map<FeedKind, Window>();
  /** Offset of the first record of which a file was dropped since the last `clear`. */
  #droppedAt: number | undefined;
  #clearedAt = Number.NEGATIVE_INFINITY;

  get isWaiting(): boolean {
    return this.#pending.size > 0 || this.#droppedAt !== undefined;
  }

  /** Returns whether files were dropped, and the clients were not told to load anew for long enough. */
  isResyncDue(now: number): boolean {
    return this.#droppedAt !== undefined && now - this.#clearedAt >= STREAM_TIMES.resync;
  }

  /** Returns the items to send now; the rest waits for `due`. Drops files while too many objects wait. */
  take(items: readonly FeedItem[], offset: number, now: number): FeedItem[] {
    return items.filter((item) => {
      if (!FREQUENT.has(item.kind)) return true;
      const key = keyOf(item);
      const waiting = this.#pending.get(key);
      if (waiting === undefined) {
        if (!this.#windowAt(item.kind, now).isBehind && this.#admit(item, now)) return true;
        if (item.kind === 'file' && this.#pending.size >= STREAM_LIMITS.pendingObjects) {
          this.#droppedAt ??= offset;
          return false;
        }
      }
      this.#pending.set(key, { item, offset: waiting?.offset ?? offset });
      return false;
    });
  }

  /** Returns the waiting items whose turn has come. */
  due(now: number): FeedItem[] {
    for (const [key, until] of this.#heldUntil) if (now >= until) this.#heldUntil.delete(key);
    for (const [key, at] of this.#sentAt) if (now - at >= STREAM_TIMES.merge) this.#sentAt.delete(key);
    for (const window of this.#windows.values()) window.isBehind = false;
    const items: FeedItem[] = [];
    for (const [key, { item }] of this.#pending) {
      if (!this.#admit(item, now)) continue;
      this.#pending.delete(key);
      items.push(item);
    }
    return items;
  }

  /** Returns the highest offset up to which no item waits or was dropped, provided that everything up to `offset` was taken. */
  sentUpTo(offset: number): number {
    let first = Math.min(offset + 1, this.#droppedAt ?? Infinity);
    for (const waiting of this.#pending.values()) first = Math.min(first, waiting.offset);
    return first - 1;
  }

  /** Delays the next send of an object that is costly to read. */
  delay(item: Pick<FeedItem, 'kind' | 'id'>, until: number): void {
    this.#heldUntil.set(keyOf(item), until);
  }

  /** Forgets what waits and what was dropped, because all clients load anew. */
  clear(now: number): void {
    this.#pending.clear();
    for (const window of this.#windows.values()) window.isBehind = false;
    this.#droppedAt = undefined;
    this.#clearedAt = now;
  }

  #admit(item: FeedItem, now: number): boolean {
    const key = keyOf(item);
    if (now < (this.#heldUntil.get(key) ?? now)) return false;
    if (now - (this.#sentAt.get(key) ?? Number.NEGATIVE_INFINITY) < STREAM_TIMES.merge) return false;
    const window = this.#windowAt(item.kind, now);
    if (window.sent >= STREAM_LIMITS.frequentPerSecond) {
      window.isBehind = true;
      return false;
    }
    this.#sentAt.set(key, now);
    window.sent++;
    return true;
  }

  #windowAt(kind: FeedKind, now: number): Window {
    let window = this.#windows.get(kind);
    if (window === undefined)
      this.#windows.set(kind, (window = { startedAt: now, sent: 0, isBehind: false }));
    if (now - window.startedAt >= STREAM_TIMES.merge) {
      window.startedAt = now;
      window.sent = 0;
    }
    return window;
  }
}

const keyOf = ({ kind, id }: Pick<FeedItem, 'kind' | 'id'>): string => `${kind} ${id}`;
