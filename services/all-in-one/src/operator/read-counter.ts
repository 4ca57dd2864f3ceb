import type { Topic } from '@sentinel-node/contracts';
import {
  CLUSTER_TOPICS,
  ShortReadError,
  type EventLog,
  type RecordBatch,
  type TopicSpec,
} from '@sentinel-node/platform';
import { delegateTo } from '../delegate.ts';
import { Pace } from './pace.ts';

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 5_000;

const RETENTION: ReadonlyMap<string, TopicSpec['retention']> = new Map(
  CLUSTER_TOPICS.map(({ name, retention }) => [name, retention]),
);

/** Reads of a topic by a command, over all its passes, in the format of `--json`. */
export interface TopicReads {
  readonly topic: string;
  readonly read: number;
  /** Expected records; for a compacted topic the passed offsets, of which fewer records remain. */
  readonly expected: number;
  /** Offset up to which each partition was read, by number, and the end taken for the partition. */
  readonly positions: readonly {
    readonly partition: number;
    readonly position: number;
    readonly end: number;
  }[];
}

/** All reads of a command, in the format of `--json`. */
export interface ReadTotal {
  readonly records: number;
  /** As in `TopicReads`, over all topics. */
  readonly expected: number;
  /** Time from the first read to now. */
  readonly seconds: number;
  readonly recordsPerSecond: number;
}

/** Number of times a command reads each topic from its first record to its end. */
export type Passes = Readonly<Partial<Record<Topic, number>>>;

interface Tally {
  read: number;
  expected: number;
  readonly positions: Map<number, { position: number; end: number }>;
}

/**
 * Counts a command's reads of the log against the requested ends, and reports the time left. A read throws when it ends
 * with another number of records than its offsets promise: a command that mistakes a part for the whole must fail.
 */
export class ReadCounter {
  readonly eventLog: EventLog;
  readonly #inner: EventLog;
  readonly #writeLine: (line: string) => void;
  readonly #progressMs: number;
  readonly #tallies = new Map<string, Tally>();
  readonly #pace = new Pace();
  #beganAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading = 0;
  /** Passed offsets, and the known total of the whole command. */
  #passed = 0;
  #planned = 0;
  #topic = '';

  constructor(eventLog: EventLog, writeLine: (line: string) => void, progressMs = PROGRESS_MS) {
    this.#inner = eventLog;
    this.#writeLine = writeLine;
    this.#progressMs = progressMs;
    const read = (topic: string, partition: number, from: number, to?: number) =>
      this.#read(topic, partition, from, to);
    this.eventLog = { ...delegateTo(eventLog), read };
  }

  get reads(): readonly TopicReads[] {
    return [...this.#tallies].map(([topic, { read, expected, positions }]) => ({
      topic,
      read,
      expected,
      positions: [...positions]
        .sort(([a], [b]) => a - b)
        .map(([partition, { position, end }]) => ({ partition, position, end })),
    }));
  }

  get total(): ReadTotal {
    const sum = (field: 'read' | 'expected') => this.reads.reduce((total, one) => total + one[field], 0);
    const seconds = this.#beganAt === undefined ? 0 : (Date.now() - this.#beganAt) / 1_000;
    const records = sum('read');
    const rounded = (value: number) => Math.round(value * 10) / 10;
    const recordsPerSecond = seconds > 0 ? rounded(records / seconds) : 0;
    return { records, expected: sum('expected'), seconds: rounded(seconds), recordsPerSecond };
  }

  /** Records the planned reads, so that the progress covers the whole command. */
  async plan(passes: Passes): Promise<void> {
    for (const [topic, times] of Object.entries(passes)) {
      const bounds = await this.#inner.bounds(topic);
      this.#planned += times * bounds.reduce((sum, { start, end }) => sum + end - start, 0);
    }
  }

  /** Stops the lines of progress. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Writes one line of reads per topic through `writeLine`, apart from the result on standard output. */
  writeReads(): void {
    for (const reads of this.reads) this.#writeLine(wordsOf(reads));
    const { records, seconds, recordsPerSecond } = this.total;
    if (records > 0) this.#writeLine(`read ${records} records in ${seconds} s, ${recordsPerSecond} a second`);
  }

  /** @throws ShortReadError */
  async *#read(topic: string, partition: number, from: number, to?: number): AsyncIterable<RecordBatch> {
    const end = to ?? (await this.#endOf(topic, partition));
    const tally = this.#tallyOf(topic);
    let read = 0;
    let position = from;
    let isWhole = false;
    this.#begin(topic, Math.max(0, end - from));
    try {
      for await (const batch of this.#inner.read(topic, partition, from, end)) {
        const next = batch.records.at(-1)!.offset + 1;
        read += batch.records.length;
        this.#passed += next - position;
        position = next;
        yield batch;
      }
      isWhole = true;
      if (position < end && (await this.#isReplaced(topic, partition, end))) {
        this.#passed += end - position;
        position = end;
      }
      this.#check(topic, partition, { from, end, read, position });
    } finally {
      this.#reading -= 1;
      tally.read += read;
      // A reader that stops early expected only the records it took.
      tally.expected += isWhole ? Math.max(0, end - from) : read;
      const before = tally.positions.get(partition);
      if (before === undefined || position >= before.position)
        tally.positions.set(partition, { position, end: Math.max(end, position) });
    }
  }

  #begin(topic: string, records: number): void {
    this.#topic = topic;
    this.#planned = Math.max(this.#planned, this.#passed + records);
    this.#reading += 1;
    if (this.#beganAt === undefined) this.#pace.addMeasurement((this.#beganAt = Date.now()), 0);
    // A timer, so that progress lines also come while a broker throttles the reads.
    this.#timer ??= setInterval(() => this.#progress(), this.#progressMs).unref();
  }

  #check(
    topic: string,
    partition: number,
    { from, end, read, position }: { from: number; end: number; read: number; position: number },
  ): void {
    if (from >= end || RETENTION.get(topic) === 'volatile') return;
    const isCompacted = RETENTION.get(topic) === 'compacted';
    // Compaction keeps the newest record of the log, because it is the newest of its key.
    if (position === end && (isCompacted || read === end - from)) return;
    throw new ShortReadError(
      `${topic} partition ${partition}: read ${read} records up to offset ${position}, expected ${end - from} up to ${end}; the result would be a part of the whole`,
    );
  }

  /** Returns whether compaction may have removed the last records before an end: where newer ones came after it. */
  async #isReplaced(topic: string, partition: number, end: number): Promise<boolean> {
    return RETENTION.get(topic) === 'compacted' && (await this.#endOf(topic, partition)) > end;
  }

  #progress(): void {
    if (this.#reading === 0) return;
    this.#pace.addMeasurement(Date.now(), this.#passed);
    const all = Math.max(this.#planned, this.#passed);
    this.#writeLine(
      `reading ${this.#topic}: in all ${this.#passed} of ${all} records read, ${this.#pace.describe(all)}`,
    );
  }

  #tallyOf(topic: string): Tally {
    let tally = this.#tallies.get(topic);
    if (tally === undefined)
      this.#tallies.set(topic, (tally = { read: 0, expected: 0, positions: new Map() }));
    return tally;
  }

  async #endOf(topic: string, partition: number): Promise<number> {
    const bounds = await this.#inner.bounds(topic);
    return bounds.find((one) => one.partition === partition)?.end ?? 0;
  }
}

function wordsOf({ topic, read, expected, positions }: TopicReads): string {
  const sum = (field: 'position' | 'end') => positions.reduce((total, one) => total + one[field], 0);
  const of = RETENTION.get(topic) === 'compacted' ? `${read} records, compacted from` : `${read} records of`;
  return `read ${topic}: ${of} ${expected}; position ${sum('position')} of ${sum('end')} over ${positions.length} partitions`;
}
