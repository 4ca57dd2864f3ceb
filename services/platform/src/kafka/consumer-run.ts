import type { Consumer, EachBatchPayload } from 'kafkajs';
import { byPartitionNumber } from './assigner.ts';
import { createClient } from './client.ts';
import type { ClientContext } from './client.ts';
import { listenToFetches } from './observe-fetches.ts';
import type { FetchListener } from './observe-fetches.ts';
import { partitionName } from './partition-name.ts';
import { withTimeout } from './retry.ts';

export interface RunOptions {
  readonly topics: readonly string[];
  readonly group: string;
  readonly concurrentPartitions: number;
  /** Called with the partitions of this consumer when it has joined. */
  readonly onJoin: (partitions: readonly string[]) => void;
  readonly fetches: FetchListener;
  /** Called whenever the group has confirmed that this consumer is a member. */
  readonly onMember: () => void;
  readonly onBatch: (payload: EachBatchPayload) => Promise<void>;
}

/**
 * One kafkajs consumer from its start to its end. It is never restarted: kafkajs's own restart keeps connections that
 * hang, and may come after `stop`.
 */
export class ConsumerRun {
  readonly #context: ClientContext;
  readonly #options: RunOptions;
  readonly #consumer: Consumer;
  #end: (reason: unknown) => void = () => undefined;
  readonly #ended: Promise<unknown>;
  #isOver = false;
  #heardAt = Date.now();
  #inHand = 0;

  constructor(context: ClientContext, options: RunOptions) {
    const { limits } = context;
    this.#context = context;
    this.#options = options;
    this.#ended = new Promise((resolve) => (this.#end = resolve));
    this.#consumer = createClient(context).consumer({
      groupId: options.group,
      partitionAssigners: [
        (given) => {
          listenToFetches(given.cluster, options.fetches);
          return byPartitionNumber(given);
        },
      ],
      sessionTimeout: limits.sessionTimeoutMs,
      heartbeatInterval: limits.heartbeatIntervalMs,
      rebalanceTimeout: limits.rebalanceTimeoutMs,
      maxWaitTimeInMs: limits.fetchWaitMs,
      maxBytes: limits.fetchBytes,
      maxBytesPerPartition: limits.fetchPartitionBytes,
      allowAutoTopicCreation: false,
      readUncommitted: true,
      retry: { retries: 2, initialRetryTime: 100, restartOnFailure: () => Promise.resolve(false) },
    });
    this.#consumer.on('consumer.crash', ({ payload }) => this.#end(payload.error));
    this.#consumer.on('consumer.fetch', () => void (this.#heardAt = Date.now()));
    this.#consumer.on('consumer.heartbeat', () => options.onMember());
    this.#consumer.on('consumer.group_join', ({ payload }) => {
      this.#heardAt = Date.now();
      options.onMember();
      const assigned = Object.entries(payload.memberAssignment);
      options.onJoin(assigned.flatMap(([topic, numbers]) => numbers.map((n) => partitionName(topic, n))));
    });
  }

  /** Resolves with the reason when the consumer has ended; with undefined after `end`. */
  async run(): Promise<unknown> {
    const watch = setInterval(() => this.#look(), this.#context.limits.sessionTimeoutMs);
    try {
      await this.#start();
      return await this.#ended;
    } catch (error) {
      return error;
    } finally {
      clearInterval(watch);
      await this.#close();
    }
  }

  end(): void {
    this.#end(undefined);
  }

  async #start(): Promise<void> {
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [...this.#options.topics], fromBeginning: true });
    await this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: this.#options.concurrentPartitions,
      eachBatch: (payload) => this.#handle(payload),
    });
  }

  async #handle(payload: EachBatchPayload): Promise<void> {
    if (this.#isOver) throw new Error('the consumer is given up');
    this.#inHand++;
    try {
      await this.#options.onBatch(payload);
    } finally {
      this.#inHand--;
      this.#heardAt = Date.now();
    }
  }

  /** Ends a consumer that handles no batch and for long has neither fetched nor joined. */
  #look(): void {
    const { rebalanceTimeoutMs, sessionTimeoutMs } = this.#context.limits;
    const silent = Date.now() - this.#heardAt;
    if (this.#inHand === 0 && silent > rebalanceTimeoutMs + 2 * sessionTimeoutMs)
      this.#end(new Error(`nothing was fetched for ${silent} ms`));
  }

  /** Waits for handlers; without a running handler only as long as a broker may take to answer. */
  async #close(): Promise<void> {
    const { closeTimeoutMs, requestTimeoutMs } = this.#context.limits;
    const disconnected = this.#consumer.disconnect().catch(() => undefined);
    await this.#handlersEnded(disconnected);
    await withTimeout(closeTimeoutMs + requestTimeoutMs, 'disconnect', disconnected).catch(() => undefined);
    this.#isOver = true;
  }

  async #handlersEnded(disconnected: Promise<void>): Promise<void> {
    let settled = false;
    void disconnected.then(() => (settled = true));
    while (this.#inHand > 0 && !settled)
      await withTimeout(this.#context.limits.heartbeatIntervalMs, 'handlers', disconnected).catch(
        () => undefined,
      );
  }
}
