import type { Log } from '../logging/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { TopicSpec } from '../ports/event-log.ts';

const MIB = 1_048_576;

/** Defaults of `openKafkaEventLog`; bytes, records, milliseconds. */
export const KAFKA_LIMITS = {
  /** Appended and not yet acknowledged, over all topics; beyond: OverloadedError. */
  unflushedBytes: 64 * MIB,
  /** One `sendBatch`. */
  flushBytes: 8 * MIB,
  /** One partition's share of a `sendBatch`; a single bigger record goes alone. */
  flushPartitionBytes: MIB,
  /** kafkajs groups messages in a time that grows with the square of this. */
  flushPartitionRecords: 1_000,
  /** What the broker takes as one batch: the largest record and its envelope. */
  maxMessageBytes: 5 * MIB,
  /** From the first try to send until NotDurableError. */
  appendTimeoutMs: 20_000,
  /** For one answer of a broker; then its connection counts as dead. */
  requestTimeoutMs: 8_000,
  connectionTimeoutMs: 5_000,
  /** From the first try to read, or to ask for offsets, until LogUnavailableError. */
  readTimeoutMs: 20_000,
  /** How long a broker may hold a read back for a quota without giving a record; its window is ten seconds by default. */
  throttledTimeoutMs: 120_000,
  /** Between two tries of anything; doubled up to the second for what is tried without end. */
  retryDelayMs: 200,
  retryDelayMaxMs: 5_000,
  /** A member that the group has not heard for so long is replaced. */
  sessionTimeoutMs: 15_000,
  heartbeatIntervalMs: 1_000,
  /** A member that is still at work on a batch after so long is replaced. */
  rebalanceTimeoutMs: 60_000,
  /** How long `consume` waits for its place in the group; the others may be at work. */
  joinWaitMs: 5_000,
  /** How long a broker holds back an empty answer. */
  fetchWaitMs: 250,
  fetchBytes: 10 * MIB,
  /** What a partition gives at once is judged at once, and the head of each of its files written once for it. */
  fetchPartitionBytes: 4 * MIB,
  /** The same for reads and tails, which often want a few records. */
  readPartitionBytes: MIB,
  /** Records of a batch when they are no longer compressed, and of a partition's share of one answer before its last batch. */
  decodedBatchBytes: 16 * MIB,
  batchRecords: 1_000,
  /** Partitions of one member that are handled at the same time. */
  concurrentPartitions: 8,
  /** Finished batches are committed together when they take less than this. */
  commitIntervalMs: 50,
  /** Between two looks at whether the brokers answer, and for the answer. */
  probeIntervalMs: 2_000,
  probeTimeoutMs: 3_000,
  /** A thread of its own that has told nothing for so long does not work any more; it tells each second that it does. */
  threadSilenceMs: 10_000,
  /** How long `close` waits for a group to be left. */
  closeTimeoutMs: 5_000,
} as const;

export type KafkaLimits = Record<keyof typeof KAFKA_LIMITS, number>;

export interface KafkaPassword {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

/** Tokens for the client `username` with the secret `password`. */
export interface KafkaOauth {
  readonly mechanism: 'oauthbearer';
  readonly username: string;
  readonly password: string;
  readonly tokenUrl: string;
  readonly scope?: string;
}

export type KafkaSasl = KafkaPassword | KafkaOauth;

/** Paths of PEM files. */
export interface KafkaTls {
  /** In the place of the system's authorities. */
  readonly caFile?: string;
  /** The client's own, with its key. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** How the brokers are reached. */
export interface KafkaConnection {
  /** `host:port` each; one that answers is enough. */
  readonly brokers: readonly string[];
  /** Shown by the brokers' own tools. */
  readonly clientId?: string;
  /** `true`: TLS with the system's authorities. */
  readonly tls?: boolean | KafkaTls;
  readonly sasl?: KafkaSasl;
}

export interface KafkaEventLogOptions extends KafkaConnection {
  /** They exist already (`createTopics`). */
  readonly topics: readonly TopicSpec[];
  readonly log?: Log;
  readonly metrics?: Metrics;
  readonly limits?: Partial<KafkaLimits>;
  /** What speaks to Kafka runs on a thread of its own, so that a caller who computes much and it do not wait for each other. */
  readonly ownThread?: boolean;
}
