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

/** Between two lines of progress, in milliseconds. */
const TELL_MS = 5_000;

const RETENTION: ReadonlyMap<string, TopicSpec['retention']> = new Map(
  CLUSTER_TOPICS.map(({ name, retention }) => [name, retention]),
);

/** What a command has read of a topic, all its passes together; `--json` shows it so. */
export interface TopicReads {
  readonly topic: string;
  readonly read: number;
  /** Of a compacted topic the offsets that were passed: fewer records are left of them. */
  readonly expected: number;
  /** Offset up to which each partition was read, by number, beside the end that was taken for it. */
  readonly positions: readonly {
    readonly partition: number;
    readonly position: number;
    readonly end: number;
  }[];
}

/** Everything that a command has read; `--json` shows it so. */
export interface ReadTotal {
  readonly records: number;
  /** As in `TopicReads`, all topics together. */
  readonly expected: number;
  /** From the first record asked for to now. */
  readonly seconds: number;
  readonly recordsPerSecond: number;
}

/** How often a command reads each topic from its first record to its end. */
export type Passes = Readonly<Partial<Record<Topic, number>>>;

interface Tally {
  read: number;
  expected: number;
  readonly positions: Map<number, { position: number; end: number }>;
}

/**
 * Counts what a command reads of the log against the ends that it asked for, and tells how long it will take. A read
 * that comes to its end with another number of records than its offsets promise throws: a command that takes a part
 * for the whole must not end well.
 */
export class ReadCounter {
  readonly eventLog: EventLog;
  readonly #inner: EventLog;
  readonly #tell: (line: string) => void;
  readonly #tellMs: number;
  readonly #tallies = new Map<string, Tally>();
  readonly #pace = new Pace();
  #beganAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading = 0;
  /** Offsets that were passed, and that the whole command will pass as far as that is known. */
  #passed = 0;
  #planned = 0;
  #topic = '';

  constructor(eventLog: EventLog, tell: (line: string) => void, tellMs = TELL_MS) {
    this.#inner = eventLog;
    this.#tell = tell;
    this.#tellMs = tellMs;
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

  /** Says what the command is going to read, so that its progress tells how long the whole takes. */
  async plan(passes: Passes): Promise<void> {
    for (const [topic, times] of Object.entries(passes)) {
      const bounds = await this.#inner.bounds(topic);
      this.#planned += times * bounds.reduce((sum, { start, end }) => sum + end - start, 0);
    }
  }

  /** No more lines of progress. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Tells a person what was read, a line a topic; beside the result, which goes to standard output. */
  tellReads(): void {
    for (const reads of this.reads) this.#tell(wordsOf(reads));
    const { records, seconds, recordsPerSecond } = this.total;
    if (records > 0) this.#tell(`read ${records} records in ${seconds} s, ${recordsPerSecond} a second`);
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
      this.#check(topic, partition, { from, end, read, position });
    } finally {
      this.#reading -= 1;
      tally.read += read;
      // A reader that has enough leaves early: it expected what it took.
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
    if (this.#beganAt === undefined) this.#pace.look((this.#beganAt = Date.now()), 0);
    // A broker that holds the reads back gives no record for a while: the line comes all the same.
    this.#timer ??= setInterval(() => this.#progress(), this.#tellMs).unref();
  }

  #check(
    topic: string,
    partition: number,
    { from, end, read, position }: { from: number; end: number; read: number; position: number },
  ): void {
    if (from >= end || RETENTION.get(topic) === 'volatile') return;
    const isCompacted = RETENTION.get(topic) === 'compacted';
    // The newest record of a compacted topic is the newest of its key, and stays.
    if (position === end && (isCompacted || read === end - from)) return;
    throw new ShortReadError(
      `${topic} partition ${partition}: read ${read} records up to offset ${position}, expected ${end - from} up to ${end}; the result would be a part of the whole`,
    );
  }

  #progress(): void {
    if (this.#reading === 0) return;
    this.#pace.look(Date.now(), this.#passed);
    const all = Math.max(this.#planned, this.#passed);
    this.#tell(
      `reading ${this.#topic}: in all ${this.#passed} of ${all} records read, ${this.#pace.words(all)}`,
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
