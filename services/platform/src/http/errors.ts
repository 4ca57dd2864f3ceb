import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.ts';
import { apiErrorOf, PROBLEM_TYPE, problemOf } from './problem.ts';

/** Sends any error as problem details; only the log gets the stack of an unexpected error. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = apiErrorOf(error);
  if (known.code === 'INTERNAL') {
    request.log.error(
      { err: error, method: request.method, route: request.routeOptions.url },
      'request failed',
    );
  }
  if (known.retryAfterSeconds !== undefined) void reply.header('retry-after', known.retryAfterSeconds);
  return (
    reply
      .headers(known.headers)
      .code(known.status)
      .header('cache-control', 'no-store')
      // A detail can repeat a person's input; `nosniff` keeps browsers from treating the detail as a page, on every
      // route.
      .header('x-content-type-options', 'nosniff')
      .type(PROBLEM_TYPE)
      .send(JSON.stringify(problemOf(known, request.id)))
  );
}

/** Answers a GET without a route, such as a page of the console; undefined: no page. */
export type Fallback = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Answers 405 with Allow when the path exists for other methods, else with the fallback's answer, else 404. */
export function addNotFound(
  app: FastifyInstance,
  methodsOf: (path: string) => readonly string[],
  fallback: () => Fallback | undefined,
): void {
  app.setNotFoundHandler(async (request, reply) => {
    const methods = methodsOf(request.url.split('?', 1)[0] ?? '');
    if (methods.length > 0) {
      void reply.header('allow', methods.join(', '));
      throw new ApiError('METHOD_NOT_ALLOWED');
    }
    const reading = request.method === 'GET' || request.method === 'HEAD';
    // Awaiting the fallback's reply (a thenable) gives undefined once the answer is sent, so `sent` decides.
    if (reading) await fallback()?.(request, reply);
    if (!reply.sent) throw new ApiError('NOT_FOUND');
    return reply;
  });
}
