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
 * connection to the store. A turn ends when the answer is made, before it is sent.
 * @pool reads
 */
export function takeReadTurns(
  app: FastifyInstance,
  limits: ReadLimits = READ_LIMITS,
): Pick<FairTurns, 'used'> {
  const { atOnce: whole, waiting, waitMs } = limits;
  const turns = new FairTurns({ unit: 'reads', whole, waiting, waitMs });
  const releases = new WeakMap<FastifyRequest, () => void>();
  app.addHook('preHandler', async (request, reply) => {
    const orgId = request.caller?.orgId;
    if (typeof orgId !== 'string' || !isRead(request)) return;
    const release = await turns.take(orgId);
    releases.set(request, release);
    reply.raw.once('close', release);
    // A client that left while the read waited emits no further `close`.
    if (reply.raw.closed) release();
  });
  app.addHook('onSend', async (request) => releases.get(request)?.());
  return turns;
}

const isRead = ({ method, routeOptions: { url = '' } }: FastifyRequest): boolean =>
  method === 'GET' || url.startsWith(CHAIN);
