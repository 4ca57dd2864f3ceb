/**
 * Lists every collection that is not a view; a test fails for a running system's collection that is in no list.
 */
import { ANCHORING_COLLECTIONS } from '@sentinel-node/anchoring';
import { VERIFIER_COLLECTIONS } from '@sentinel-node/chain-verifier';
import { INGESTION_COLLECTIONS } from '@sentinel-node/ingestion';
import { PLATFORM_COLLECTIONS, type Keeping, type OwnCollection } from '@sentinel-node/platform';
import { QUERY_COLLECTIONS } from '@sentinel-node/query';
import { REBUILDS_COLLECTION } from './rebuild/mark.ts';

export const NOT_VIEWS: readonly OwnCollection[] = [
  ...PLATFORM_COLLECTIONS,
  ...QUERY_COLLECTIONS,
  ...ANCHORING_COLLECTIONS,
  ...VERIFIER_COLLECTIONS,
  ...INGESTION_COLLECTIONS,
  { spec: REBUILDS_COLLECTION, keeping: 'passing' },
];

/** Explanations for an operator who names such a collection as a view. */
export const KEEPING_WORDS: Readonly<Record<Keeping, string>> = {
  decided: 'nothing else says what it holds, so it is backed up',
  derived: 'the services keep it by themselves, and a restore makes it anew',
  passing: 'what it holds passes by itself',
};
