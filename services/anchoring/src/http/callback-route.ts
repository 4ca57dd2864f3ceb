import { ApiError, constantTimeEqual } from '@sentinel-node/platform';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ANCHORING_LIMITS } from '../limits.ts';

export const CALLBACK_PATH = '/ledger/callback';

export interface CallbackDeps {
  /** Token that the ledger's service received as X-CallbackToken. */
  readonly token: string;
  readonly onReport: (txid: string) => void;
}

/** Open schema that reads only the id: a forged or repeated report only makes this service ask the ledger. */
const ReportSchema = Type.Object({ txid: Type.String({ pattern: '^[0-9a-f]{64}$' }) });

/** `POST /ledger/callback`: an ARC service reports that a transaction has changed. 204; 401 without its token. */
export function callbackRoute(app: FastifyInstance, { token, onReport }: CallbackDeps): void {
  const expected = `Bearer ${token}`;
  app.post<{ Body: { txid: string } }>(
    CALLBACK_PATH,
    {
      bodyLimit: ANCHORING_LIMITS.callbackBytes,
      config: { access: 'public' },
      schema: { body: ReportSchema },
      onRequest: (request, _, done) => {
        const isTold = constantTimeEqual(request.headers.authorization ?? '', expected);
        done(isTold ? undefined : new ApiError('INVALID_CREDENTIALS'));
      },
    },
    async ({ body }, reply) => {
      onReport(body.txid);
      return reply.code(204).send();
    },
  );
}
