import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addressKey, FairPool } from '@sentinel-node/platform';
import { BODY_LIMITS, type BodyLimits } from './body-limits.ts';

/**
 * Counts the length of each body from before it is read until its call is answered or broken off.
 * @pool json-bodies
 */
export function shareBodies(app: FastifyInstance, limits: BodyLimits = BODY_LIMITS): Pick<FairPool, 'used'> {
  const pool = new FairPool({
    unit: 'bytes of bodies',
    whole: limits.bytes,
    perMember: limits.bytesPerMember,
  });
  app.addHook('preParsing', async (request, reply) => {
    const bytes = bytesOf(request);
    // A client that left during the checks before sends no body, and emits no further `close`.
    if (bytes === 0 || reply.raw.closed) return;
    const [group, member] = shareOf(request);
    const share = pool.hold(group, member);
    reply.raw.once('close', () => share.release());
    share.take(bytes);
  });
  return pool;
}

/** Returns the announced length, else the most that the route reads. A longer body is refused before it is read. */
function bytesOf({ headers, routeOptions }: FastifyRequest): number {
  const most = routeOptions.bodyLimit ?? 0;
  const announced = headers['content-length'];
  if (announced !== undefined) return Math.min(Number(announced), most);
  return headers['transfer-encoding'] === undefined ? 0 : most;
}

function shareOf({ caller, ip }: FastifyRequest): readonly [group: string, member: string] {
  if (caller === null) return [`address ${addressKey(ip)}`, `address ${addressKey(ip)}`];
  const member = `user ${caller.userId}`;
  return [caller.orgId ?? member, member];
}
