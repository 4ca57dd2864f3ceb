import type { ClaimRecord } from '@sentinel-node/contracts';
import { collectionOf } from '../ports/document-store.ts';
import { OUTBOX_INDEX, type OutboxEntry } from './outbox.ts';

/** Insert-once claims on alerts (id = alert id), each an outbox entry until it is in file-events. */
export const CLAIMS_COLLECTION = { name: collectionOf<Claim>('claims'), indexes: [OUTBOX_INDEX] } as const;

/** `id` is the alert's id. */
export interface Claim extends OutboxEntry {
  readonly record: ClaimRecord;
}
