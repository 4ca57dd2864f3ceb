import type { Feature } from '../http/feature.ts';
import { createProofContext } from './proving.ts';
import { proofRoutes } from './routes.ts';

export { proofOperations } from './operations.ts';

export const proofs: Feature = async (app, context) => proofRoutes(app, createProofContext(context));
