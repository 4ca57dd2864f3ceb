import type { DocumentStore, EventLog, StoredRecord, UnreadableRecordError } from '@sentinel-node/platform';
import { VIEW_COLLECTIONS } from './collections.ts';
import { isPassedOver, VIEW_SOURCES } from './records.ts';
import { applyOps, type ViewOp } from './view-op.ts';

/** Positions in the sources of the views: per topic, the next offset of every partition. */
export type LogEnds = ReadonlyMap<string, ReadonlyMap<number, number>>;

/**
 * The position before the first record.
 * @boundedBy nothing: it stays empty
 */
export const LOG_START: LogEnds = new Map();

/** Returns the current ends of the views' source topics. */
export async function viewSourceEnds(
  log: EventLog,
  topics: Iterable<string> = VIEW_SOURCES.keys(),
): Promise<LogEnds> {
  const ends = new Map<string, Map<number, number>>();
  for (const topic of topics) {
    const bounds = await log.bounds(topic);
    ends.set(topic, new Map(bounds.map(({ partition, end }) => [partition, end])));
  }
  return ends;
}

/**
 * Calls `handle` with the view writes of the records [from, to), a batch at a time, in the order of each partition. The next
 * batch is read while one is handled. Nothing is being handled any more when it resolves or rejects.
 * @param onPassedOver told of each record that nobody can read and that is passed over (`isPassedOver`)
 * @throws UnreadableRecordError for another record that nobody can read
 */
export async function replayViews(
  log: EventLog,
  from: LogEnds,
  to: LogEnds,
  handle: (ops: readonly ViewOp[]) => Promise<void>,
  onPassedOver: (error: UnreadableRecordError) => void = () => undefined,
): Promise<void> {
  let handled = Promise.resolve();
  try {
    for await (const ops of writesBetween(log, from, to, onPassedOver)) {
      await handled;
      handled = handle(ops);
      // The error is thrown where it is awaited.
      handled.catch(() => undefined);
    }
  } finally {
    await handled;
  }
}

async function* writesBetween(
  log: EventLog,
  from: LogEnds,
  to: LogEnds,
  onPassedOver: (error: UnreadableRecordError) => void,
): AsyncGenerator<ViewOp[]> {
  for (const [topic, ends] of to) {
    const read = VIEW_SOURCES.get(topic)!;
    const opsOf = (record: StoredRecord): ViewOp[] => {
      try {
        return read(record);
      } catch (error) {
        if (!isPassedOver(topic, error)) throw error;
        onPassedOver(error);
        return [];
      }
    };
    for (const [partition, end] of ends) {
      const first = from.get(topic)?.get(partition) ?? 0;
      if (end <= first) continue;
      for await (const batch of log.read(topic, partition, first, end)) yield batch.records.flatMap(opsOf);
    }
  }
}

/** Builds every view in `store` (which should have no views) from the log up to `ends`, without writing to the feed. */
export async function rebuildViews(
  log: EventLog,
  store: DocumentStore,
  ends: LogEnds | undefined = undefined,
): Promise<void> {
  const to = ends ?? (await viewSourceEnds(log));
  await store.ensure(VIEW_COLLECTIONS);
  await replayViews(log, LOG_START, to, (ops) => applyOps(store, ops));
}
