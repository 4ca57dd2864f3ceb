import type { StoredRecord, TopicSpec } from '../../ports/event-log.ts';
import type { WindowSet } from './window.ts';
import { PartitionWindow } from './window.ts';

/**
 * State of one partition in this process. Offsets below `end` are durable (in a volatile topic: visible).
 * @boundedBy the consumers of the process
 */
export class PartitionState {
  readonly topic: string;
  readonly partition: number;
  /** Whether compaction takes no record out of it. */
  readonly isWhole: boolean;
  /** Number in the file; undefined for a volatile topic. */
  readonly slot: number | undefined;
  readonly window = new PartitionWindow();
  end: number;
  /** Records that this process appended since the last compaction. */
  sinceCompaction = 0;
  readonly #windows: WindowSet;
  readonly #listeners = new Set<() => void>();

  constructor(
    { name, retention }: Pick<TopicSpec, 'name' | 'retention'>,
    partition: number,
    slot: number | undefined,
    end: number,
    windows: WindowSet,
  ) {
    this.topic = name;
    this.isWhole = retention !== 'compacted';
    this.partition = partition;
    this.slot = slot;
    this.end = end;
    this.#windows = windows;
  }

  /** First kept offset: the start of the window in a volatile topic, 0 otherwise. */
  get start(): number {
    return this.slot === undefined ? (this.window.first ?? this.end) : 0;
  }

  /** Makes the records from `end` on visible and wakes their waiting consumers. */
  publish(records: readonly StoredRecord[]): void {
    const first = this.end;
    this.end += records.length;
    this.#windows.add(this.window, first, records);
    for (const listener of this.#listeners) listener();
  }

  onPublish(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
