import {
  CreatedSchema,
  CreateExpectedSchema,
  EmptySchema,
  ExpectedListsSchema,
  ExpectedSchema,
  LIMITS,
} from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { actorOf } from '../http/caller.ts';
import { orgItemParams, orgParams } from '../http/params.ts';
import { checkScopeWithin } from './commands.ts';
import { addExpected, endExpected } from './expected-commands.ts';
import { readExpected, readExpectedLists } from './read-expected.ts';

const tags = ['Expected changes'];

export function expectedRoutes(app: App, context: QueryContext): void {
  app.get('/expected/:orgId', {
    config: { access: 'member' },
    schema: { tags, params: orgParams, response: { 200: ExpectedListsSchema } },
    handler: ({ params }) => readExpectedLists(context, params.orgId),
  });

  app.get('/expected/:orgId/:id', {
    config: { access: 'member' },
    schema: { tags, params: orgItemParams, response: { 200: ExpectedSchema } },
    handler: ({ params }) => readExpected(context, params.orgId, params.id),
  });

  app.post('/expected/:orgId', {
    config: { access: 'member', deviceLimit: 'answer' },
    bodyLimit: LIMITS.expectedBytes,
    schema: {
      tags,
      params: orgParams,
      body: requestSchema(CreateExpectedSchema, ExpectedSchema),
      response: { 201: CreatedSchema },
    },
    handler: async (request, reply) => {
      checkScopeWithin(request.within, request.body.scope);
      const made = await addExpected(context, request.params.orgId, actorOf(request), request.body);
      return reply.code(201).send(made);
    },
  });

  app.delete('/expected/:orgId/:id', {
    config: { access: 'member' },
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(EmptySchema, ExpectedSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { orgId, id } = request.params;
      await endExpected(context, orgId, actorOf(request), id);
      return {};
    },
  });
}
