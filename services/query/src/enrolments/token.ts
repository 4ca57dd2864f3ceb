import { secretTokens } from '../storage/secret-tokens.ts';

export const ENROLMENT_TOKENS = secretTokens('enr1');
