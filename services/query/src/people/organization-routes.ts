import {
  CreatedSchema,
  CreateOrganizationSchema,
  OrganizationSchema,
  UpdateOrganizationSchema,
} from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import type { QueryContext } from '../context.ts';
import { callerOf, memberOf } from '../http/caller.ts';
import { organizationExpected, tagged } from '../http/entity-tags.ts';
import { orgParams } from '../http/params.ts';
import { commandAsAdministrator } from './commands.ts';
import { foundOrganization } from './found-organization.ts';
import { readOrganization } from './read-people.ts';

export function organizationRoutes(app: App, context: QueryContext): void {
  app.post('/orgs', {
    config: { access: 'withoutOrganization' },
    schema: {
      tags: ['Organizations'],
      body: requestSchema(CreateOrganizationSchema, OrganizationSchema),
      response: { 201: CreatedSchema },
    },
    handler: async ({ body, caller, session }, reply) => {
      const person = { walletUserId: session!.walletUserId, userId: caller!.userId };
      return reply.code(201).send(await foundOrganization(context, person, body));
    },
  });

  app.get('/orgs/:orgId', {
    config: { access: 'member' },
    schema: { tags: ['Organizations'], params: orgParams, response: { 200: OrganizationSchema } },
    handler: async (request, reply) =>
      tagged(reply, await readOrganization(context, request.params.orgId, memberOf(request))),
  });

  app.put('/orgs/:orgId', {
    config: { access: 'admin' },
    schema: {
      tags: ['Organizations'],
      params: orgParams,
      body: requestSchema(UpdateOrganizationSchema, OrganizationSchema),
      response: { 200: OrganizationSchema },
    },
    handler: async (request, reply) => {
      const { orgId } = request.params;
      const command = { type: 'SET_STRIPE_ID', stripeId: request.body.stripeId } as const;
      const precondition = organizationExpected(request);
      await commandAsAdministrator(context, orgId, callerOf(request), command, { precondition });
      return tagged(reply, await afterChange(() => readOrganization(context, orgId, memberOf(request))));
    },
  });
}
