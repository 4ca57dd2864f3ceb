import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';
import { ApiError } from './api-error.ts';

/** Returns the names of dependencies that are not ready; empty when the service can work. */
export type NotReady = () => readonly string[] | Promise<readonly string[]>;

/** Paths that orchestrators request by address: their Host header is not checked. */
export const PROBE_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export function addProbes(app: FastifyInstance, metrics: Metrics, notReady: NotReady): void {
  app.get('/healthz', { schema: { hide: true } as object }, () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } as object }, async () => {
    const failing = (await notReady()).map((path) => ({ path, message: 'is not ready' }));
    if (failing.length > 0) throw new ApiError('UNAVAILABLE', 'the service is not ready', failing);
    return { status: 'ready' };
  });
  app.get('/metrics', { schema: { hide: true } as object }, async (_, reply) => {
    const text = await metrics.text();
    return reply.type(metrics.contentType).send(text);
  });
}
