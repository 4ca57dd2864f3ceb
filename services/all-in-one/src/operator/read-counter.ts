import {
  CLUSTER_TOPICS,
  ShortReadError,
  type EventLog,
  type RecordBatch,
  type TopicSpec,
} from '@sentinel-node/platform';
import { delegateTo } from '../delegate.ts';

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

interface Tally {
  read: number;
  expected: number;
  readonly positions: Map<number, { position: number; end: number }>;
}

/** One way through a topic, partition after partition. */
interface Pass {
  partition: number;
  done: number;
  readonly total: number;
  readonly beganAt: number;
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
  readonly #tallies = new Map<string, Tally>();
  readonly #passes = new Map<string, Pass>();
  #toldAt = Date.now();

  constructor(eventLog: EventLog, tell: (line: string) => void) {
    this.#inner = eventLog;
    this.#tell = tell;
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

  /** Tells a person what was read, a line a topic; beside the result, which goes to standard output. */
  tellReads(): void {
    for (const reads of this.reads) this.#tell(wordsOf(reads));
  }

  /** @throws ShortReadError */
  async *#read(topic: string, partition: number, from: number, to?: number): AsyncIterable<RecordBatch> {
    const end = to ?? (await this.#endOf(topic, partition));
    const tally = this.#tallyOf(topic);
    const pass = await this.#passOf(topic, partition);
    let read = 0;
    let position = from;
    let isWhole = false;
    try {
      for await (const batch of this.#inner.read(topic, partition, from, end)) {
        read += batch.records.length;
        position = batch.records.at(-1)!.offset + 1;
        pass.done += batch.records.length;
        this.#progress(topic, pass);
        yield batch;
      }
      isWhole = true;
      this.#check(topic, partition, { from, end, read, position });
    } finally {
      tally.read += read;
      // A reader that has enough leaves early: it expected what it took.
      tally.expected += isWhole ? Math.max(0, end - from) : read;
      const before = tally.positions.get(partition);
      if (before === undefined || position >= before.position)
        tally.positions.set(partition, { position, end: Math.max(end, position) });
    }
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

  #progress(topic: string, { done, total, beganAt }: Pass): void {
    const now = Date.now();
    if (now - this.#toldAt < TELL_MS) return;
    this.#toldAt = now;
    const left = Math.max(0, total - done);
    const seconds = Math.ceil(((now - beganAt) / 1_000 / done) * left);
    this.#tell(`${topic}: ${done} of ${total} records read, about ${seconds} s to go`);
  }

  async #passOf(topic: string, partition: number): Promise<Pass> {
    const known = this.#passes.get(topic);
    if (known !== undefined && known.partition < partition) {
      known.partition = partition;
      return known;
    }
    const bounds = await this.#inner.bounds(topic);
    const total = bounds.reduce((sum, { start, end }) => sum + end - start, 0);
    const pass = { partition, done: 0, total, beganAt: Date.now() };
    this.#passes.set(topic, pass);
    return pass;
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
