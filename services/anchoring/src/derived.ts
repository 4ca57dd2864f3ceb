/** Rebuilds collections of anchoring that follow from cuts and the log. */
import { TOPICS } from '@sentinel-node/contracts';
import type { DocumentStore, EventLog } from '@sentinel-node/platform';
import { OWN_COLLECTIONS } from './collections.ts';
import { replayHeads } from './heads.ts';
import { writeAnchor } from './publish.ts';

const { anchors, cuts, heads } = OWN_COLLECTIONS;

/** Builds these collections in a store that has only the cuts. Anchoring must not run meanwhile. */
export async function restoreDerived(store: DocumentStore, eventLog: EventLog): Promise<void> {
  await store.ensure([anchors, cuts, heads]);
  const decoder = new TextDecoder();
  for (const { partition, end } of await eventLog.bounds(TOPICS.anchors))
    for await (const { records } of eventLog.read(TOPICS.anchors, partition, 0, end))
      for (const { body } of records) await writeAnchor(store, JSON.parse(decoder.decode(body)));
  for await (const page of store.scan(cuts.name))
    for (const { cut } of page) await replayHeads(store, eventLog, cut);
}
