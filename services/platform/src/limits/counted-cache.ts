import { LRUCache } from 'lru-cache';

/**
 * Returns a cache of at most `max` entries; the least recently used is dropped first. The library's own `max` reserves
 * the memory of all entries at once, 36 bytes each, which an idle process has no use for.
 */
export const countedCache = <K extends object | string, V extends object | string>(
  max: number,
): LRUCache<K, V> => new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
