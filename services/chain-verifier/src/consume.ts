import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import {
  checkpointAt,
  loadCheckpoint,
  type EventLog,
  type LogRecord,
  type RecordBatch,
} from '@sentinel-node/platform';
import type { Head } from './domain/head.ts';
import type { HeadCache } from './head-cache.ts';
import { headsBatches, loadHeads, type HeadStore } from './head-store.ts';
import { judgeBatch, type JudgedBatch } from './judge-batch.ts';
import { StoppedError } from './persistence.ts';
import { RecordedDecisions } from './recorded-decisions.ts';
import { UnsavedHeads } from './unsaved-heads.ts';

/** Limit of one append in bytes, far below the limit of an event log. */
const APPEND_BYTES = 4 * 1_048_576;

export interface BatchVerifierOptions {
  readonly eventLog: Pick<EventLog, 'append' | 'bounds' | 'read'>;
  readonly store: HeadStore;
  readonly cache: HeadCache;
  readonly unsaved?: UnsavedHeads;
  readonly logId: Uint8Array;
  /** Repeats a call of a port until it succeeds; only transient faults are repeated. */
  readonly persist: (call: () => Promise<unknown>) => Promise<void>;
  /** True when no further batch must start. */
  readonly isStopping?: () => boolean;
  readonly onJudged?: (batch: RecordBatch, judged: JudgedBatch) => void;
}

/**
 * Handler of file-events. Judges a batch from the heads after exactly the preceding records of its keys. Then
 * it publishes (dead letters first), waits for every acknowledgement, and returns (the log commits). After a crash
 * before the commit, the same records are published again.
 *
 * The heads are saved now and then, with the checkpoint of the records that they contain. Records between the checkpoint
 * and the commit are judged again, without publishing, when the partition begins anew: the same records give the same heads.
 * @boundedBy the partitions and one batch
 */
export class BatchVerifier {
  readonly #options: BatchVerifierOptions;
  /** Offset up to which the heads in memory are valid; absent: the heads of the partition are not valid. */
  readonly #nextOffsets = new Map<number, number>();
  readonly #decisions: RecordedDecisions;
  readonly #unsaved: UnsavedHeads;

  constructor(options: BatchVerifierOptions) {
    this.#options = options;
    this.#decisions = new RecordedDecisions(options.eventLog);
    this.#unsaved = options.unsaved ?? new UnsavedHeads();
  }

  async handle(batch: RecordBatch): Promise<void> {
    const { onJudged } = this.#options;
    const { partition } = batch;
    await this.#takePosition(batch);
    const { before, judged } = await this.#judge(batch);
    await this.#publish(TOPICS.deadLetters, judged.deadLetters);
    await this.#publish(TOPICS.chain, judged.records);
    this.#keep(batch, before, judged);
    // People read of parked files from the stored heads.
    if (judged.parkings.length > 0 || this.#unsaved.isDue(partition)) await this.#save(partition);
    this.#nextOffsets.set(partition, nextOf(batch));
    onJudged?.(batch, judged);
  }

  /** Saves the heads of all partitions. No batch may run meanwhile. */
  async saveAll(): Promise<void> {
    for (const partition of this.#unsaved.partitions) await this.#save(partition);
  }

  /**
   * Until the batch is done, and after a failure, the heads of the partition come from the store and from the records
   * after its checkpoint. Records that any verifier found unjudgeable meanwhile come from the log.
   */
  async #takePosition({ partition, records, topic }: RecordBatch): Promise<void> {
    const { cache, persist } = this.#options;
    const first = records[0]!.offset;
    const isExpected = this.#nextOffsets.get(partition) === first;
    this.#nextOffsets.delete(partition);
    if (isExpected) return;
    cache.drop(partition);
    this.#unsaved.drop(partition);
    await persist(() => this.#decisions.refresh());
    await persist(() => this.#judgeAgain(topic, partition, first));
  }

  /** Brings the heads from the checkpoint to `to`. The consequences of these records are published already. */
  async #judgeAgain(topic: string, partition: number, to: number): Promise<void> {
    const { eventLog, store } = this.#options;
    const from = await loadCheckpoint(store, { group: GROUPS.verifier, topic, partition });
    if (from >= to) return;
    for await (const batch of eventLog.read(topic, partition, from, to)) {
      const { before, judged } = await this.#judge(batch);
      this.#keep(batch, before, judged);
      if (this.#unsaved.isDue(partition)) await this.#save(partition);
    }
  }

  async #judge(batch: RecordBatch): Promise<{ before: ReadonlyMap<string, Head>; judged: JudgedBatch }> {
    const { isStopping, logId } = this.#options;
    const { partition, topic } = batch;
    const before = await this.#headsBefore(batch);
    if (isStopping?.() === true) throw new StoppedError();
    const recordedCause = (offset: number) => this.#decisions.causeOf(topic, partition, offset);
    return { before, judged: judgeBatch(batch, before, logId, recordedCause) };
  }

  #keep(batch: RecordBatch, before: ReadonlyMap<string, Head>, { heads }: JudgedBatch): void {
    const { partition, records } = batch;
    for (const [key, head] of before) this.#options.cache.put(partition, key, heads.get(key) ?? head);
    this.#unsaved.add(partition, heads, records.length, nextOf(batch));
  }

  async #save(partition: number): Promise<void> {
    const { persist, store } = this.#options;
    const unsaved = this.#unsaved.of(partition);
    if (unsaved === undefined) return;
    const place = { group: GROUPS.verifier, topic: TOPICS.fileEvents, partition };
    for (const batch of [...headsBatches(unsaved.heads), checkpointAt(place, unsaved.next)])
      await persist(() => store.writeBatches([batch]));
    // Another member may have begun the partition anew meanwhile.
    if (this.#unsaved.of(partition) === unsaved) this.#unsaved.drop(partition);
  }

  async #headsBefore({ partition, records }: RecordBatch): Promise<Map<string, Head>> {
    const { cache, persist, store } = this.#options;
    const heads = new Map<string, Head>();
    const absent = new Set<string>();
    for (const { key } of records) {
      if (heads.has(key) || absent.has(key)) continue;
      const known = this.#unsaved.get(partition, key) ?? cache.get(partition, key);
      if (known === undefined) absent.add(key);
      else heads.set(key, known);
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

const nextOf = ({ records }: RecordBatch): number => records.at(-1)!.offset + 1;

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
