import { partitionOf, TOPICS } from '@sentinel-node/contracts';
import {
  CHECKPOINTS_COLLECTION,
  type CollectionWrite,
  type Document,
  type CollectionName,
  type Stored,
  type EventLog,
  type LogRecord,
  type Position,
  type RecordBatch,
  type StoredRecord,
} from '@sentinel-node/platform';
import type { HeadStore } from '../../src/head-store.ts';

/** What a port call does: nothing of it, some of it, or all of it, before the process dies. */
export type Fault = 'none' | 'before' | 'within' | 'after';

export class Crash extends Error {}

/** Runs `effect`, or as much of it as the fault lets happen; `half` is what happens of it when it breaks off. */
async function under<T>(fault: Fault, effect: () => T, half: () => void): Promise<T> {
  await Promise.resolve();
  if (fault === 'before') throw new Crash();
  if (fault === 'within') {
    half();
    throw new Crash();
  }
  const result = effect();
  if (fault === 'after') throw new Crash();
  return result;
}

/**
 * Partitions of one topic in memory, and the dead letters beside them; records of one append stay adjacent, as far as
 * the append got.
 */
export class MemoryLog implements Pick<EventLog, 'append' | 'bounds' | 'read'> {
  readonly partitions: StoredRecord[][];
  readonly deadLetters: StoredRecord[] = [];
  /** What a verifier appended to file-events; a test that wants it judged puts it there. */
  readonly appended: StoredRecord[] = [];
  readonly #nextFault: () => Fault;
  readonly #fileEvents: readonly StoredRecord[][];

  /** @param fileEvents the partitions of file-events, if this log holds another topic */
  constructor(
    partitions: number,
    nextFault: () => Fault = () => 'none',
    fileEvents?: readonly StoredRecord[][],
  ) {
    this.partitions = Array.from({ length: partitions }, () => []);
    this.#nextFault = nextFault;
    this.#fileEvents = fileEvents ?? this.partitions;
  }

  append(topic: string, records: readonly LogRecord[]): Promise<Position[]> {
    const partitions = topic === TOPICS.fileEvents ? [this.appended] : this.#partitionsOf(topic);
    const put = (record: LogRecord): Position => this.put(record, partitions);
    return under(
      this.#nextFault(),
      () => records.map(put),
      () => records.slice(0, records.length / 2).forEach(put),
    );
  }

  put(record: LogRecord, partitions: readonly StoredRecord[][] = this.partitions): Position {
    const partition = partitionOf(record.key, partitions.length);
    const offset = partitions[partition]!.length;
    partitions[partition]!.push({ ...record, partition, offset });
    return { partition, offset };
  }

  async bounds(topic: string): Promise<{ partition: number; start: number; end: number }[]> {
    await Promise.resolve();
    return this.#partitionsOf(topic).map(({ length }, partition) => ({ partition, start: 0, end: length }));
  }

  async *read(topic: string, partition: number, from: number, to?: number): AsyncIterable<RecordBatch> {
    await Promise.resolve();
    // A test may begin anywhere in a partition: the records before are holes.
    const stored = this.#partitionsOf(topic)[partition]!.slice(from, to);
    const records = stored.filter(() => true);
    if (records.length > 0) yield { topic, partition, records };
  }

  #partitionsOf(topic: string): readonly StoredRecord[][] {
    if (topic === TOPICS.fileEvents) return this.#fileEvents;
    return topic === TOPICS.deadLetters ? [this.deadLetters] : this.partitions;
  }
}

type Guarded = Document & { readonly rev: number };

/** Heads and checkpoints in memory, stored as JSON text: what is not JSON does not come back. */
export class MemoryStore implements HeadStore {
  readonly heads = new Map<string, string>();
  readonly checkpoints = new Map<string, string>();
  readonly #nextFault: () => Fault;
  reads = 0;

  constructor(nextFault: () => Fault = () => 'none') {
    this.#nextFault = nextFault;
  }

  async getMany<T extends Stored>(collection: CollectionName<T>, ids: readonly string[]): Promise<T[]> {
    await Promise.resolve();
    const kept = this.#of(collection);
    if (kept === this.heads) this.reads++;
    return ids.flatMap((id) => {
      const text = kept.get(id);
      const found: T[] = text === undefined ? [] : [JSON.parse(text)];
      return found;
    });
  }

  /** Returns all documents of the collection, whatever is asked for. */
  async find<T extends Stored>(collection: CollectionName<T>): Promise<T[]> {
    await Promise.resolve();
    return [...this.#of(collection).values()].map((text) => JSON.parse(text) as T);
  }

  async writeBatches(batches: readonly (readonly CollectionWrite[])[]): Promise<void> {
    for (const { collection, documents } of batches.flat())
      await this.write(collection, documents as Guarded[]);
  }

  write(collection: string, documents: readonly Guarded[]): Promise<void> {
    const kept = this.#of(collection);
    const put = (document: Guarded): void => {
      const stored = kept.get(document.id);
      const rev = stored === undefined ? -1 : (JSON.parse(stored) as { rev: number }).rev;
      if (document.rev > rev) kept.set(document.id, JSON.stringify(document));
    };
    return under(
      this.#nextFault(),
      () => documents.forEach(put),
      () => documents.slice(0, documents.length / 2).forEach(put),
    );
  }

  #of(collection: string): Map<string, string> {
    return collection === CHECKPOINTS_COLLECTION.name ? this.checkpoints : this.heads;
  }
}
