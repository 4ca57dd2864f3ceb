import { runServiceAlone } from '@sentinel-node/platform';
import { ALONE } from './alone.ts';

runServiceAlone('chain-verifier', ALONE);
