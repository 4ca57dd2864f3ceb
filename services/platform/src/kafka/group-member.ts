import type { Consumer, EachBatchPayload } from 'kafkajs';
import { failure } from '../embedded/log/subscription.ts';
import type { Subscription } from '../ports/event-log.ts';
import { byPartitionNumber } from './assigner.ts';
import { createClient } from './client.ts';
import type { ClientContext } from './client.ts';
import { causeMessage } from './errors.ts';
import { FetchedBatch, HandlerFailure } from './fetched-batch.ts';
import type { Handling } from './fetched-batch.ts';
import { pause, within } from './retry.ts';

export interface MemberOptions extends Handling {
  readonly topics: readonly string[];
  readonly group: string;
  /** The group shares its partitions anew. */
  readonly onAssigned: () => void;
}

/**
 * One member of a consumer group. A fetch is handled to its end before the next one: that is the back-pressure. What
 * is finished is committed with the generation it was fetched in, so that a member that was replaced meanwhile is
 * refused; nothing depends on being told about a rebalance. kafkajs's own restart is off: it goes on with connections
 * that hang, and may start again after `stop`.
 */
export class GroupMember implements Subscription {
  readonly failed: Promise<never>;
  readonly #fail: (error: unknown) => void;
  readonly #context: ClientContext;
  readonly #options: MemberOptions;
  readonly #batches = new Set<FetchedBatch>();
  #wakeUp: () => void = () => undefined;
  #stopping = false;
  #running: Promise<void> = Promise.resolve();

  constructor(context: ClientContext, options: MemberOptions) {
    ({ failed: this.failed, fail: this.#fail } = failure());
    this.#context = context;
    this.#options = options;
  }

  /** Resolves when the member has its place, or after `joinWaitMs` when the others keep the group waiting. */
  async start(): Promise<void> {
    const joined = new Promise<void>((resolve) => (this.#running = this.#run(resolve)));
    await within(this.#context.limits.joinWaitMs, 'join', joined).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#running;
  }

  /** Like `stop`, without waiting for handlers: what they still do is not committed. */
  async abandon(): Promise<void> {
    this.#stop();
    for (const batch of this.#batches) batch.abandon();
    await within(this.#context.limits.closeTimeoutMs, 'leave', this.#running).catch(() => undefined);
  }

  #stop(): void {
    this.#stopping = true;
    for (const batch of this.#batches) batch.stop();
    this.#wakeUp();
  }

  async #run(joined: () => void): Promise<void> {
    while (!this.#stopping) {
      const consumer = this.#create();
      consumer.on('consumer.group_join', () => {
        this.#options.onAssigned();
        joined();
      });
      const over = new Promise<void>((resolve) => {
        this.#wakeUp = resolve;
        consumer.on('consumer.crash', ({ payload }) => {
          this.#tell(payload.error);
          resolve();
        });
      });
      try {
        await this.#consume(consumer);
        if (!this.#stopping) await over;
      } catch (error) {
        this.#tell(error);
      }
      await consumer.disconnect().catch(() => undefined);
      if (!this.#stopping) await pause(this.#context.limits.retryDelayMs);
    }
  }

  #create(): Consumer {
    const { limits } = this.#context;
    return createClient(this.#context).consumer({
      groupId: this.#options.group,
      partitionAssigners: [byPartitionNumber],
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
  }

  async #consume(consumer: Consumer): Promise<void> {
    await consumer.connect();
    await consumer.subscribe({ topics: [...this.#options.topics], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: this.#context.limits.concurrentPartitions,
      eachBatch: (payload) => this.#handle(payload),
    });
  }

  async #handle(payload: EachBatchPayload): Promise<void> {
    if (this.#stopping) return;
    const batch = new FetchedBatch(payload, this.#options, this.#context.limits);
    this.#batches.add(batch);
    try {
      await batch.handle();
    } catch (error) {
      if (!(error instanceof HandlerFailure)) throw error;
      this.#fail(error.cause);
      // Not awaited: the consumer ends only after this call.
      this.#stop();
    } finally {
      this.#batches.delete(batch);
    }
  }

  #tell(error: unknown): void {
    const { group } = this.#options;
    if (!this.#stopping)
      this.#context.log.warn({ group, cause: causeMessage(error) }, 'consumer begins anew');
  }
}
