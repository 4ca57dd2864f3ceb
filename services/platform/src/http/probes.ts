import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { blockListOf } from '../config/address-ranges.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { ApiError } from './api-error.ts';

/** Returns the names of dependencies that are not ready; empty when the service can work. */
export type NotReady = () => readonly string[] | Promise<readonly string[]>;

/** Paths that orchestrators request by address: their Host header is not checked. */
export const PROBE_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** @param metricsFrom ranges of the connections that get metrics and the names of what is not ready */
export function addProbes(
  app: FastifyInstance,
  metrics: Metrics,
  metricsFrom: readonly string[],
  notReady: NotReady,
): void {
  const isOperator = operatorCheck(metricsFrom);
  app.get('/healthz', { schema: { hide: true } as object }, () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } as object }, async (request) => {
    const failing = (await notReady()).map((path) => ({ path, message: 'is not ready' }));
    if (failing.length > 0)
      throw new ApiError('UNAVAILABLE', {
        detail: 'the service is not ready',
        errors: isOperator(request) ? failing : undefined,
      });
    return { status: 'ready' };
  });
  app.get('/metrics', { schema: { hide: true } as object }, async (request, reply) => {
    if (!isOperator(request)) throw new ApiError('NOT_FOUND');
    const text = await metrics.text();
    return reply.type(metrics.contentType).send(text);
  });
}

/**
 * Returns a check whether a call comes straight from the given ranges. The address is that of the connection: a header
 * could name any. A call with such a header was passed on by a proxy, for which anybody may have asked.
 */
function operatorCheck(ranges: readonly string[]): (request: FastifyRequest) => boolean {
  const list = blockListOf(ranges);
  return ({ socket, headers }) => {
    if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
    const [address = ''] = (socket.remoteAddress ?? '').split('%');
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}
