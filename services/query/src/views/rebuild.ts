import type { DocumentStore, EventLog } from '@sentinel-node/platform';
import { VIEW_COLLECTIONS } from './collections.ts';
import { VIEW_SOURCES } from './records.ts';
import { applyOps } from './view-op.ts';

/** Ends to read up to: per topic, the next offset of every partition. */
export type LogEnds = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Where the sources of the views end now. */
export async function viewSourceEnds(log: EventLog): Promise<LogEnds> {
  const ends = new Map<string, Map<number, number>>();
  for (const topic of VIEW_SOURCES.keys()) {
    const bounds = await log.bounds(topic);
    ends.set(topic, new Map(bounds.map(({ partition, end }) => [partition, end])));
  }
  return ends;
}

/** Makes every view in `store` (which should have none) from the log up to `ends`, without telling anybody. */
export async function rebuildViews(
  log: EventLog,
  store: DocumentStore,
  ends: LogEnds | undefined = undefined,
): Promise<void> {
  const upTo = ends ?? (await viewSourceEnds(log));
  await store.ensure(VIEW_COLLECTIONS);
  for (const [topic, opsOf] of VIEW_SOURCES) {
    for (const { partition, start } of await log.bounds(topic)) {
      const end = upTo.get(topic)?.get(partition) ?? 0;
      if (end <= start) continue;
      for await (const batch of log.read(topic, partition, start, end))
        await applyOps(store, batch.records.flatMap(opsOf));
    }
  }
}
