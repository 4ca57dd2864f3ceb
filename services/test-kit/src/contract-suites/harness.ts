import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import type { CollectionSpec, DocumentStore } from '@sentinel-node/platform';
import type { EventLog, LogRecord, RecordBatch, StoredRecord, TopicSpec } from '@sentinel-node/platform';

export interface LogUnderTest {
  readonly log: EventLog;
  /** Closes the present log without waiting for handlers, as a crash would, and opens the same storage again. */
  readonly reopen: (topics?: readonly TopicSpec[]) => Promise<EventLog>;
  /**
   * Makes the storage answer the present log's reads of a topic, which has one partition, without records before
   * their end: for a while if the adapter expects such answers, for ever if such an answer means that records are
   * gone.
   */
  withholdRecords(topic: TopicSpec): Promise<void>;
}

export interface LogRequirements {
  /** How long a read waits for missing records, in milliseconds. Default: the adapter's. */
  readonly readTimeoutMs?: number;
  /** How long a stalled member keeps its partitions after an assignment, in milliseconds. Default: the adapter's. */
  readonly handoverMs?: number;
}

/** Makes a log, and registers its end in `t.teardown`. Topic names are new each time. */
export type MakeLog = (
  t: Test,
  topics: readonly TopicSpec[],
  wishes?: LogRequirements,
) => Promise<LogUnderTest>;

export interface StoreUnderTest {
  readonly store: DocumentStore;
  /** Default: `full`, which uses an index wherever one is declared. */
  readonly planner?: Planner;
  readonly reopen: () => Promise<DocumentStore>;
}

/** `simple`: uses an index only for a condition on one field, and only an index that holds every document. */
export type Planner = 'simple' | 'full';

/** Bytes of calls that may be pending in a store under test, so that a case can exceed them with few documents. */
export const PENDING_BYTES = 1_048_576;

/** Makes a store with the collections and `PENDING_BYTES`, and registers its end in `t.teardown`. Collection names are new each time. */
export type MakeStore = (t: Test, collections: readonly CollectionSpec[]) => Promise<StoreUnderTest>;

/** Allows for a machine that is busy with other tests. */
const DEADLINE_MS = 120_000;
const LOOK_AGAIN_MS = 2;

/** Returns a promise that resolves when `open` is called. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Waits until `condition` holds. @throws Error after the deadline */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/**
 * Prefix of topics and databases on a shared cluster, by which they can be found and removed (npm run try-backends).
 */
const PREFIX = process.env['SENTINEL_TEST_PREFIX'] ?? '';

export function topic(partitions: number, retention: TopicSpec['retention'] = 'forever'): TopicSpec {
  return { name: `${PREFIX}contract.${randomUUID()}`, partitions, retention };
}

export function record(key: string, id: string, body = id): LogRecord {
  return { key, id, body: new TextEncoder().encode(body) };
}

/** Makes `count` records over `keys` keys; ids are `<prefix><number>`. */
export function records(count: number, keys: number, prefix = ''): LogRecord[] {
  return Array.from({ length: count }, (_, n) => record(`key-${n % keys}`, `${prefix}${n}`));
}

export function text(stored: StoredRecord): string {
  return new TextDecoder().decode(stored.body);
}

export async function readAll(
  log: EventLog,
  name: string,
  partition: number,
  from = 0,
  to?: number,
): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for await (const batch of log.read(name, partition, from, to)) found.push(...batch.records);
  return found;
}

/** Returns every record of a topic, partition after partition. */
export async function readTopic(log: EventLog, spec: TopicSpec): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for (let partition = 0; partition < spec.partitions; partition++)
    found.push(...(await readAll(log, spec.name, partition)));
  return found;
}

/** A handler that keeps the records it receives. */
export class Collector {
  readonly batches: RecordBatch[] = [];

  readonly handler = (batch: RecordBatch): Promise<void> => {
    this.batches.push(batch);
    return Promise.resolve();
  };

  get records(): StoredRecord[] {
    return this.batches.flatMap((batch) => batch.records);
  }

  get ids(): string[] {
    return this.records.map(({ id }) => id);
  }
}

/** Returns whether the offsets of each partition rise in the given order. */
export function offsetsRise(found: readonly StoredRecord[]): boolean {
  const last = new Map<number, number>();
  return found.every(({ partition, offset }) => {
    const rises = offset > (last.get(partition) ?? -1);
    last.set(partition, offset);
    return rises;
  });
}
