export { createAnchoring } from './create-anchoring.ts';
export type { AnchoringDeps, AnchoringService } from './create-anchoring.ts';
export type { CategoryIntervals } from './domain/due.ts';
export { ANCHORING_LIMITS } from './limits.ts';
export { ledgerParts } from './ledger-parts.ts';
export { OWN_COLLECTIONS } from './collections.ts';
export { ANCHORING_COLLECTIONS } from './own-collections.ts';
export { restoreDerived } from './derived.ts';
