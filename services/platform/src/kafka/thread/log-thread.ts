import type { MessagePort } from 'node:worker_threads';
import type { RecordBatch, Subscription, TailSubscription } from '../../ports/event-log.ts';
import type { KafkaEventLog } from '../kafka-event-log.ts';
import { serializeError } from './carried-error.ts';
import { buffersOf, packBatch, packPositions, unpack } from './packed-records.ts';
import type { Answer, Ask, FromThread, Operation, ThreadState, ToThread } from './protocol.ts';

/**
 * Time between two checks of the state, in milliseconds. An unchanged state is also sent each second, as a sign of
 * life.
 */
const LOOK_MS = 100;
const LOOKS_UNTIL_TOLD = 10;

/** The handler on the other side threw; the thrown value stays there. */
class HandlerThrewError extends Error {}

interface Delivery {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * The thread's side of a log: answers calls, sends batches and waits until they are handled.
 * @boundedBy the consumers of the process, and their batches under way
 */
export class LogThread {
  readonly #port: MessagePort;
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #tails = new Map<number, TailSubscription>();
  readonly #deliveries = new Map<number, Delivery>();
  readonly #operations: { readonly [Op in Operation]: (ask: Ask<Op>) => Promise<Answer<Op>> };
  #delivered = 0;

  /** @param epochOf any topic, because all topics have the epoch of the cluster */
  constructor(port: MessagePort, eventLog: Promise<KafkaEventLog>, epochOf: string) {
    this.#port = port;
    this.#operations = {
      open: async () => ({ epoch: this.#watch(await eventLog).epoch(epochOf) }),
      append: async ({ records, topic }) =>
        packPositions(await (await eventLog).append(topic, unpack(records))),
      consume: async ({ group, options, subscription, topics }) => {
        const handler = (batch: RecordBatch) => this.#deliver(subscription, batch);
        this.#follow(subscription, await (await eventLog).consume(topics, group, handler, options));
      },
      tail: async ({ from, subscription, topic }) => {
        const onBatch = (batch: RecordBatch) => this.#hand(subscription, undefined, batch);
        const tail = await (await eventLog).tail(topic, from, onBatch);
        this.#tails.set(subscription, tail);
        this.#follow(subscription, tail);
      },
      stop: async ({ subscription }) => {
        await this.#subscriptions.get(subscription)?.stop();
        this.#subscriptions.delete(subscription);
        this.#tails.delete(subscription);
      },
      read: async ({ from, partition, to, topic }) => {
        const records = (await eventLog).read(topic, partition, from, to)[Symbol.asyncIterator]();
        const first = await records.next();
        await records.return?.();
        return first.done === true ? undefined : packBatch(first.value);
      },
      bounds: async ({ topic }) => (await eventLog).bounds(topic),
      committed: async ({ group, topic }) => (await eventLog).committed(topic, group),
      close: async () => (await eventLog).close(),
    };
    port.on('message', (message: ToThread) => {
      if (message.kind === 'call') void this.#answer(message.call, message.op, message.ask);
      else this.#handled(message.delivery, message.succeeded);
    });
  }

  async #answer<Op extends Operation>(call: number, op: Op, ask: Ask<Op>): Promise<void> {
    try {
      const answer = await this.#operations[op](ask);
      this.#tell({ kind: 'answer', call, answer }, answer ?? undefined);
    } catch (error) {
      this.#tell({ kind: 'refusal', call, error: serializeError(error) });
    }
  }

  #deliver(subscription: number, batch: RecordBatch): Promise<void> {
    return new Promise((resolve, reject) => {
      const delivery = this.#delivered++;
      this.#deliveries.set(delivery, { resolve, reject });
      this.#hand(subscription, delivery, batch);
    });
  }

  #handled(delivery: number, succeeded: boolean): void {
    const waiting = this.#deliveries.get(delivery);
    this.#deliveries.delete(delivery);
    if (succeeded) waiting?.resolve();
    else waiting?.reject(new HandlerThrewError());
  }

  #hand(subscription: number, delivery: number | undefined, given: RecordBatch): void {
    const batch = packBatch(given);
    this.#tell({ kind: 'batch', subscription, delivery, batch }, batch);
  }

  #follow(number: number, subscription: Subscription): void {
    this.#subscriptions.set(number, subscription);
    subscription.failed.catch((error: unknown) =>
      this.#tell({ kind: 'failed', subscription: number, error: serializeError(error) }),
    );
  }

  #watch(eventLog: KafkaEventLog): KafkaEventLog {
    let told = '';
    let looks = 0;
    setInterval(() => {
      const state: ThreadState = {
        reachable: eventLog.reachable(),
        unflushedBytes: eventLog.unflushedBytes(),
        absentGroups: eventLog.absentGroups(),
        unfetchedSeconds: eventLog.unfetchedSeconds(),
        unfetchedGroups: eventLog.unfetchedGroups(),
        unsafeTopics: eventLog.unsafeTopics(),
        shortenedTopics: eventLog.shortenedTopics(),
        silentTails: [...this.#tails].filter(([, tail]) => !tail.isFollowing()).map(([number]) => number),
      };
      const now = JSON.stringify(state);
      looks += 1;
      if (now === told && looks < LOOKS_UNTIL_TOLD) return;
      this.#tell({ kind: 'state', state });
      told = now;
      looks = 0;
    }, LOOK_MS).unref();
    return eventLog;
  }

  #tell(message: FromThread, packed: object = {}): void {
    this.#port.postMessage(message, buffersOf(packed));
  }
}
