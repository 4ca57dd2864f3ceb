import type { FetchedFrom } from './fetch-watch.ts';
import type { Handling } from './fetched-batch.ts';
import { partitionName } from './partition-name.ts';

/**
 * Tells the lag of the partitions of one member of a group. A partition that went to another member and came back may be
 * finished: then no batch of it comes, and only the next fetch shows that nothing waits.
 * @boundedBy the partitions of the topics
 */
export class MemberLag {
  readonly #tell: Handling['onLag'];
  /** Partitions that were told to have records left, by name. */
  readonly #behind = new Map<string, readonly [topic: string, partition: number]>();

  constructor(tell: Handling['onLag']) {
    this.#tell = tell;
  }

  set(topic: string, partition: number, records: number): void {
    const name = partitionName(topic, partition);
    if (records > 0) this.#behind.set(name, [topic, partition]);
    else this.#behind.delete(name);
    this.#tell(topic, partition, records);
  }

  /** Takes the answer to a fetch. */
  fetched(partitions: readonly FetchedFrom[]): void {
    for (const { isAtEnd, name } of partitions) {
      const behind = this.#behind.get(name);
      if (isAtEnd && behind !== undefined) this.set(...behind, 0);
    }
  }
}
