import {
  CreatedServiceTokenSchema,
  CreateServiceTokenSchema,
  EmptySchema,
  ServiceTokenSchema,
  ServiceTokensSchema,
} from '@sentinel-node/contracts';
import { ApiError, requestSchema, type App } from '@sentinel-node/platform';
import { actorOf } from '../http/caller.ts';
import { orgItemParams, orgParams } from '../http/params.ts';
import { endServiceToken, makeServiceToken } from './commands.ts';
import { readServiceTokens } from './read-service-tokens.ts';
import type { ServiceTokenContext } from './index.ts';

const tags = ['Service tokens'];

export function serviceTokenRoutes(app: App, context: ServiceTokenContext): void {
  app.get('/service-tokens/:orgId', {
    config: { access: 'admin' },
    schema: { tags, params: orgParams, response: { 200: ServiceTokensSchema } },
    handler: async ({ params }) => readServiceTokens(context, context.tokenUses, params.orgId),
  });

  app.post('/service-tokens/:orgId', {
    config: { access: 'admin' },
    schema: {
      tags,
      params: orgParams,
      body: requestSchema(CreateServiceTokenSchema, ServiceTokenSchema),
      response: { 201: CreatedServiceTokenSchema },
    },
    handler: async (request, reply) => {
      // A token that could make another token could extend its own life for ever.
      if (request.caller?.serviceToken !== undefined)
        throw new ApiError('FORBIDDEN', { detail: 'A service token cannot make service tokens.' });
      const { params, body } = request;
      return reply.code(201).send(await makeServiceToken(context, params.orgId, actorOf(request), body));
    },
  });

  app.delete('/service-tokens/:orgId/:id', {
    config: { access: 'admin' },
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(EmptySchema, ServiceTokenSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { orgId, id } = request.params;
      await endServiceToken(context, orgId, actorOf(request), id);
      return {};
    },
  });
}
