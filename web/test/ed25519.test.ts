import { ed25519Contract } from '@sentinel-node/test-kit/contract-suites/ed25519';
import { verifyEd25519 } from '../src/verify/ed25519.ts';

ed25519Contract(verifyEd25519);
