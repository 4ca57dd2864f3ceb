import { secretTokens } from '../storage/secret-tokens.ts';

export const SERVICE_TOKENS = secretTokens('sst1');
