/**
 * Tells which events a read has counted already: a resumed stream repeats events that happened while nobody saw the page,
 * and a read after the return counts them too.
 */

/** The newest events of a read, and those of the stream since then. */
export interface CountedEvents {
  /** Newest first, without a gap; at most `COUNTED_MAX`. */
  readonly ids: readonly string[];
  /** Whether events exist that are older than all of `ids`; the read has counted them. */
  readonly hasOlder: boolean;
}

/** Most remembered events. */
export const COUNTED_MAX = 200;

/** @param newest the newest events when the counts were read, newest first @param most of how many they are the newest */
export const countedOf = (newest: readonly { id: string }[], most: number): CountedEvents => ({
  ids: newest.map(({ id }) => id),
  hasOlder: newest.length >= most,
});

/** Returns whether an event is counted. Ids rise with time. */
export const isCounted = ({ ids, hasOlder }: CountedEvents, id: string): boolean =>
  ids.includes(id) || (hasOlder && id < (ids.at(-1) ?? ''));

/** Returns the counted events with one more. */
export function withCounted({ ids, hasOlder }: CountedEvents, id: string): CountedEvents {
  const all = [...ids, id].sort().reverse();
  return { ids: all.slice(0, COUNTED_MAX), hasOlder: hasOlder || all.length > COUNTED_MAX };
}
