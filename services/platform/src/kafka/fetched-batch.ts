import type { EachBatchPayload } from 'kafkajs';
import type { RecordBatch } from '../ports/event-log.ts';
import { fromMessage } from './message.ts';
import type { KafkaLimits } from './options.ts';

export interface Handling {
  readonly handler: (batch: RecordBatch) => Promise<void>;
  readonly maxRecords: number;
  /** Receives the number of records of a partition that exist and are not finished yet. */
  readonly onLag: (topic: string, partition: number, records: number) => void;
}

/** The handler threw; `cause` is the thrown value. */
export class HandlerFailure extends Error {}

/** The records that one fetch returned for one partition, while the handler works on them. */
export class FetchedBatch {
  readonly #payload: EachBatchPayload;
  readonly #handling: Handling;
  readonly #limits: KafkaLimits;
  /** Next offset after the finished records; undefined once it is committed. */
  #finished: number | undefined;
  #committedAt = Date.now();
  /** The error after which the partition may belong to another member. */
  #lost: unknown;
  #stopped = false;
  #abandoned = false;
  #release: () => void = () => undefined;

  constructor(payload: EachBatchPayload, handling: Handling, limits: KafkaLimits) {
    this.#payload = payload;
    this.#handling = handling;
    this.#limits = limits;
  }

  /** Stops after the current part. */
  stop(): void {
    this.#stopped = true;
  }

  /** Stops at once; the current part is not committed. */
  abandon(): void {
    this.#abandoned = true;
    this.#release();
  }

  /** @throws HandlerFailure when the handler threw; kafkajs's errors when the group must be joined again */
  async handle(): Promise<void> {
    const beat = setInterval(() => void this.#heartbeat(), this.#limits.heartbeatIntervalMs);
    try {
      await this.#parts();
    } catch (error) {
      // Commits the parts that finished earlier; if the commit is refused, their records are delivered again.
      if (error instanceof HandlerFailure) await this.#commit().catch(() => undefined);
      throw error;
    } finally {
      clearInterval(beat);
    }
    await this.#commit();
    if (this.#lost !== undefined) throw this.#lost;
  }

  async #parts(): Promise<void> {
    const { batch, resolveOffset } = this.#payload;
    const { topic, partition, messages } = batch;
    const { maxRecords, onLag } = this.#handling;
    const lag = (next: number) => onLag(topic, partition, Math.max(0, Number(batch.highWatermark) - next));
    lag(Number(batch.firstOffset()));
    for (let at = 0; at < messages.length; at += maxRecords) {
      if (this.#stopped || this.#lost !== undefined) return;
      const part = messages.slice(at, at + maxRecords);
      const records = part.map((message) => fromMessage(message, partition));
      await this.#deliver({ topic, partition, records });
      if (this.#abandoned) return;
      const last = part.at(-1)!.offset;
      // Compaction may have removed records at the end of a batch; the finished offset includes their places.
      this.#finished = Number(at + maxRecords < messages.length ? last : batch.lastOffset()) + 1;
      resolveOffset(last);
      lag(this.#finished);
      if (Date.now() - this.#committedAt >= this.#limits.commitIntervalMs) await this.#commit();
    }
  }

  /** Resolves when the handler has finished, or the batch is abandoned. */
  #deliver(batch: RecordBatch): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#release = resolve;
      this.#handling.handler(batch).then(resolve, (cause: unknown) => {
        reject(new HandlerFailure('the handler threw', { cause }));
      });
    });
  }

  /**
   * Commits the finished records. The commit is refused when the generation of this fetch is over: the records are
   * then delivered again, to the partition's new member.
   */
  async #commit(): Promise<void> {
    if (this.#finished === undefined) return;
    const { topic, partition } = this.#payload.batch;
    const offset = String(this.#finished);
    this.#finished = undefined;
    await this.#payload.commitOffsetsIfNecessary({
      topics: [{ topic, partitions: [{ partition, offset }] }],
    });
    this.#committedAt = Date.now();
  }

  async #heartbeat(): Promise<void> {
    try {
      await this.#payload.heartbeat();
    } catch (error) {
      this.#lost = error;
    }
  }
}
