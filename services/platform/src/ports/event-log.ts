/**
 * The durable, partitioned log, which is the source of truth of the system. Adapters: embedded (SQLite, one process),
 * Kafka. Every adapter passes `eventLogContract` unchanged.
 *
 * The partition of a record is `partitionOf(key, partitions)` of contracts; an adapter never chooses it.
 */

/** A record from a producer. `id` names the cause; a second append with the same id is a second record. */
export interface LogRecord {
  readonly key: string;
  readonly id: string;
  /** At most `LIMITS.logRecordBytes` bytes; the adapter keeps the array, the caller must not change it. */
  readonly body: Uint8Array;
}

/**
 * Position of a record: offsets of a partition count up from 0 without a gap in the embedded log; in Kafka they rise.
 */
export interface Position {
  readonly partition: number;
  readonly offset: number;
}

export interface StoredRecord extends LogRecord, Position {}

/** Consecutive records of one partition, in order; never empty. */
export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly StoredRecord[];
}

export interface TopicSpec {
  readonly name: string;
  /** Fixed for the life of the topic; a start with another number is refused (`PartitionCountChangedError`). */
  readonly partitions: number;
  /**
   * `forever`: no record is ever dropped. `compacted`: the newest record of a key stays. `volatile`: a bounded window
   * of the newest records, which may be lost at a restart (then `epoch` differs).
   */
  readonly retention: 'forever' | 'compacted' | 'volatile';
}

export interface Subscription {
  /** Resolves when the running handler has ended and its finished records are committed. */
  stop(): Promise<void>;
  /** Rejects when the handler threw; the subscription has then stopped and committed nothing of the failed batch. */
  readonly failed: Promise<never>;
}

export interface TailSubscription extends Subscription {
  /**
   * Returns false while the log has not answered for some partition for long, so that `onBatch` may have missed records for
   * now; it gets them later.
   */
  isFollowing(): boolean;
}

export interface ConsumeOptions {
  /** The most records of a batch. Default: 1,000. */
  readonly maxRecords?: number;
  /** The most partitions that one member handles at the same time, where the adapter can choose. Default: the adapter's. */
  readonly concurrentPartitions?: number;
}

export interface EventLog {
  /**
   * Resolves, with one position for each record in the order given, only when all records are durable (fsynced, or
   * kept by all in-sync replicas). Records of one call that share a partition stay in order, but need not be
   * adjacent.
   * @throws OverloadedError when the adapter's byte limit of unflushed records is reached; nothing was written
   * @throws NotDurableError when the store refused (full disk, no quorum); the caller may append again
   */
  append(topic: string, records: readonly LogRecord[]): Promise<Position[]>;

  /**
   * Delivers every record of `topics` to `group` at least once, from the earliest, in order per partition, one batch
   * of a partition at a time (batches of different partitions may be handled concurrently). The batch is committed
   * after `handler` resolved. A handler that throws ends the subscription (`failed`); nothing is skipped: a group that needs
   * records which a topic lost that is kept for ever fails (LogRecordsLostError).
   */
  consume(
    topics: readonly string[],
    group: string,
    handler: (batch: RecordBatch) => Promise<void>,
    options?: ConsumeOptions,
  ): Promise<Subscription>;

  /**
   * Reads the records of [from, to) of one partition, in batches; without `to` up to the log's end at the call. The
   * read ends only at its end: an answer without records is not an end. Records that retention or compaction removed
   * are left out, but of a topic that is kept for ever.
   * @throws ShortReadError when the log holds no more records before `to`, LogRecordsLostError when a topic that is kept for
   * ever begins after `from`, or lacks records after it, LogUnavailableError
   */
  read(topic: string, partition: number, from: number, to?: number): AsyncIterable<RecordBatch>;

  /**
   * Follows a topic without a group. `from` is an offset for each partition; absent: from the end. `onBatch` is
   * called in order for each partition and must not block; a volatile window that was lost begins at its first kept
   * record. A tail of a topic that is kept for ever fails (LogRecordsLostError) where the topic lost records from its position on.
   */
  tail(
    topic: string,
    from: ReadonlyMap<number, number> | 'end',
    onBatch: (batch: RecordBatch) => void,
  ): Promise<TailSubscription>;

  /** Returns the first kept offset and the next offset of every partition. */
  bounds(
    topic: string,
  ): Promise<readonly { readonly partition: number; readonly start: number; readonly end: number }[]>;

  /** Returns the committed next offset of a group, by partition; absent partitions were never committed. */
  committed(topic: string, group: string): Promise<ReadonlyMap<number, number>>;

  /** Changes whenever the offsets of a volatile topic start anew; constant for durable topics. */
  epoch(topic: string): string;

  close(): Promise<void>;
}
