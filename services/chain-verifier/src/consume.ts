import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import { checkpointBatch, type EventLog, type LogRecord, type RecordBatch } from '@sentinel-node/platform';
import type { Head } from './domain/head.ts';
import type { HeadCache } from './head-cache.ts';
import { headsBatch, loadHeads, type HeadStore } from './head-store.ts';
import { judgeBatch, type JudgedBatch } from './judge-batch.ts';
import { StoppedError } from './persistence.ts';
import { RecordedDecisions } from './recorded-decisions.ts';

/** Limit of one append in bytes, far below the limit of an event log. */
const APPEND_BYTES = 4 * 1_048_576;

export interface BatchVerifierOptions {
  readonly eventLog: Pick<EventLog, 'append' | 'bounds' | 'read'>;
  readonly store: HeadStore;
  readonly cache: HeadCache;
  readonly logId: Uint8Array;
  /** Repeats a call of a port until it succeeds; only transient faults are repeated. */
  readonly persist: (call: () => Promise<unknown>) => Promise<void>;
  /** True when no further batch must start. */
  readonly isStopping?: () => boolean;
  readonly onJudged?: (batch: RecordBatch, judged: JudgedBatch) => void;
}

/**
 * Handler of file-events. Judges a batch from the heads after exactly the preceding records of its keys. Then
 * it publishes (dead letters first), waits for every acknowledgement, writes the heads and the checkpoint, and returns (the
 * log commits). After a crash anywhere, the same records are published again.
 * @boundedBy the partitions and one batch
 */
export class BatchVerifier {
  readonly #options: BatchVerifierOptions;
  /** Offset up to which the cached heads of a partition are valid; absent: the cache of the partition is not valid. */
  readonly #nextOffsets = new Map<number, number>();
  readonly #decisions: RecordedDecisions;

  constructor(options: BatchVerifierOptions) {
    this.#options = options;
    this.#decisions = new RecordedDecisions(options.eventLog);
  }

  async handle(batch: RecordBatch): Promise<void> {
    const { cache, isStopping, logId, onJudged, persist, store } = this.#options;
    const { partition, topic } = batch;
    await this.#checkPosition(batch);
    const before = await this.#headsBefore(batch);
    if (isStopping?.() === true) throw new StoppedError();
    const recordedCause = (offset: number) => this.#decisions.causeOf(topic, partition, offset);
    const judged = judgeBatch(batch, before, logId, recordedCause);
    await this.#publish(TOPICS.deadLetters, judged.deadLetters);
    await this.#publish(TOPICS.chain, judged.records);
    const checkpoint = checkpointBatch(GROUPS.verifier, batch);
    await persist(() => store.writeBatches([headsBatch(judged.heads), checkpoint]));
    for (const [key, head] of before) cache.put(partition, key, judged.heads.get(key) ?? head);
    this.#nextOffsets.set(partition, batch.records.at(-1)!.offset + 1);
    onJudged?.(batch, judged);
  }

  /**
   * Until the batch is done, and after a failure, the partition's heads come from the store. Records that any verifier
   * found unjudgeable meanwhile come from the log.
   */
  async #checkPosition({ partition, records }: RecordBatch): Promise<void> {
    const isExpected = this.#nextOffsets.get(partition) === records[0]!.offset;
    this.#nextOffsets.delete(partition);
    if (isExpected) return;
    this.#options.cache.drop(partition);
    await this.#options.persist(() => this.#decisions.refresh());
  }

  async #headsBefore({ partition, records }: RecordBatch): Promise<Map<string, Head>> {
    const { cache, persist, store } = this.#options;
    const heads = new Map<string, Head>();
    const absent = new Set<string>();
    for (const { key } of records) {
      if (heads.has(key) || absent.has(key)) continue;
      const cached = cache.get(partition, key);
      if (cached === undefined) absent.add(key);
      else heads.set(key, cached);
    }
    await persist(async () => {
      for (const [key, head] of await loadHeads(store, [...absent])) heads.set(key, head);
    });
    return heads;
  }

  async #publish(topic: string, records: readonly LogRecord[]): Promise<void> {
    const { eventLog, persist } = this.#options;
    for (const slice of slices(records)) await persist(() => eventLog.append(topic, slice));
  }
}

/** Divides records into appends: one, unless thousands of links exceed the bytes of an append. */
function slices(records: readonly LogRecord[]): LogRecord[][] {
  const out: LogRecord[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const record of records) {
    bytes += record.body.length;
    if (bytes > APPEND_BYTES) {
      out.push([]);
      bytes = record.body.length;
    }
    out.at(-1)!.push(record);
  }
  return out;
}
