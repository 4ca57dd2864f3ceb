import {
  CreatedSchema,
  EmptySchema,
  MaintenanceInputSchema,
  MaintenanceListSchema,
  MaintenanceQuerySchema,
  MaintenanceSchema,
  ReviewSchema,
} from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import type { QueryContext } from '../context.ts';
import { actorOf } from '../http/caller.ts';
import { tagged, versionExpected } from '../http/entity-tags.ts';
import { orgItemParams, orgParams } from '../http/params.ts';
import { changeWindow, commandWindow, openWindow } from './commands.ts';
import { readWindow, readWindows } from './read-maintenance.ts';

const tags = ['Maintenance'];
const one = { tags, params: orgItemParams };

export function maintenanceRoutes(app: App, context: QueryContext): void {
  reads(app, context);

  app.post('/maintenance/:orgId', {
    config: { access: 'member' },
    schema: {
      tags,
      params: orgParams,
      body: requestSchema(MaintenanceInputSchema, MaintenanceSchema),
      response: { 201: CreatedSchema },
    },
    handler: async (request, reply) => {
      const made = await openWindow(context, request.params.orgId, actorOf(request), request.body);
      return reply.code(201).send(made);
    },
  });

  app.put('/maintenance/:orgId/:id', {
    config: { access: 'member' },
    schema: {
      ...one,
      body: requestSchema(MaintenanceInputSchema, MaintenanceSchema),
      response: { 200: MaintenanceSchema },
    },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      await changeWindow(context, orgId, actorOf(request), id, request.body, versionExpected(request));
      return tagged(reply, await afterChange(() => readWindow(context, orgId, id)));
    },
  });

  app.delete('/maintenance/:orgId/:id', {
    config: { access: 'member' },
    schema: {
      ...one,
      body: requestSchema(EmptySchema, MaintenanceSchema),
      response: { 200: MaintenanceSchema },
    },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      const command = { type: 'END' } as const;
      await commandWindow(context, orgId, actorOf(request), id, command, versionExpected(request));
      return tagged(reply, await afterChange(() => readWindow(context, orgId, id)));
    },
  });

  app.put('/maintenance/review/:orgId/:id', {
    config: { access: 'member' },
    schema: {
      ...one,
      body: requestSchema(ReviewSchema, MaintenanceSchema),
      response: { 200: MaintenanceSchema },
    },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      const command = { type: 'REVIEW', note: request.body.note } as const;
      await commandWindow(context, orgId, actorOf(request), id, command, versionExpected(request));
      return tagged(reply, await afterChange(() => readWindow(context, orgId, id)));
    },
  });
}

function reads(app: App, context: QueryContext): void {
  app.get('/maintenance/:orgId', {
    config: { access: 'member' },
    schema: {
      tags,
      params: orgParams,
      querystring: MaintenanceQuerySchema,
      response: { 200: MaintenanceListSchema },
    },
    handler: ({ params, query }) => readWindows(context, params.orgId, query.toReview === true),
  });

  app.get('/maintenance/:orgId/:id', {
    config: { access: 'member' },
    schema: { ...one, response: { 200: MaintenanceSchema } },
    handler: async ({ params }, reply) => tagged(reply, await readWindow(context, params.orgId, params.id)),
  });
}
