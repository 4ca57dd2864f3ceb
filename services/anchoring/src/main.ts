import { runServiceAlone } from '@sentinel-node/platform';
import { createAnchoring } from './create-anchoring.ts';
import { ledgerParts } from './ledger-parts.ts';

runServiceAlone('anchoring', {
  create: (shared) => [createAnchoring({ ...shared, ...ledgerParts(shared) })],
});
