/** Documents of anchors, written by anchoring, read by query too. */
import { COLLECTIONS, type AnchorRecord } from '@sentinel-node/contracts';
import type { CollectionSpec, Document, DocumentStore } from './ports/document-store.ts';

const ANCHOR_RANGES = 'anchor_ranges';

/** Whoever reads anchors makes sure of these. */
export const ANCHOR_COLLECTIONS: readonly CollectionSpec[] = [
  { name: COLLECTIONS.anchors, indexes: [] },
  { name: ANCHOR_RANGES, indexes: [{ fields: ['partition', 'to'] }] },
];

/** The newest record of a batch; `id` is `batchId`. */
export type AnchorDocument = Document & AnchorRecord;

const BATCH_DIGITS = 16;
/** A batch number as an id that sorts like the number. */
export const batchId = (batch: number): string => String(batch).padStart(BATCH_DIGITS, '0');

/** Stores the newest record of a batch and, before it, where its records stand in the chain topic. Idempotent. */
export async function writeAnchor(store: DocumentStore, record: AnchorRecord): Promise<void> {
  const { batch } = record;
  await store.insertMissing(
    ANCHOR_RANGES,
    record.cut.ranges.map((range) => ({ id: `${batchId(batch)}/${range.partition}`, batch, ...range })),
  );
  await store.bulkUpsert(COLLECTIONS.anchors, [{ id: batchId(batch), ...record }]);
}

/**
 * The batch that covers a record of the chain topic; undefined while none does. For an entry that was delivered more
 * than once it is the batch of its first position.
 */
export async function findAnchor(
  store: DocumentStore,
  position: { readonly partition: number; readonly offset: number },
): Promise<AnchorDocument | undefined> {
  const [range] = await store.find(ANCHOR_RANGES, {
    where: { partition: position.partition, to: { gt: position.offset } },
    sort: { field: 'to', direction: 'asc' },
    limit: 1,
  });
  if (range === undefined || Number(range['from']) > position.offset) return undefined;
  return (await store.get(COLLECTIONS.anchors, batchId(Number(range['batch'])))) as
    AnchorDocument | undefined;
}
