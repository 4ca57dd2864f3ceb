import type { Admin } from 'kafkajs';
import type { TopicSpec } from '../ports/event-log.ts';

/** A topic that is kept for ever, and the partitions that do not begin with their first record. */
export interface LostStart {
  readonly topic: string;
  readonly partitions: readonly {
    readonly partition: number;
    /** Offset of the first record that is left. */
    readonly start: number;
  }[];
}

/** First and next offset of each partition of a topic that is kept for ever. */
export interface KeptBounds {
  readonly topic: string;
  readonly partitions: readonly {
    readonly partition: number;
    readonly start: number;
    readonly end: number;
  }[];
}

/** Returns the bounds of the topics that are kept for ever. */
export async function keptBounds(admin: Admin, specs: readonly TopicSpec[]): Promise<KeptBounds[]> {
  const found: KeptBounds[] = [];
  for (const { name: topic } of specs.filter(({ retention }) => retention === 'forever')) {
    const offsets = await admin.fetchTopicOffsets(topic);
    const partitions = offsets.map(({ partition, low, high }) => {
      return { partition, start: Number(low), end: Number(high) };
    });
    found.push({ topic, partitions });
  }
  return found;
}

/** Returns the topics that have lost first records. */
export function startsLost(bounds: readonly KeptBounds[]): LostStart[] {
  return bounds.flatMap(({ topic, partitions }) => {
    const late = partitions.filter(({ start }) => start > 0);
    return late.length > 0 ? [{ topic, partitions: late }] : [];
  });
}

/** Returns the topics that have lost first records, of those that are kept for ever. */
export async function lostStarts(admin: Admin, specs: readonly TopicSpec[]): Promise<LostStart[]> {
  return startsLost(await keptBounds(admin, specs));
}

/** Returns the loss of a topic in one line. */
export function lostStartLine({ topic, partitions }: LostStart): string {
  const places = partitions.map(({ partition, start }) => `partition ${partition} begins at offset ${start}`);
  return `${topic} is kept for ever, and ${places.join(', ')}`;
}
