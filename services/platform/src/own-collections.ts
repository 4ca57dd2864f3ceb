/** Collections that are not views: every service names its own, so that a backup, and its reader, knows what to do. */
import { DEV_LEDGER_COLLECTIONS } from './ledger/collections.ts';
import { BLOCK_HEADERS_COLLECTION } from './ledger/headers/collection.ts';
import type { CollectionSpec } from './ports/document-store.ts';
import { DEPLOYMENT_COLLECTION } from './secrets/log-key.ts';
import { CLAIMS_COLLECTION } from './streams/claims.ts';
import { CHECKPOINTS_COLLECTION } from './stores/checkpoints.ts';
import { STREAMS_COLLECTION } from './streams/stream.ts';

/**
 * `decided`: nothing else says it, it is backed up. `derived`: follows from the log and from what is decided; a restore
 * makes it anew. `passing`: means nothing after a while, or must not come back (an ended session).
 */
export type Keeping = 'decided' | 'derived' | 'passing';

export interface OwnCollection {
  readonly spec: CollectionSpec;
  readonly keeping: Keeping;
}

export const PLATFORM_COLLECTIONS: readonly OwnCollection[] = [
  { spec: STREAMS_COLLECTION, keeping: 'decided' },
  { spec: CLAIMS_COLLECTION, keeping: 'decided' },
  // The log key of the master secret: made at the first boot, compared at each.
  { spec: DEPLOYMENT_COLLECTION, keeping: 'derived' },
  { spec: CHECKPOINTS_COLLECTION, keeping: 'derived' },
  // Anybody has them; their source gives them again.
  { spec: BLOCK_HEADERS_COLLECTION, keeping: 'derived' },
  ...Object.values(DEV_LEDGER_COLLECTIONS).map((spec) => ({ spec, keeping: 'decided' }) as const),
];
