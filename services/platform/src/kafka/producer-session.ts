import type { Message, Producer, RecordMetadata } from 'kafkajs';
import { createClient } from './client.ts';
import type { ClientContext } from './client.ts';

export type PartitionedMessage = Message & { readonly partition: number };

/** An offset that is not after all earlier ones: the broker may have taken this batch for another. */
class UntrustworthyAnswerError extends Error {}

/** Stops the retries of an abandoned call: kafkajs asks for the partition of every message before each send. */
class Gate {
  #open = true;

  pass(partition: number): number {
    if (!this.#open) throw new TypeError('the producer is given up');
    return partition;
  }

  close(): void {
    this.#open = false;
  }
}

/**
 * One idempotent producer with one `sendBatch` at a time. After any failure the producer is abandoned: kafkajs reuses
 * its sequence numbers although the broker may have stored them, and keeps connections that hang.
 * @boundedBy the partitions of a topic
 */
export class ProducerSession {
  readonly #topic: string;
  readonly #producer: Producer;
  readonly #gate: Gate;
  /** Last acknowledged offset of each partition. */
  readonly #last = new Map<number, number>();
  readonly #timedOut: Promise<never>;
  #sending: Promise<unknown> = Promise.resolve();

  private constructor(topic: string, producer: Producer, gate: Gate) {
    this.#topic = topic;
    this.#producer = producer;
    this.#gate = gate;
    this.#timedOut = new Promise((_resolve, reject) => {
      producer.on('producer.network.request_timeout', () => reject(new Error('a request was not answered')));
    });
    this.#timedOut.catch(() => undefined);
  }

  static async open(context: ClientContext, topic: string): Promise<ProducerSession> {
    const gate = new Gate();
    const producer = createClient(context).producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: () => (args) => gate.pass(args.message.partition!),
      // The minimum that kafkajs allows for an idempotent producer.
      retry: { retries: 1, initialRetryTime: context.limits.retryDelayMs },
    });
    const session = new ProducerSession(topic, producer, gate);
    try {
      await producer.connect();
    } catch (error) {
      session.end();
      throw error;
    }
    return session;
  }

  /**
   * Returns the offset of the first message of each partition. @throws Error unless every message is known to be stored
   */
  async send(messages: readonly PartitionedMessage[]): Promise<ReadonlyMap<number, number>> {
    const sending = this.#producer.sendBatch({
      acks: -1,
      topicMessages: [{ topic: this.#topic, messages: messages as PartitionedMessage[] }],
    });
    this.#sending = sending.catch(() => undefined);
    return this.#check(messages, await Promise.race([sending, this.#timedOut]));
  }

  /** Ends the producer without waiting. Messages in flight may still arrive. */
  end(): void {
    this.#gate.close();
    const disconnect = () => this.#producer.disconnect().catch(() => undefined);
    void disconnect();
    // A call that fails because of the disconnect connects again before it ends.
    void this.#sending.then(disconnect);
  }

  async close(): Promise<void> {
    await this.#producer.disconnect();
  }

  /**
   * Checks that every partition answered, with an offset after all earlier ones. A broker drops a batch whose
   * sequence numbers it has seen before and answers with the offset of the earlier batch (kafkajs #1005); after a
   * change of leaders within a call kafkajs leaves out partitions.
   */
  #check(messages: readonly PartitionedMessage[], answers: RecordMetadata[]): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const { partition } of messages) counts.set(partition, (counts.get(partition) ?? 0) + 1);
    const bases = new Map<number, number>();
    for (const { partition, baseOffset, errorCode } of answers)
      if (errorCode === 0) bases.set(partition, Number(baseOffset));
    for (const [partition, count] of counts) {
      const base = bases.get(partition) ?? -1;
      if (!(base > (this.#last.get(partition) ?? -1)))
        throw new UntrustworthyAnswerError(`partition ${partition} answered offset ${base}`);
      this.#last.set(partition, base + count - 1);
    }
    return bases;
  }
}
