import type { EachBatchPayload } from 'kafkajs';
import type { RecordBatch } from '../ports/event-log.ts';
import { fromMessage } from './message.ts';
import type { KafkaLimits } from './options.ts';

export interface Handling {
  readonly handler: (batch: RecordBatch) => Promise<void>;
  readonly maxRecords: number;
  /** Records of a partition that are there and not finished yet. */
  readonly onLag: (topic: string, partition: number, records: number) => void;
}

/** The handler threw; `cause` is what it threw. */
export class HandlerFailure extends Error {}

/** What one fetch gave of one partition, on its way through the handler. */
export class FetchedBatch {
  readonly #payload: EachBatchPayload;
  readonly #handling: Handling;
  readonly #limits: KafkaLimits;
  /** Finished and not committed yet: the next offset. */
  #finished: number | undefined;
  #committedAt = Date.now();
  /** Why the partition may belong to another member by now. */
  #lost: unknown;
  #stopped = false;
  #abandoned = false;
  #release: () => void = () => undefined;

  constructor(payload: EachBatchPayload, handling: Handling, limits: KafkaLimits) {
    this.#payload = payload;
    this.#handling = handling;
    this.#limits = limits;
  }

  /** After the part that is being handled. */
  stop(): void {
    this.#stopped = true;
  }

  /** At once; the part that is being handled is not committed. */
  abandon(): void {
    this.#abandoned = true;
    this.#release();
  }

  /** @throws HandlerFailure when the handler threw; kafkajs's errors when the group has to be joined anew */
  async handle(): Promise<void> {
    const beat = setInterval(() => void this.#heartbeat(), this.#limits.heartbeatIntervalMs);
    try {
      await this.#parts();
    } catch (error) {
      // What was finished before counts; if that is refused, it comes again.
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
      // The end of a batch may hold nothing (compaction); what is finished reaches over it.
      this.#finished = Number(at + maxRecords < messages.length ? last : batch.lastOffset()) + 1;
      resolveOffset(last);
      lag(this.#finished);
      if (Date.now() - this.#committedAt >= this.#limits.commitIntervalMs) await this.#commit();
    }
  }

  /** Resolves when the handler has, or the batch is abandoned. */
  #deliver(batch: RecordBatch): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#release = resolve;
      this.#handling.handler(batch).then(resolve, (cause: unknown) => {
        reject(new HandlerFailure('the handler threw', { cause }));
      });
    });
  }

  /** Refused when the generation of this fetch is over: the records then come again, to whoever has the partition. */
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
