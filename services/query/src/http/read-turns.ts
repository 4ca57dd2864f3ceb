import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FairTurns } from '@sentinel-node/platform';

/** Limits of people's reads of the store. */
export const READ_LIMITS = {
  /** The most reads at once: half of the connections to the store. */
  atOnce: 12,
  /** The most waiting reads of one organisation. */
  waiting: 500,
  waitMs: 10_000,
} as const;

export type ReadLimits = Readonly<Record<keyof typeof READ_LIMITS, number>>;

/** The only read that is not a GET, because it has a body. */
const CHAIN = '/api/v1/files/chain/';

/**
 * Makes each read wait for a turn of its organisation, so that slow searches of one organisation do not take every
 * connection to the store. A turn ends when the answer is made, before it is sent. A client that leaves ends no turn: the
 * store works on its read all the same, so calls that are broken off at once would take every connection.
 * @pool reads
 */
export function takeReadTurns(
  app: FastifyInstance,
  limits: ReadLimits = READ_LIMITS,
): Pick<FairTurns, 'used'> {
  const { atOnce: whole, waiting, waitMs } = limits;
  const turns = new FairTurns({ unit: 'reads', whole, waiting, waitMs });
  const releases = new WeakMap<FastifyRequest, () => void>();
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = async function (request, reply) {
      const orgId = request.caller?.orgId;
      // The route for HEAD has the handler of GET, which is wrapped already.
      if (typeof orgId !== 'string' || !isRead(request) || releases.has(request))
        return handler.call(this, request, reply);
      const release = await turns.take(orgId);
      releases.set(request, release);
      try {
        if (!reply.raw.closed) return await handler.call(this, request, reply);
        // The client left while the read waited.
        reply.hijack();
      } finally {
        release();
      }
    };
  });
  app.addHook('onSend', async (request) => releases.get(request)?.());
  return turns;
}

const isRead = ({ method, routeOptions: { url = '' } }: FastifyRequest): boolean =>
  method === 'GET' || url.startsWith(CHAIN);
