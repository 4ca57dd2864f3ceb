import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
const CLASSES = ['2xx', '3xx', '4xx', '5xx'];
/** The most route patterns with their own labels. */
const MAX_ROUTES = 200;
/** Bounds of the histogram, in seconds. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures the duration of every answer by route pattern, never by URL. */
export function addRequestMetrics(app: FastifyInstance, metrics: Metrics): void {
  const observe = metrics.histogram<'method' | 'route' | 'status'>({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labels: { method: METHODS, route: MAX_ROUTES, status: CLASSES },
    buckets: BUCKETS,
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const status = `${Math.floor(reply.statusCode / 100)}xx`;
    observe({ method: request.method, route, status }, reply.elapsedTime / 1_000);
    done();
  });
}
