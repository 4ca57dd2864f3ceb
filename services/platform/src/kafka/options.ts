import type { Log } from '../logging/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { TopicSpec } from '../ports/event-log.ts';

const MIB = 1_048_576;

/** Defaults of `openKafkaEventLog`; bytes, records, milliseconds. */
export const KAFKA_LIMITS = {
  /** Limit for bytes that are appended but not yet acknowledged, over all topics; beyond it: OverloadedError. */
  unflushedBytes: 64 * MIB,
  /** Bytes of one `sendBatch`. */
  flushBytes: 8 * MIB,
  /** Bytes of one partition's share of a `sendBatch`; a single larger record is sent alone. */
  flushPartitionBytes: MIB,
  /** Records of one partition's share: kafkajs groups messages in time quadratic in this number. */
  flushPartitionRecords: 1_000,
  /** Bytes that the broker accepts as one batch: the largest record and its envelope. */
  maxMessageBytes: 5 * MIB,
  /** Limit from the first attempt to send until NotDurableError. */
  appendTimeoutMs: 20_000,
  /** Wait for one answer of a broker; afterwards the connection counts as dead. */
  requestTimeoutMs: 8_000,
  connectionTimeoutMs: 5_000,
  /** Limit from the first attempt to read, or to request offsets, until LogUnavailableError. */
  readTimeoutMs: 20_000,
  /**
   * How long a broker may throttle a read by a quota without returning a record; its window is ten seconds by
   * default.
   */
  throttledTimeoutMs: 120_000,
  /** Wait between two attempts; for work that is retried without end the wait doubles up to the second value. */
  retryDelayMs: 200,
  retryDelayMaxMs: 5_000,
  /** A member that the group has not heard from for this long is replaced. */
  sessionTimeoutMs: 15_000,
  heartbeatIntervalMs: 1_000,
  /** A member that still handles a batch after this long is replaced. */
  rebalanceTimeoutMs: 60_000,
  /** How long `consume` waits to join the group while the other members may be busy. */
  joinWaitMs: 5_000,
  /** A consumer that was in no group for this long makes the process not ready: other members must have had the time to hand over. */
  groupAbsenceMs: 90_000,
  /** A consumer or a tail of which some partition was not fetched for this long stands still: a new leader must have had the time to be found. */
  fetchSilenceMs: 90_000,
  /** How long a broker waits for records before it sends an empty answer. */
  fetchWaitMs: 250,
  fetchBytes: 10 * MIB,
  /**
   * Bytes of one partition in an answer of a group's fetch. The records are judged together, and the head of each of
   * their files is written once for all of them.
   */
  fetchPartitionBytes: 4 * MIB,
  /** The same limit for reads and tails, which often need few records. */
  readPartitionBytes: MIB,
  /** Limit for the decompressed records of a batch, and for a partition's share of an answer before its last batch. */
  decodedBatchBytes: 16 * MIB,
  batchRecords: 1_000,
  /** Partitions that one member handles at the same time. */
  concurrentPartitions: 8,
  /** Batches that finish within this time are committed together. */
  commitIntervalMs: 50,
  /** Time between two probes of the brokers, and limit for the answer. */
  probeIntervalMs: 2_000,
  probeTimeoutMs: 3_000,
  /** Time between two comparisons of the topics with what is wanted. */
  topicsIntervalMs: 60_000,
  /** A separate thread that has not reported for this long counts as failed; a working thread reports each second. */
  threadSilenceMs: 10_000,
  /** How long `close` waits to leave the group. */
  closeTimeoutMs: 5_000,
} as const;

export type KafkaLimits = Record<keyof typeof KAFKA_LIMITS, number>;

export interface KafkaPassword {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

/** Settings to get tokens for the client `username` with the secret `password`. */
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
  /** Certificate authorities that replace those of the system. */
  readonly caFile?: string;
  /** The client's own certificate, with its key. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** Settings to reach the brokers. */
export interface KafkaConnection {
  /** `host:port` each; one reachable broker is enough. */
  readonly brokers: readonly string[];
  /** Name that the brokers' own tools show. */
  readonly clientId?: string;
  /** `true` means TLS with the system's authorities. */
  readonly tls?: boolean | KafkaTls;
  readonly sasl?: KafkaSasl;
}

export interface KafkaEventLogOptions extends KafkaConnection {
  /** Existing topics (`createTopics`). */
  readonly topics: readonly TopicSpec[];
  readonly log?: Log;
  readonly metrics?: Metrics;
  readonly limits?: Partial<KafkaLimits>;
  /** Runs the Kafka client on its own thread, so that the client and a busy caller do not delay each other. */
  readonly ownThread?: boolean;
}
