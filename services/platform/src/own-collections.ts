/** Collections that are not views. Every service lists its own, so that backups and restores treat each correctly. */
import { DEV_LEDGER_COLLECTIONS } from './ledger/collections.ts';
import { BLOCK_HEADERS_COLLECTION } from './ledger/headers/collection.ts';
import type { CollectionSpec } from './ports/document-store.ts';
import { DEPLOYMENT_COLLECTION } from './secrets/log-key.ts';
import { CLAIMS_COLLECTION } from './streams/claims.ts';
import { CHECKPOINTS_COLLECTION } from './stores/checkpoints.ts';
import { CLOCK_COLLECTION } from './stores/clock-watch.ts';
import { STREAMS_COLLECTION } from './streams/stream.ts';

/**
 * `decided`: the only source of a decision; backed up. `derived`: follows from the log and from decisions; rebuilt by a
 * restore. `passing`: loses its meaning after a while, or must not come back (an ended session).
 */
export type Keeping = 'decided' | 'derived' | 'passing';

export interface OwnCollection {
  readonly spec: CollectionSpec;
  readonly keeping: Keeping;
}

export const PLATFORM_COLLECTIONS: readonly OwnCollection[] = [
  { spec: STREAMS_COLLECTION, keeping: 'decided' },
  { spec: CLAIMS_COLLECTION, keeping: 'decided' },
  // The log key of the master secret: recorded at the first boot, compared at each later boot.
  { spec: DEPLOYMENT_COLLECTION, keeping: 'derived' },
  { spec: CHECKPOINTS_COLLECTION, keeping: 'derived' },
  { spec: CLOCK_COLLECTION, keeping: 'decided' },
  // Public data, which its source returns again.
  { spec: BLOCK_HEADERS_COLLECTION, keeping: 'derived' },
  ...Object.values(DEV_LEDGER_COLLECTIONS).map((spec) => ({ spec, keeping: 'decided' }) as const),
];
