import type { OwnCollection } from '@sentinel-node/platform';
import { OWN_COLLECTIONS } from './collections.ts';

const { anchors, chainMarks, contradictions, cosignatures, cuts, funds, heads, looks, operations } =
  OWN_COLLECTIONS;
const { transactions } = OWN_COLLECTIONS;

/** Collections that this service writes. */
export const ANCHORING_COLLECTIONS: readonly OwnCollection[] = [
  { spec: cuts, keeping: 'decided' },
  { spec: transactions, keeping: 'decided' },
  { spec: funds, keeping: 'decided' },
  { spec: cosignatures, keeping: 'decided' },
  { spec: operations, keeping: 'decided' },
  { spec: contradictions, keeping: 'decided' },
  { spec: looks, keeping: 'passing' },
  { spec: chainMarks, keeping: 'passing' },
  { spec: heads, keeping: 'derived' },
  { spec: anchors, keeping: 'derived' },
];
