/** The call of a ledger's service, which anchoring answers at the root of the address, not below /api/v1. */
import { ERRORS } from '@sentinel-node/contracts';
import type { DescribedCall } from './document.ts';

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

/** Paths of an OpenAPI document. */
export const LEDGER_PATHS: Readonly<Record<string, { post: DescribedCall }>> = {
  '/ledger/callback': {
    post: {
      'x-access': 'public',
      servers: [{ url: '/', description: 'Anchoring' }],
      tags: ['log'],
      summary: 'An ARC service reports that a transaction has changed',
      description:
        'Only where anchoring uses an ARC service, with the token that it gave that service as `Authorization: Bearer`. The report makes it ask the service; nothing else of it is read. At most 65,536 bytes.',
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['txid'],
              properties: { txid: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
            },
            example: {
              txid: 'c0d6fce714e4225614f000c6a5addaaa1341acbb9c87115114dcf84f37b945a6',
              txStatus: 'MINED',
            },
          },
        },
      },
      responses: {
        204: { description: 'It is taken, whether or not the transaction is known' },
        [ERRORS.INVALID_CREDENTIALS.status]: problem('INVALID_CREDENTIALS'),
        [ERRORS.VALIDATION_FAILED.status]: problem('VALIDATION_FAILED'),
      },
    },
  },
};
