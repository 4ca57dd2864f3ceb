import { EventSchema, EventsQuerySchema, EventsSchema, type EventsQuery } from '@sentinel-node/contracts';
import type { App } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { scopeOfCall } from '../http/caller.ts';
import { deviceItemParams, deviceParams, fileParams, orgParams } from '../http/params.ts';
import { plainCall, type PlainCall } from '../http/plain-call.ts';
import { sendExport } from '../http/send-export.ts';
import type { Scope } from '../views/index.ts';
import { exportEvents } from './export.ts';
import { readEvent, readEvents } from './read-events.ts';

const tags = ['Events'];
const ofDevice = { access: 'member', deviceLimit: 'deviceId' } as const;
const list = { tags, querystring: EventsQuerySchema, response: { 200: EventsSchema } };

export function eventRoutes(app: App, context: QueryContext): void {
  app.get('/events/single/:orgId/:deviceId/:id', {
    config: ofDevice,
    schema: { tags, params: deviceItemParams, response: { 200: EventSchema } },
    handler: async ({ params }) => readEvent(context, params),
  });
  app.get('/events/:orgId', {
    config: { access: 'member', deviceLimit: 'answer' },
    schema: { ...list, params: orgParams },
    handler: (request, reply) =>
      answer(context, scopeOfCall(request), request.query, plainCall(request, reply)),
  });
  app.get('/events/:orgId/:deviceId', {
    config: ofDevice,
    schema: { ...list, params: deviceParams },
    handler: (request, reply) => answer(context, request.params, request.query, plainCall(request, reply)),
  });
  app.get('/events/:orgId/:deviceId/:fileId', {
    config: ofDevice,
    schema: { ...list, params: fileParams },
    handler: (request, reply) => answer(context, request.params, request.query, plainCall(request, reply)),
  });
}

async function answer(
  context: QueryContext,
  scope: Scope,
  { toExport = false, ...query }: EventsQuery,
  { request, reply }: PlainCall,
): Promise<never> {
  const answered = toExport
    ? await sendExport(context.exports, request, reply, () => exportEvents(context, scope, query))
    : await readEvents(context, scope, query);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route's type knows no export's reply
  return answered as never;
}
