import { runServiceAlone } from '@sentinel-node/platform';
import { createChainVerifier } from './service.ts';

runServiceAlone('chain-verifier', (shared) => [
  createChainVerifier({ ...shared, logId: shared.logKey.logId }),
]);
