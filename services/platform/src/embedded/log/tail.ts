import type { RecordBatch, TailSubscription } from '../../ports/event-log.ts';
import { PartitionCursor } from './cursor.ts';
import type { LogReader } from './cursor.ts';
import type { PartitionState } from './partition.ts';
import { failureSignal } from '../../ports/failure.ts';

const TAIL_BATCH_RECORDS = 1_000;

/**
 * Follows partitions without a group, with one cursor for each partition, woken by every publication.
 * @boundedBy the partitions of a topic
 */
export class Tail implements TailSubscription {
  readonly failed: Promise<never>;
  readonly #fail: (error: unknown) => void;
  readonly #onBatch: (batch: RecordBatch) => void;
  readonly #cursors: ReadonlyMap<PartitionState, PartitionCursor>;
  readonly #leave: (() => void)[] = [];
  readonly #busy = new Set<PartitionState>();
  #stopped = false;

  constructor(
    reader: LogReader,
    from: ReadonlyMap<PartitionState, number>,
    onBatch: (batch: RecordBatch) => void,
    onStop: () => void,
  ) {
    ({ failed: this.failed, fail: this.#fail } = failureSignal());
    this.#onBatch = onBatch;
    this.#leave.push(onStop);
    this.#cursors = new Map([...from].map(([state, at]) => [state, new PartitionCursor(state, reader, at)]));
  }

  start(): void {
    for (const [state, cursor] of this.#cursors) {
      this.#leave.push(state.onPublish(() => this.#wake(state, cursor)));
      this.#wake(state, cursor);
    }
  }

  /** Returns true: a row that cannot be read ends the tail. */
  isFollowing(): boolean {
    return true;
  }

  stop(): Promise<void> {
    this.#stopped = true;
    for (const leave of this.#leave.splice(0)) leave();
    return Promise.resolve();
  }

  #wake(state: PartitionState, cursor: PartitionCursor): void {
    if (this.#stopped || this.#busy.has(state)) return;
    this.#busy.add(state);
    this.#drain(state, cursor).catch((error: unknown) => {
      void this.stop();
      this.#fail(error);
    });
  }

  async #drain(state: PartitionState, cursor: PartitionCursor): Promise<void> {
    try {
      while (!this.#stopped) {
        const records = await cursor.peek(TAIL_BATCH_RECORDS);
        if (records.length === 0 && cursor.position >= state.end) return;
        if (records.length === 0 || this.#stopped) continue;
        cursor.moveTo(records.at(-1)!.offset + 1);
        this.#onBatch({ topic: state.topic, partition: state.partition, records });
      }
    } finally {
      this.#busy.delete(state);
    }
  }
}
