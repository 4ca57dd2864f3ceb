/** Stores the last anchored number of each subject, which decides whether an entry is new. */
import { TOPICS, type Cut } from '@sentinel-node/contracts';
import type { DocumentStore, EventLog } from '@sentinel-node/platform';
import { OWN_COLLECTIONS } from './collections.ts';
import { ANCHORING_LIMITS } from './limits.ts';
import { parseChainRecord } from './parse-record.ts';

const { name: HEADS } = OWN_COLLECTIONS.heads;

export type Heads = ReadonlyMap<string, number>;

/** Writes heads. The number itself is the `rev`, so that an older cut never moves a head back. */
export async function writeHeads(store: DocumentStore, heads: Heads): Promise<void> {
  const all = [...heads];
  for (let at = 0; at < all.length; at += ANCHORING_LIMITS.headsPerWrite) {
    const part = all.slice(at, at + ANCHORING_LIMITS.headsPerWrite);
    await store.bulkUpsert(
      HEADS,
      part.map(([id, number]) => ({ id, rev: number + 1, number })),
    );
  }
}

export async function readHeads(store: DocumentStore, subjects: readonly string[]): Promise<Heads> {
  const found = await store.getMany(HEADS, subjects);
  return new Map(found.map(({ id, number }) => [id, number]));
}

/** Writes the heads of a cut, from the records that the cut covers. */
export async function replayHeads(store: DocumentStore, eventLog: EventLog, cut: Cut): Promise<void> {
  let heads = new Map<string, number>();
  for (const { partition, from, to } of cut.ranges) {
    for await (const { records } of eventLog.read(TOPICS.chain, partition, from, to)) {
      for (const record of records) {
        const { fileId, entries } = parseChainRecord(record);
        const last = entries.at(-1)?.number;
        if (fileId !== null && last !== undefined) heads.set(fileId, Math.max(heads.get(fileId) ?? 0, last));
      }
      if (heads.size < ANCHORING_LIMITS.headsPerWrite) continue;
      await writeHeads(store, heads);
      heads = new Map();
    }
  }
  await writeHeads(store, heads);
}
