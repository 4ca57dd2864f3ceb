import type { KeptBounds } from './lost-starts.ts';

/** The end of a partition at a look, and whether the look before found one that was too low, too. */
interface Seen {
  readonly end: number;
  readonly isLower: boolean;
}

/**
 * Notices that a topic that is kept for ever ends before where it ended at an earlier look: it was deleted and made again, or lost
 * its end. Processes that run would go on with it, and pass over new records at offsets that they have finished.
 */
export class LostEnds {
  /** @boundedBy the partitions of the topics */
  readonly #seen = new Map<string, Seen>();
  /** Topics that lost records, with one line about each. @boundedBy the topics */
  readonly #lines = new Map<string, string>();

  /** Returns a line about each topic that has lost its end, also at an earlier look. */
  look(bounds: readonly KeptBounds[]): ReadonlyMap<string, string> {
    for (const { topic, partitions } of bounds)
      for (const { end, partition } of partitions) {
        const place = `${topic}/${partition}`;
        const seen = this.#seen.get(place) ?? { end: 0, isLower: false };
        const isLower = end < seen.end;
        // The end that a new leader names at first may be too low, so one look is no proof.
        if (isLower && seen.isLower && !this.#lines.has(topic))
          this.#lines.set(
            topic,
            `${topic} is kept for ever, and partition ${partition} ends at offset ${end}, after it ended at ${seen.end}`,
          );
        this.#seen.set(place, { end: Math.max(end, seen.end), isLower });
      }
    return this.#lines;
  }
}
