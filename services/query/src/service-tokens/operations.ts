import { EXAMPLE, serviceToken } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const { name, role, readOnly, limits } = serviceToken;

export const serviceTokenOperations: Operations = {
  'GET /service-tokens/:orgId': {
    summary: 'Lists the service tokens, newest first',
    description: 'The newest 500, also those that have ended. The tokens themselves are not kept.',
    answer: { serviceTokens: [serviceToken] },
  },
  'POST /service-tokens/:orgId': {
    summary: 'Makes a service token, with which a program calls the API',
    description:
      'Only this answer contains the token. A program sends it as `Authorization: Bearer TOKEN`. It ends after `expiresInDays` (90). With `limits` it calls for these devices only, and for those that have one of the labels at the time of the call; calls that cannot be limited are refused with 403. A service token cannot make service tokens.',
    body: { name, role, readOnly, limits, expiresInDays: 90 },
    answer: { id: EXAMPLE.serviceTokenId, token: EXAMPLE.serviceToken },
    refuses: ['LIMIT_REACHED'],
  },
  'DELETE /service-tokens/:orgId/:id': {
    summary: 'Ends a service token at once, everywhere',
    params: { id: EXAMPLE.serviceTokenId },
    answer: {},
  },
};
