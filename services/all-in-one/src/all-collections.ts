import type { CollectionSpec } from '@sentinel-node/platform';
import { VIEW_COLLECTIONS } from '@sentinel-node/query';
import { NOT_VIEWS } from './not-views.ts';

/** Every collection of a running system. */
export const ALL_COLLECTIONS: readonly CollectionSpec[] = [
  ...VIEW_COLLECTIONS,
  ...NOT_VIEWS.map(({ spec }) => spec),
];
