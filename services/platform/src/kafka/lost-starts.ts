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

/** Returns the topics that have lost first records, of those that are kept for ever. */
export async function lostStarts(admin: Admin, specs: readonly TopicSpec[]): Promise<LostStart[]> {
  const found: LostStart[] = [];
  for (const { name: topic } of specs.filter(({ retention }) => retention === 'forever')) {
    const partitions = (await admin.fetchTopicOffsets(topic))
      .map(({ partition, low }) => ({ partition, start: Number(low) }))
      .filter(({ start }) => start > 0);
    if (partitions.length > 0) found.push({ topic, partitions });
  }
  return found;
}

/** Returns the loss of a topic in one line. */
export function lostStartLine({ topic, partitions }: LostStart): string {
  const places = partitions.map(({ partition, start }) => `partition ${partition} begins at offset ${start}`);
  return `${topic} is kept for ever, and ${places.join(', ')}`;
}
