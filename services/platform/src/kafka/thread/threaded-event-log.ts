import { pino } from 'pino';
import type {
  ConsumeOptions,
  EventLog,
  LogRecord,
  Position,
  RecordBatch,
  Subscription,
  TailSubscription,
  TopicSpec,
} from '../../ports/event-log.ts';
import { failureSignal } from '../../ports/failure.ts';
import type { ClientContext } from '../client.ts';
import type { KafkaEventLog } from '../kafka-event-log.ts';
import type { Lag } from '../lag-gauge.ts';
import type { UnsafeTopics } from '../topic-watch.ts';
import { deserializeError } from './carried-error.ts';
import { pack, unpackBatch, unpackPositions } from './packed-records.ts';
import type { PackedBatch } from './packed-records.ts';
import type { ThreadState } from './protocol.ts';
import { ThreadChannel } from './thread-channel.ts';
import type { ThreadNotice } from './thread-channel.ts';

/** Opens the log as `openBrokerEventLog` does, on its own thread. */
export async function openThreadedEventLog(
  context: ClientContext,
  topics: readonly TopicSpec[],
  lag: Lag,
): Promise<KafkaEventLog> {
  const log = new ThreadedEventLog(context, topics, lag);
  await log.open();
  return log;
}

interface Subscriber {
  readonly handle: (batch: RecordBatch) => Promise<void> | void;
  readonly fail: (error: unknown) => void;
  /** The error that the handler threw. */
  failure?: { readonly error: unknown };
  isStopped?: true;
}

/**
 * Calls the thread for every method; records cross threads packed, without a copy. The thread checks the arguments;
 * this side checks only what must be refused synchronously.
 * @boundedBy the topics and consumers of the process
 */
class ThreadedEventLog implements KafkaEventLog {
  readonly #context: ClientContext;
  readonly #topics: ReadonlyMap<string, TopicSpec>;
  readonly #lag: Lag;
  readonly #thread: ThreadChannel;
  readonly #subscribers = new Map<number, Subscriber>();
  #subscribed = 0;
  #epoch = '';
  #state: ThreadState = {
    reachable: true,
    unflushedBytes: 0,
    absentGroups: [],
    unfetchedSeconds: {},
    unfetchedGroups: [],
    unsafeTopics: {},
    shortenedTopics: [],
    silentTails: [],
  };
  #heardAt = performance.now();
  #closing: Promise<void> | undefined;

  constructor(context: ClientContext, topics: readonly TopicSpec[], lag: Lag) {
    const { connection, limits, log } = context;
    this.#context = context;
    this.#topics = new Map(topics.map((topic) => [topic.name, topic]));
    this.#lag = lag;
    const options = { connection, limits, topics, logLevel: log.level };
    this.#thread = new ThreadChannel(options, (notice) => this.#receive(notice));
  }

  async open(): Promise<void> {
    try {
      const { epoch } = await this.#thread.call('open', undefined);
      this.#epoch = epoch;
    } catch (error) {
      await this.#thread.end();
      throw error;
    }
  }

  async append(topic: string, records: readonly LogRecord[]): Promise<Position[]> {
    const packed = pack(records);
    return unpackPositions(await this.#thread.call('append', { topic, records: packed }, packed));
  }

  async consume(
    topics: readonly string[],
    group: string,
    handler: (batch: RecordBatch) => Promise<void>,
    options: ConsumeOptions = {},
  ): Promise<Subscription> {
    return this.#subscribe(handler, async (subscription) =>
      this.#thread.call('consume', { subscription, topics, group, options }),
    );
  }

  async tail(
    topic: string,
    from: ReadonlyMap<number, number> | 'end',
    onBatch: (batch: RecordBatch) => void,
  ): Promise<TailSubscription> {
    return this.#subscribe(onBatch, async (subscription) =>
      this.#thread.call('tail', { subscription, topic, from }),
    );
  }

  read(topic: string, partition: number, from: number, to?: number): AsyncIterable<RecordBatch> {
    if (!(partition < this.#spec(topic).partitions))
      throw new Error(`topic ${topic} has no partition ${partition}`);
    return this.#pages(topic, partition, from, to);
  }

  async *#pages(topic: string, partition: number, from: number, to?: number): AsyncIterable<RecordBatch> {
    const end = to ?? (await this.bounds(topic)).find((one) => one.partition === partition)!.end;
    for (let at = from; at < end;) {
      const packed = await this.#thread.call('read', { topic, partition, from: at, to: end });
      if (packed === undefined) return;
      const batch = unpackBatch(packed);
      at = batch.records.at(-1)!.offset + 1;
      yield batch;
    }
  }

  bounds(topic: string): ReturnType<EventLog['bounds']> {
    return this.#thread.call('bounds', { topic });
  }

  committed(topic: string, group: string): Promise<ReadonlyMap<number, number>> {
    return this.#thread.call('committed', { topic, group });
  }

  epoch(topic: string): string {
    this.#spec(topic);
    return this.#epoch;
  }

  unflushedBytes(): number {
    return this.#state.unflushedBytes;
  }

  reachable(): boolean {
    return this.#state.reachable && performance.now() - this.#heardAt < this.#context.limits.threadSilenceMs;
  }

  absentGroups(): readonly string[] {
    return this.#state.absentGroups;
  }

  unfetchedSeconds(): Readonly<Record<string, number>> {
    return this.#state.unfetchedSeconds;
  }

  unfetchedGroups(): readonly string[] {
    return this.#state.unfetchedGroups;
  }

  unsafeTopics(): UnsafeTopics {
    return this.#state.unsafeTopics;
  }

  shortenedTopics(): readonly string[] {
    return this.#state.shortenedTopics;
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    try {
      await this.#thread.call('close', undefined);
    } finally {
      await this.#thread.end();
    }
  }

  async #subscribe(
    handle: Subscriber['handle'],
    begin: (subscription: number) => Promise<void>,
  ): Promise<TailSubscription> {
    const subscription = this.#subscribed++;
    const { fail, failed } = failureSignal();
    const subscriber: Subscriber = { handle, fail };
    this.#subscribers.set(subscription, subscriber);
    try {
      await begin(subscription);
    } catch (error) {
      this.#subscribers.delete(subscription);
      throw error;
    }
    const stop = async (): Promise<void> => {
      subscriber.isStopped = true;
      if (this.#closing === undefined) await this.#thread.call('stop', { subscription });
      this.#subscribers.delete(subscription);
    };
    const isFollowing = () => !this.#state.silentTails.includes(subscription);
    return { failed, stop, isFollowing };
  }

  #receive(notice: ThreadNotice): void {
    switch (notice.kind) {
      case 'batch':
        return void this.#deliver(notice);
      case 'failed': {
        const subscriber = this.#subscribers.get(notice.subscription);
        return subscriber?.fail(subscriber.failure?.error ?? deserializeError(notice.error));
      }
      case 'assigned':
        return this.#lag.assign(notice.group, notice.topics, notice.partitions);
      case 'lag':
        return this.#lag.set(notice.group, notice.topic, notice.partition, notice.records);
      case 'state':
        this.#state = notice.state;
        this.#heardAt = performance.now();
        return;
      case 'log':
        return this.#say(notice.line);
    }
  }

  async #deliver({ batch, delivery, subscription }: Extract<ThreadNotice, { kind: 'batch' }>): Promise<void> {
    const subscriber = this.#subscribers.get(subscription);
    // Batches of a tail are dropped after its stop; a group's batch is still handled, because the thread waits for
    // it.
    if (delivery === undefined && subscriber?.isStopped === true) return;
    const succeeded = subscriber !== undefined && (await this.#handle(subscriber, batch));
    if (delivery !== undefined) return this.#thread.handled(delivery, succeeded);
    // The thread does not wait for a tail's batch, so its failure is reported here.
    if (subscriber === undefined || succeeded) return;
    subscriber.fail(subscriber.failure?.error);
    // A thread that has ended has nothing to stop.
    await this.#thread.call('stop', { subscription }).catch(() => undefined);
  }

  /** Handles a batch; returns false when the handler threw, now or earlier. */
  async #handle(subscriber: Subscriber, batch: PackedBatch): Promise<boolean> {
    if (subscriber.failure !== undefined) return false;
    try {
      await subscriber.handle(unpackBatch(batch));
      return true;
    } catch (error) {
      subscriber.failure = { error };
      return false;
    }
  }

  #say(line: string): void {
    const {
      level,
      time: _time,
      msg,
      ...fields
    } = JSON.parse(line) as {
      level: number;
      time: number;
      msg: string;
    };
    const name = pino.levels.labels[level] as 'debug' | 'info' | 'warn' | 'error';
    this.#context.log[name](fields, msg);
  }

  #spec(topic: string): TopicSpec {
    const spec = this.#topics.get(topic);
    if (spec === undefined) throw new Error(`unknown topic ${topic}`);
    return spec;
  }
}
