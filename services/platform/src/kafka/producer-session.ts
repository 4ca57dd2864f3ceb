import type { Message, Producer, RecordMetadata } from 'kafkajs';
import { createClient } from './client.ts';
import type { ClientContext } from './client.ts';

export type PartitionedMessage = Message & { readonly partition: number };

/** An answer that cannot be true: the broker may have taken this batch for another one. */
class UntrustworthyAnswerError extends Error {}

/** kafkajs asks for the partition of every message each time it sends: here a given-up call is kept from trying again. */
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
 * One idempotent producer with one `sendBatch` at a time. After any failure it is given up: kafkajs takes back its
 * sequence numbers although the broker may have used them, and goes on with connections that hang.
 * @boundedBy the partitions of a topic
 */
export class ProducerSession {
  readonly #topic: string;
  readonly #producer: Producer;
  readonly #gate: Gate;
  /** Last offset of each partition that this producer was told. */
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
      // The least that kafkajs allows an idempotent producer.
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

  /** Offset of the first message of each partition. @throws when not every message is known to be kept */
  async send(messages: readonly PartitionedMessage[]): Promise<ReadonlyMap<number, number>> {
    const sending = this.#producer.sendBatch({
      acks: -1,
      topicMessages: [{ topic: this.#topic, messages: messages as PartitionedMessage[] }],
    });
    this.#sending = sending.catch(() => undefined);
    return this.#check(messages, await Promise.race([sending, this.#timedOut]));
  }

  /** What is on the way may still arrive. Does not wait. */
  end(): void {
    this.#gate.close();
    const disconnect = () => this.#producer.disconnect().catch(() => undefined);
    void disconnect();
    // A call that fails because of it connects anew before it ends.
    void this.#sending.then(disconnect);
  }

  async close(): Promise<void> {
    await this.#producer.disconnect();
  }

  /**
   * Every partition answered, with an offset after all earlier ones. A batch whose sequence numbers the broker has
   * seen before is answered with the offset of the other batch and dropped (kafkajs #1005); after a change of leaders
   * within a call kafkajs leaves out partitions.
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
