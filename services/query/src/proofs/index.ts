/** Proofs of entries. */
import type { Feature } from '../http/feature.ts';
import { proving } from './proving.ts';
import { proofRoutes } from './routes.ts';

export { EVIDENCE_COLLECTIONS } from './evidence.ts';
export { proofOperations } from './operations.ts';

export const proofs: Feature = async (app, context) => proofRoutes(app, proving(context));
