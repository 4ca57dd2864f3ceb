import type { EachBatchPayload } from 'kafkajs';
import { backoffMs } from '../ambient/retry.ts';
import { LogRecordsLostError } from '../ports/errors.ts';
import { failureSignal } from '../ports/failure.ts';
import type { Subscription } from '../ports/event-log.ts';
import { withMissingRight } from './access.ts';
import type { ClientContext } from './client.ts';
import { coordinatorRefusal } from './cluster.ts';
import { ConsumerRun } from './consumer-run.ts';
import { causeMessage, causeOfClass, LogEndLostError } from './errors.ts';
import { FetchWatch } from './fetch-watch.ts';
import { FetchedBatch, HandlerFailure } from './fetched-batch.ts';
import type { Handling } from './fetched-batch.ts';
import { refuseHole } from './lost-records.ts';
import { MemberLag } from './member-lag.ts';
import type { FetchListener } from './observe-fetches.ts';
import { isPermanent, pause, withTimeout } from './retry.ts';

export interface MemberOptions extends Handling {
  readonly topics: readonly string[];
  readonly group: string;
  readonly concurrentPartitions: number;
  /** Called with the names of this member's partitions when the group has reassigned them. */
  readonly onAssigned: (partitions: readonly string[]) => void;
}

/**
 * One member of a consumer group. The next fetch waits until the last one is handled, which is the back-pressure.
 * Finished records are committed with the generation of their fetch, so that the commit of a replaced member is
 * refused; correctness does not depend on notifications of a rebalance.
 * @boundedBy the partitions handled at once
 */
export class GroupMember implements Subscription {
  readonly failed: Promise<never>;
  readonly #fail: (error: unknown) => void;
  readonly #context: ClientContext;
  readonly #options: MemberOptions;
  readonly #batches = new Set<FetchedBatch>();
  #run: ConsumerRun | undefined;
  #stopping = false;
  #running: Promise<void> = Promise.resolve();
  /** When the group last confirmed this member, by `performance.now()`; at first when the member was made. */
  #memberAt = performance.now();
  readonly #fetches = new FetchWatch();
  readonly #lag: MemberLag;
  readonly #handling: Handling;

  constructor(context: ClientContext, options: MemberOptions) {
    ({ failed: this.failed, fail: this.#fail } = failureSignal());
    this.#context = context;
    this.#options = options;
    this.#lag = new MemberLag(options.onLag);
    this.#handling = { ...options, onLag: (...of) => this.#lag.set(...of) };
  }

  get group(): string {
    return this.#options.group;
  }

  /** Whether the group has not confirmed this member for `groupAbsenceMs`; the member goes on trying. */
  get isAbsent(): boolean {
    return performance.now() - this.#memberAt > this.#context.limits.groupAbsenceMs;
  }

  /** Milliseconds since every partition of this member had been fetched once more; 0 without partitions. */
  get silentMs(): number {
    return this.#fetches.silentMs;
  }

  /** Resolves when the member has joined, or after `joinWaitMs` when the other members delay the group. */
  async start(): Promise<void> {
    const joined = new Promise<void>((resolve) => void (this.#running = this.#consume(resolve)));
    await withTimeout(this.#context.limits.joinWaitMs, 'join', joined).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#running;
  }

  /** Stops without waiting for handlers; their results are not committed. */
  async abandon(): Promise<void> {
    this.#stop();
    for (const batch of this.#batches) batch.abandon();
    await withTimeout(this.#context.limits.closeTimeoutMs, 'leave', this.#running).catch(() => undefined);
  }

  #stop(): void {
    this.#stopping = true;
    for (const batch of this.#batches) batch.stop();
    this.#run?.end();
  }

  async #consume(joined: () => void): Promise<void> {
    const { topics, group, concurrentPartitions, onAssigned } = this.#options;
    const { retryDelayMs, retryDelayMaxMs } = this.#context.limits;
    let failures = 0;
    while (!this.#stopping) {
      const onJoin = (partitions: readonly string[]) => {
        this.#fetches.assign(partitions);
        failures = 0;
        onAssigned(partitions);
        joined();
      };
      const fetches: FetchListener = {
        asks: (...of) => this.#fetches.asks(...of),
        answers: (broker, partitions) => {
          this.#fetches.answers(broker, partitions);
          this.#lag.fetched(partitions);
        },
      };
      const onMember = () => void (this.#memberAt = performance.now());
      const onBatch = (payload: EachBatchPayload) => this.#handle(payload);
      this.#run = new ConsumerRun(this.#context, {
        topics,
        group,
        concurrentPartitions,
        fetches,
        onJoin,
        onMember,
        onBatch,
      });
      const ended = await this.#run.run();
      this.#fetches.ends();
      const reason = await coordinatorRefusal(this.#context, topics[0]!, group, ended);
      if (this.#stopping) return;
      if (isPermanent(reason)) {
        this.#stopping = true;
        const lost = causeOfClass(reason, LogEndLostError) ?? causeOfClass(reason, LogRecordsLostError);
        this.#fail(
          withMissingRight(lost ?? reason, this.#context.connection, [
            { operation: 'Read', on: 'topic', names: topics },
            { operation: 'Read', on: 'group', names: [group] },
          ]),
        );
        return;
      }
      this.#context.log.warn({ group, cause: causeMessage(reason) }, 'consumer begins anew');
      await pause(backoffMs(failures++, { firstMs: retryDelayMs, longestMs: retryDelayMaxMs }));
    }
  }

  async #handle(payload: EachBatchPayload): Promise<void> {
    if (this.#stopping) return;
    const batch = new FetchedBatch(payload, this.#handling, this.#context.limits);
    this.#batches.add(batch);
    try {
      refuseHole(payload.batch, this.group);
      await batch.handle();
    } catch (error) {
      if (error instanceof HandlerFailure) this.#fail(error.cause);
      else if (error instanceof LogRecordsLostError) this.#fail(error);
      else throw error;
      // Not awaited, because the consumer ends only after this call.
      this.#stop();
    } finally {
      this.#batches.delete(batch);
    }
  }
}
