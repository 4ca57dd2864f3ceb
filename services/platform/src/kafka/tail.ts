import { LogStartLostError } from '../ports/errors.ts';
import { failureSignal } from '../ports/failure.ts';
import type { RecordBatch, TailSubscription, TopicSpec } from '../ports/event-log.ts';
import { withMissingRight } from './access.ts';
import type { ClientContext } from './client.ts';
import { ClusterReader } from './cluster.ts';
import { causeMessage, errorType } from './errors.ts';
import { FetchWatch } from './fetch-watch.ts';
import { partitionName } from './partition-name.ts';
import { chunks, take } from './read.ts';
import { isPermanent, pause } from './retry.ts';
import { assertWhole } from './whole-records.ts';

/** Follows a topic by position, with one long-lived request for each broker that leads some of its partitions. */
export class Tail implements TailSubscription {
  readonly failed: Promise<never>;
  readonly #fail: (error: unknown) => void;
  readonly #context: ClientContext;
  readonly #topic: string;
  readonly #isForEver: boolean;
  readonly #positions: Map<number, number>;
  readonly #onBatch: (batch: RecordBatch) => void;
  #running: Promise<void> = Promise.resolve();
  readonly #fetches = new FetchWatch();
  #stopped = false;

  constructor(
    context: ClientContext,
    { name: topic, retention }: Pick<TopicSpec, 'name' | 'retention'>,
    from: ReadonlyMap<number, number>,
    onBatch: (batch: RecordBatch) => void,
  ) {
    ({ failed: this.failed, fail: this.#fail } = failureSignal());
    this.#context = context;
    this.#topic = topic;
    this.#isForEver = retention === 'forever';
    this.#positions = new Map(from);
    this.#onBatch = onBatch;
    this.#fetches.assign([...from.keys()].map((partition) => partitionName(topic, partition)));
  }

  start(): void {
    this.#running = this.#run();
  }

  isFollowing(): boolean {
    return this.#fetches.silentMs <= this.#context.limits.fetchSilenceMs;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const reader = new ClusterReader(this.#context);
      try {
        await this.#follow(reader).catch((error: unknown) => this.#skipLost(reader, error));
      } catch (error) {
        if (error instanceof HandlerError || isPermanent(error)) {
          this.#stopped = true;
          this.#fail(error instanceof HandlerError ? error.cause : this.#explained(error));
        } else {
          this.#context.log.warn({ topic: this.#topic, cause: causeMessage(error) }, 'tail begins anew');
          await pause(this.#context.limits.retryDelayMs);
        }
      } finally {
        this.#fetches.ends();
        await reader.close();
      }
    }
  }

  #explained(error: unknown): unknown {
    const rights = [{ operation: 'Read', on: 'topic', names: [this.#topic] }] as const;
    return withMissingRight(error, this.#context.connection, rights);
  }

  /** Follows until stopped. @throws the first error of any broker, after all loops have ended */
  async #follow(reader: ClusterReader): Promise<void> {
    const round = { over: false };
    const leaders = await reader.leaders(this.#topic, [...this.#positions.keys()]);
    const brokers = leaders.map(([nodeId]) => nodeId);
    const followed = leaders.map(async ([nodeId, partitions]) => {
      try {
        while (!this.#stopped && !round.over) {
          this.#fetches.asks(nodeId, brokers);
          await this.#next(reader, nodeId, partitions);
        }
      } finally {
        round.over = true;
      }
    });
    const ended = await Promise.allSettled(followed);
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }

  async #next(reader: ClusterReader, nodeId: string, partitions: readonly number[]): Promise<void> {
    const from = new Map(partitions.map((partition) => [partition, this.#positions.get(partition)!]));
    const { fetchWaitMs, batchRecords } = this.#context.limits;
    const { partitions: answered } = await reader.fetch(nodeId, this.#topic, from, fetchWaitMs);
    for (const fetched of answered) {
      const position = this.#positions.get(fetched.partition)!;
      if (this.#isForEver)
        assertWhole(fetched.messages, {
          topic: this.#topic,
          partition: fetched.partition,
          reader: 'a tail',
          from: position,
        });
      const { records, next } = take(fetched, position, Infinity);
      this.#positions.set(fetched.partition, next);
      for (const batch of chunks(this.#topic, fetched.partition, records, batchRecords)) this.#deliver(batch);
    }
    this.#fetches.answers(
      nodeId,
      answered.map(({ partition, highWatermark, messages }) => ({
        name: partitionName(this.#topic, partition),
        records: messages.length,
        isAtEnd: highWatermark <= from.get(partition)!,
      })),
    );
  }

  #deliver(batch: RecordBatch): void {
    if (this.#stopped) return;
    try {
      this.#onBatch(batch);
    } catch (cause) {
      throw new HandlerError('onBatch threw', { cause });
    }
  }

  /**
   * Moves positions whose records are gone to the first kept record, and so positions beyond the end: which records
   * came after the loss is not known, so that all are told again.
   * @throws the error when it says something else; LogStartLostError when a topic that is kept for ever lost records
   */
  async #skipLost(reader: ClusterReader, error: unknown): Promise<void> {
    if (errorType(error) !== 'OFFSET_OUT_OF_RANGE') throw error;
    for (const [partition, position] of this.#positions) {
      const start = await reader.boundOffset(this.#topic, partition, 'start');
      const end = await reader.boundOffset(this.#topic, partition, 'end');
      if (position < start && this.#isForEver)
        throw LogStartLostError.before({ topic: this.#topic, partition, start }, 'a tail', position);
      this.#positions.set(partition, position < start || position > end ? start : position);
    }
  }
}

class HandlerError extends Error {}
