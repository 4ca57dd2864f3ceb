/** Documents of anchors, written by anchoring, read by query too. */
import { COLLECTIONS, type AnchorRecord } from '@sentinel-node/contracts';
import type { CollectionSpec, Document, DocumentStore } from './ports/document-store.ts';
import { OUTBOX_INDEX } from './streams/outbox.ts';

/** Whoever reads anchors makes sure of these. */
export const ANCHOR_COLLECTIONS: readonly CollectionSpec[] = [{ name: COLLECTIONS.anchors, indexes: [] }];

/** Written by anchoring alone: recorded cuts with the state of the log after each. `id` is `batchId`. */
export const CUTS_COLLECTION = { name: 'cuts', indexes: [] } as const satisfies CollectionSpec;
/** Written by anchoring alone: the signed transaction of each batch. `id` is `batchId`. */
export const ANCHOR_TRANSACTIONS_COLLECTION = {
  name: 'anchor_transactions',
  indexes: [OUTBOX_INDEX, { fields: ['open'], sparse: true }, { fields: ['funded'], sparse: true }],
} as const satisfies CollectionSpec;

/** The newest record of a batch; `id` is `batchId`. */
export type AnchorDocument = Document & AnchorRecord;

const BATCH_DIGITS = 16;
/** A batch number as an id that sorts like the number. */
export const batchId = (batch: number): string => String(batch).padStart(BATCH_DIGITS, '0');

/** Stores the newest record of a batch. Idempotent. */
export async function writeAnchor(store: DocumentStore, record: AnchorRecord): Promise<void> {
  await store.bulkUpsert(COLLECTIONS.anchors, [{ id: batchId(record.batch), ...record }]);
}
