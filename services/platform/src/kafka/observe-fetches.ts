import { createRequire } from 'node:module';
import type { FetchedFrom } from './fetch-watch.ts';
import { partitionName } from './partition-name.ts';

/**
 * Tells of each fetch of kafkajs's consumers, which kafkajs itself does not: its event `consumer.fetch` also follows a fetch
 * that failed, and names no partition. kafkajs is pinned to 2.2.4; `kafka-unfetched.test` fails when another version
 * fetches differently.
 */
const requireInner = createRequire(import.meta.url);

interface InnerBatch {
  readonly topic: string;
  readonly partition: number;
  readonly fetchedOffset: string;
  readonly highWatermark: string;
  readonly rawMessages: readonly unknown[];
}
interface InnerGroup {
  readonly cluster: object;
  getNodeIds(): readonly string[];
  fetch(broker: string): Promise<readonly InnerBatch[]>;
}
const { prototype: group } = requireInner('kafkajs/src/consumer/consumerGroup') as {
  readonly prototype: InnerGroup;
};

export interface FetchListener {
  asks(broker: string, brokers: readonly string[]): void;
  answers(broker: string, partitions: readonly FetchedFrom[]): void;
}

/** By the consumer's cluster, which kafkajs gives to its assigners. */
const listeners = new WeakMap<object, FetchListener>();
let isReplaced = false;

/** Replaces the function for every consumer of this thread. */
export function observeFetches(): void {
  if (isReplaced) return;
  isReplaced = true;
  const { fetch } = group;
  group.fetch = async function observed(broker) {
    const listener = listeners.get(this.cluster);
    listener?.asks(broker, this.getNodeIds());
    const batches = await fetch.call(this, broker);
    listener?.answers(broker, batches.map(fetchedFrom));
    return batches;
  };
}

/** Tells `listener` of the fetches of the consumer whose cluster this is. */
export function listenToFetches(cluster: object, listener: FetchListener): void {
  listeners.set(cluster, listener);
}

function fetchedFrom({
  topic,
  partition,
  fetchedOffset,
  highWatermark,
  rawMessages,
}: InnerBatch): FetchedFrom {
  return {
    name: partitionName(topic, partition),
    records: rawMessages.length,
    isAtEnd: Number(highWatermark) <= Number(fetchedOffset),
  };
}
