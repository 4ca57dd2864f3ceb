import { createRequire } from 'node:module';
import kafkajs from 'kafkajs';
import { clientConfig } from './client.ts';
import type { ClientContext } from './client.ts';
import type { FetchedMessage } from './fetched-messages.ts';
import { isPermanent } from './retry.ts';

/**
 * kafkajs's own cluster and broker, whose types kafkajs does not publish: its consumer reads only as a member of a
 * group (docs/decisions/013-kafka-by-kafkajs.md). Only the parts in use are declared here.
 */
interface InnerBroker {
  fetch(request: {
    readonly isolationLevel: number;
    readonly maxWaitTime: number;
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly fetchOffset: string;
        readonly maxBytes: number;
      }[];
    }[];
  }): Promise<{
    /** Milliseconds for which a client over its quota must send no request; such an answer may have no partitions. */
    readonly clientSideThrottleTime?: number;
    readonly responses: readonly {
      readonly partitions: readonly {
        readonly partition: number;
        readonly highWatermark: string;
        readonly messages: readonly FetchedMessage[];
      }[];
    }[];
  }>;
  findGroupCoordinator(of: { readonly groupId: string; readonly coordinatorType: number }): Promise<unknown>;
}

interface InnerCluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addTargetTopic(topic: string): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Readonly<Record<string, number[]>>;
  findBroker(at: { readonly nodeId: string }): Promise<InnerBroker>;
  fetchTopicsOffset(
    topics: readonly {
      readonly topic: string;
      readonly partitions: readonly { readonly partition: number }[];
      readonly fromBeginning: boolean;
    }[],
  ): Promise<readonly { readonly partitions: readonly { partition: number; offset: string }[] }[]>;
}

const requireInner = createRequire(import.meta.url);
const Cluster = requireInner('kafkajs/src/cluster') as new (options: object) => InnerCluster;
const { createLogger } = requireInner('kafkajs/src/loggers') as {
  createLogger: (options: object) => unknown;
};

const METADATA_MAX_AGE_MS = 60_000;
/** Isolation level. This system writes no record in a transaction. */
const READ_UNCOMMITTED = 0;
const OF_A_GROUP = 0;

export interface FetchedPartition {
  readonly partition: number;
  readonly highWatermark: number;
  /** Empty when the broker gave no records this time, even if some exist. */
  readonly messages: readonly FetchedMessage[];
}

export interface Fetched {
  /** The partitions of the request, or fewer. */
  readonly partitions: readonly FetchedPartition[];
  /** Milliseconds for which the broker throttles this client. */
  readonly throttledMs: number;
}

/**
 * Finds out why a group has no coordinator, because kafkajs only reports that it found none.
 * @returns the error of another request to the broker, or `error`
 */
export async function coordinatorRefusal(
  context: ClientContext,
  topic: string,
  group: string,
  error: unknown,
): Promise<unknown> {
  if (!isCoordinatorNotFound(error)) return error;
  const reader = new ClusterReader(context);
  try {
    await reader.findCoordinator(topic, group);
    return error;
  } catch (refusal) {
    return isPermanent(refusal) ? refusal : error;
  } finally {
    await reader.close();
  }
}

function isCoordinatorNotFound(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at.name === 'KafkaJSGroupCoordinatorNotFound') return true;
  return false;
}

/** Fetches by position, without a group, over its own connections. Not used again after a failure. */
export class ClusterReader {
  readonly #context: ClientContext;
  readonly #cluster: InnerCluster;
  #connected: Promise<void> | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
    const { logCreator, logLevel = kafkajs.logLevel.ERROR, ...config } = clientConfig(context);
    this.#cluster = new Cluster({
      ...config,
      logger: createLogger({ level: logLevel, logCreator }),
      metadataMaxAge: METADATA_MAX_AGE_MS,
      allowAutoTopicCreation: false,
      enforceRequestTimeout: true,
      isolationLevel: READ_UNCOMMITTED,
    });
  }

  /** Connects and loads the leaders of the partitions of `topic`. */
  async prepare(topic: string): Promise<void> {
    this.#connected ??= this.#cluster.connect();
    await this.#connected;
    await this.#cluster.addTargetTopic(topic);
    await this.#cluster.refreshMetadataIfNecessary();
  }

  /** Returns the partitions by the broker that leads them. */
  async leaders(topic: string, partitions: readonly number[]): Promise<readonly [string, number[]][]> {
    await this.prepare(topic);
    return Object.entries(this.#cluster.findLeaderForPartitions(topic, partitions));
  }

  /** Fetches from partitions with the same leader; waits up to `waitMs` for records. */
  async fetch(
    nodeId: string,
    topic: string,
    from: ReadonlyMap<number, number>,
    waitMs: number,
  ): Promise<Fetched> {
    const { fetchBytes, readPartitionBytes } = this.#context.limits;
    await this.#cluster.refreshMetadataIfNecessary();
    const broker = await this.#cluster.findBroker({ nodeId });
    const partitions = [...from].map(([partition, offset]) => ({
      partition,
      fetchOffset: String(offset),
      maxBytes: readPartitionBytes,
    }));
    const { clientSideThrottleTime = 0, responses } = await broker.fetch({
      isolationLevel: READ_UNCOMMITTED,
      maxWaitTime: waitMs,
      minBytes: 1,
      maxBytes: fetchBytes,
      topics: [{ topic, partitions }],
    });
    const fetched = responses
      .flatMap((response) => response.partitions)
      .map(({ partition, highWatermark, messages }) => ({
        partition,
        highWatermark: Number(highWatermark),
        messages,
      }));
    return { partitions: fetched, throttledMs: clientSideThrottleTime };
  }

  /** Returns the first kept offset of a partition, or the offset after its last record. */
  async boundOffset(topic: string, partition: number, which: 'start' | 'end'): Promise<number> {
    await this.prepare(topic);
    const [answer] = await this.#cluster.fetchTopicsOffset([
      { topic, partitions: [{ partition }], fromBeginning: which === 'start' },
    ]);
    return Number(answer?.partitions[0]?.offset);
  }

  /** @throws kafkajs's error of the protocol, which its own search for a coordinator leaves out */
  async findCoordinator(topic: string, group: string): Promise<void> {
    const [leader] = await this.leaders(topic, [0]);
    if (leader === undefined) return;
    const broker = await this.#cluster.findBroker({ nodeId: leader[0] });
    await broker.findGroupCoordinator({ groupId: group, coordinatorType: OF_A_GROUP });
  }

  /** Closes the connections; a running request ends with an error or is ignored. */
  async close(): Promise<void> {
    await this.#connected?.catch(() => undefined);
    await this.#cluster.disconnect().catch(() => undefined);
  }
}
