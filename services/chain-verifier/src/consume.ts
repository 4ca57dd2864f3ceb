import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import {
  checkpointAt,
  confirmHeads,
  loadCheckpoint,
  type EventLog,
  type LogRecord,
  type RecordBatch,
  type StoredRecord,
} from '@sentinel-node/platform';
import { INITIAL_HEAD, type Head } from './domain/head.ts';
import type { HeadCache } from './head-cache.ts';
import { headsBatches, loadHeads, type HeadStore } from './head-store.ts';
import { judgeBatch, type JudgedBatch } from './judge-batch.ts';
import { UnjudgeableRecordError } from './judge-record.ts';
import { notJudgedNotices } from './not-judged.ts';
import { StoppedError } from './persistence.ts';
import { RecordedDecisions } from './recorded-decisions.ts';
import { strayCause } from './stray.ts';
import { UnsavedHeads, type SaveLimits } from './unsaved-heads.ts';

/** Limit of one append in bytes, far below the limit of an event log. */
const APPEND_BYTES = 4 * 1_048_576;

export interface BatchVerifierOptions {
  readonly eventLog: Pick<EventLog, 'append' | 'bounds' | 'read'>;
  readonly store: HeadStore;
  readonly cache: HeadCache;
  /** Default: `SAVE_LIMITS`. */
  readonly saving?: Partial<SaveLimits>;
  /** Milliseconds of a clock that never goes back; default: the process's. */
  readonly now?: () => number;
  readonly logId: Uint8Array;
  /** Repeats a call of a port until it succeeds; only transient faults are repeated. */
  readonly persist: (call: () => Promise<unknown>) => Promise<void>;
  /** True when no further batch must start. */
  readonly isStopping?: () => boolean;
  readonly onJudged?: (batch: RecordBatch, judged: JudgedBatch) => void;
  /** Told of each record that is passed over (`strayCause`). */
  readonly onStray?: (topic: string, record: StoredRecord, cause: string) => void;
}

/**
 * The state of a partition since this process began to read it. A process that begins the partition anew makes a new
 * state; a batch that is still being worked on keeps the state that it began with.
 */
interface Tenure {
  readonly partition: number;
  readonly unsaved: UnsavedHeads;
  /** Offset up to which the heads are valid; undefined while a batch is judged, and after a failure. */
  next: number | undefined;
  /** The checkpoint at the beginning: all that follows from the records before it is published. */
  publishedTo: number;
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
  readonly #tenures = new Map<number, Tenure>();
  readonly #decisions: RecordedDecisions;
  /** Number of partitions of the topic; undefined before the first batch. */
  #partitions: number | undefined;

  constructor(options: BatchVerifierOptions) {
    this.#options = options;
    this.#decisions = new RecordedDecisions(options.eventLog);
  }

  /** Number of heads that the store does not have yet. */
  get unsavedHeads(): number {
    let count = 0;
    for (const { unsaved } of this.#tenures.values()) count += unsaved.heads.size;
    return count;
  }

  async handle(batch: RecordBatch): Promise<void> {
    const tenure = await this.#tenureFor(batch);
    const { before, judged } = await this.#judge(tenure, batch, this.#options.onStray);
    await this.#publish(TOPICS.deadLetters, judged.deadLetters);
    await this.#publish(TOPICS.chain, judged.records);
    // Kafka may have forgotten the position. Repeated verdicts change nothing; repeated notices would be other ones.
    const untold = judged.notJudged.filter(({ offset }) => offset >= tenure.publishedTo);
    await this.#publish(TOPICS.fileEvents, notJudgedNotices(untold));
    this.#keep(tenure, batch, before, judged);
    // People read of parked files from the stored heads.
    if (judged.parkings.length > 0 || tenure.unsaved.isDue(this.unsavedHeads)) await this.#save(tenure);
    tenure.next = nextOf(batch);
    this.#options.onJudged?.(batch, judged);
  }

  /** Saves the heads of all partitions. No batch may run meanwhile. */
  async saveAll(): Promise<void> {
    for (const tenure of this.#tenures.values()) await this.#save(tenure);
  }

  /**
   * Until the batch is done, and after a failure, the heads of the partition come from the store and from the records
   * after its checkpoint. Records that any verifier found unjudgeable meanwhile come from the log.
   */
  async #tenureFor({ partition, records, topic }: RecordBatch): Promise<Tenure> {
    const { now, persist, saving } = this.#options;
    const first = records[0]!.offset;
    const known = this.#tenures.get(partition);
    if (known?.next === first) {
      known.next = undefined;
      return known;
    }
    const unsaved = new UnsavedHeads(saving, now);
    const tenure: Tenure = { partition, unsaved, next: undefined, publishedTo: 0 };
    this.#tenures.set(partition, tenure);
    await persist(() => this.#decisions.refresh());
    await persist(() => this.#judgeAgain(tenure, topic, first));
    return tenure;
  }

  /**
   * Brings the heads from the checkpoint to `to`. The consequences of these records are published already.
   * @throws UnjudgeableRecordError when a version judged a record that this one cannot judge
   */
  async #judgeAgain(tenure: Tenure, topic: string, to: number): Promise<void> {
    const { cache, eventLog, store } = this.#options;
    const { partition, unsaved } = tenure;
    // A read that failed leaves heads in both. One in the cache would count as saved, and its records would be skipped.
    unsaved.clear();
    if (this.#isCurrent(tenure)) cache.drop(partition);
    const from = await loadCheckpoint(store, { group: GROUPS.verifier, topic, partition });
    tenure.publishedTo = from;
    if (from >= to) return;
    for await (const batch of eventLog.read(topic, partition, from, to)) {
      const { before, judged } = await this.#judge(tenure, batch);
      for (const { error, source } of judged.parkings)
        if (error !== undefined) throw new UnjudgeableRecordError(topic, source, error);
      this.#keep(tenure, batch, before, judged);
      if (unsaved.isDue(this.unsavedHeads)) await this.#save(tenure);
    }
  }

  async #judge(
    tenure: Tenure,
    given: RecordBatch,
    onStray?: BatchVerifierOptions['onStray'],
  ): Promise<{ before: ReadonlyMap<string, Head>; judged: JudgedBatch }> {
    const { isStopping, logId } = this.#options;
    const { partition, topic } = given;
    const batch = await this.#withoutStrays(given, onStray);
    const before = await this.#headsBefore(tenure, batch);
    if (isStopping?.() === true) throw new StoppedError();
    const recordedCause = (offset: number) => this.#decisions.causeOf(topic, partition, offset);
    return { before, judged: judgeBatch(batch, before, logId, recordedCause) };
  }

  async #withoutStrays(batch: RecordBatch, onStray: BatchVerifierOptions['onStray']): Promise<RecordBatch> {
    const { eventLog, persist } = this.#options;
    const { topic } = batch;
    if (this.#partitions === undefined)
      await persist(async () => (this.#partitions = (await eventLog.bounds(topic)).length));
    const records = batch.records.filter((record) => {
      const cause = strayCause(record, this.#partitions!);
      if (cause !== undefined) onStray?.(topic, record, cause);
      return cause === undefined;
    });
    return records.length === batch.records.length ? batch : { ...batch, records };
  }

  #keep(tenure: Tenure, batch: RecordBatch, before: ReadonlyMap<string, Head>, { heads }: JudgedBatch): void {
    const { partition, records } = batch;
    tenure.unsaved.add(heads, records.length, nextOf(batch));
    if (!this.#isCurrent(tenure)) return;
    for (const [key, head] of before) this.#options.cache.put(partition, key, heads.get(key) ?? head);
  }

  async #save({ partition, unsaved }: Tenure): Promise<void> {
    const { persist, store } = this.#options;
    if (unsaved.isEmpty) return;
    const place = { group: GROUPS.verifier, topic: TOPICS.fileEvents, partition };
    for (const batch of [...headsBatches(unsaved.heads), checkpointAt(place, unsaved.next)])
      await persist(() => store.writeBatches([batch]));
    unsaved.clear();
  }

  async #headsBefore(tenure: Tenure, { partition, records }: RecordBatch): Promise<Map<string, Head>> {
    const { cache, persist, store } = this.#options;
    // The cache is the current tenure's: its heads may be those of earlier records.
    const isCurrent = this.#isCurrent(tenure);
    const heads = new Map<string, Head>();
    const absent = new Set<string>();
    for (const { key } of records) {
      if (heads.has(key) || absent.has(key)) continue;
      const known = tenure.unsaved.heads.get(key) ?? (isCurrent ? cache.get(partition, key) : undefined);
      if (known === undefined) absent.add(key);
      else heads.set(key, known);
    }
    await persist(async () => {
      const loaded = await loadHeads(store, [...absent]);
      // Files that nobody reported on have no head; where there is none at all, somebody dropped them while this runs.
      if ([...loaded.values()].includes(INITIAL_HEAD)) await confirmHeads(store);
      for (const [key, head] of loaded) heads.set(key, head);
    });
    return heads;
  }

  #isCurrent(tenure: Tenure): boolean {
    return this.#tenures.get(tenure.partition) === tenure;
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
