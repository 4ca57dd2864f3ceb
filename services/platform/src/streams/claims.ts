import type { CollectionSpec } from '../ports/document-store.ts';
import { OUTBOX_INDEX } from './outbox.ts';

/** Insert-once claims on alerts (id = alert id), each an outbox entry until it is in file-events. */
export const CLAIMS_COLLECTION: CollectionSpec = { name: 'claims', indexes: [OUTBOX_INDEX] };
