import type { Operations } from '../openapi/operation.ts';

export const selfTestOperations: Operations = {
  'GET /test': { summary: 'Whether the service answers', answer: { status: 'ok' } },
  'POST /testDB': {
    summary: 'Writes, reads and removes a document of the store',
    answer: { status: 'ok' },
  },
};
