import { LRUCache } from 'lru-cache';

/**
 * A cache of at most `max` entries; the least recently used is dropped first. The library's own `max` reserves the
 * memory of all entries at once, 36 bytes each, which an idle process has no use for.
 * @poolKind
 */
export class CountedCache<K extends object | string, V extends object | string | number> extends LRUCache<
  K,
  V
> {
  constructor(max: number) {
    super({ maxSize: max, sizeCalculation: () => 1 });
  }
}
