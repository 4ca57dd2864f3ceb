import { EventSchema, EventsQuerySchema, EventsSchema, type EventsQuery } from '@sentinel-node/contracts';
import type { App } from '@sentinel-node/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { exportEvents } from '../exports/index.ts';
import { readEvent, readEvents, type Scope } from '../reads/index.ts';
import { sendExport } from './export.ts';
import { deviceParams, fileParams, orgParams } from './params.ts';
import { deviceItemParams } from './read-params.ts';
import type { ReadRoutesDeps } from './read-context.ts';

const tags = ['Events'];
const config = { access: 'member' } as const;
const list = { tags, querystring: EventsQuerySchema, response: { 200: EventsSchema } };

export function eventRoutes(app: App, deps: ReadRoutesDeps): void {
  const { reads } = deps;
  app.get('/events/single/:orgId/:deviceId/:id', {
    config,
    schema: { tags, params: deviceItemParams, response: { 200: EventSchema } },
    handler: async ({ params }) => readEvent(reads, params),
  });
  app.get('/events/:orgId', {
    config,
    schema: { ...list, params: orgParams },
    handler: (request, reply) => answer(deps, request.params, request.query, request, reply as never),
  });
  app.get('/events/:orgId/:deviceId', {
    config,
    schema: { ...list, params: deviceParams },
    handler: (request, reply) => answer(deps, request.params, request.query, request, reply as never),
  });
  app.get('/events/:orgId/:deviceId/:fileId', {
    config,
    schema: { ...list, params: fileParams },
    handler: (request, reply) => answer(deps, request.params, request.query, request, reply as never),
  });
}

async function answer(
  { reads, exports }: ReadRoutesDeps,
  scope: Scope,
  { toExport = false, ...query }: EventsQuery,
  given: unknown,
  reply: FastifyReply,
): Promise<never> {
  const request = given as FastifyRequest;
  const answered = toExport
    ? sendExport(exports, request, reply, await exportEvents(reads, scope, query))
    : await readEvents(reads, scope, query);
  // A page, or the reply that an export is being sent with: the route's type knows the page only.
  return answered as never;
}
