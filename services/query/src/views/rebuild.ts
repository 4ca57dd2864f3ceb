import type { DocumentStore, EventLog } from '@sentinel-node/platform';
import { VIEW_COLLECTIONS } from './collections.ts';
import { VIEW_SOURCES } from './records.ts';
import { applyOps, type ViewOp } from './view-op.ts';

/** The most batches that are handled at the same time. */
const HANDLED_AT_ONCE = 2;

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
 * batch is read, and handed over, while one is handled: what is written is guarded, so the order of the writes does not matter.
 */
export async function replayViews(
  log: EventLog,
  from: LogEnds,
  to: LogEnds,
  handle: (ops: readonly ViewOp[]) => Promise<void>,
): Promise<void> {
  /** @boundedBy HANDLED_AT_ONCE */
  const handled: Promise<void>[] = [];
  for (const [topic, ends] of to) {
    const opsOf = VIEW_SOURCES.get(topic)!;
    for (const { partition, start } of await log.bounds(topic)) {
      const first = Math.max(start, from.get(topic)?.get(partition) ?? 0);
      const end = ends.get(partition) ?? 0;
      if (end <= first) continue;
      for await (const batch of log.read(topic, partition, first, end)) {
        const ops = batch.records.flatMap(opsOf);
        if (handled.length === HANDLED_AT_ONCE) await handled.shift();
        const handling = handle(ops);
        // The error is thrown where it is awaited.
        handling.catch(() => undefined);
        handled.push(handling);
      }
    }
  }
  await Promise.all(handled);
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
