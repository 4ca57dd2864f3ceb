import type { OwnCollection } from '@sentinel-node/platform';
import { HEADS_COLLECTION } from './head-store.ts';

/** Collections that this service writes. */
export const VERIFIER_COLLECTIONS: readonly OwnCollection[] = [
  { spec: HEADS_COLLECTION, keeping: 'derived' },
];
