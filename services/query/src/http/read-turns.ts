import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FairTurns } from '@sentinel-node/platform';

/** Reads of the store for people. */
export const READ_LIMITS = {
  /** At once; fewer than the connections to the store, so that the projector and commands find one. */
  atOnce: 24,
  /** Of one organisation that wait. */
  waiting: 500,
  waitMs: 10_000,
} as const;

export type ReadLimits = Readonly<Record<keyof typeof READ_LIMITS, number>>;

/** The one read that is no GET, since it has a body. */
const CHAIN = '/api/v1/files/chain/';

/**
 * Lets each read wait for a turn of its organisation, so that slow searches of one do not take every connection to
 * the store. A turn lasts until the answer is made, not until it is sent.
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
    // Whoever went away while waiting is told nothing, and closes nothing any more.
    if (reply.raw.closed) release();
  });
  app.addHook('onSend', async (request) => releases.get(request)?.());
  return turns;
}

const isRead = ({ method, routeOptions: { url = '' } }: FastifyRequest): boolean =>
  method === 'GET' || url.startsWith(CHAIN);
