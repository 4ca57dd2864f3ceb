import {
  CreatedSchema,
  CreateOrganizationSchema,
  OrganizationSchema,
  UpdateOrganizationSchema,
} from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import { foundOrganization } from '../commands/found-organization.ts';
import { commandOrganization } from '../commands/organizations.ts';
import { readOrganization } from '../reads/index.ts';
import { actorOf, memberOf } from './authenticate.ts';
import { organizationExpected, tagged } from './entity-tags.ts';
import { orgParams } from './params.ts';
import type { RouteContext } from './route-context.ts';

export function organizationRoutes(app: App, { commands, reads }: RouteContext): void {
  app.post('/orgs', {
    config: { access: 'withoutOrganization' },
    schema: {
      tags: ['Organisations'],
      body: requestSchema(CreateOrganizationSchema, OrganizationSchema),
      response: { 201: CreatedSchema },
    },
    handler: async ({ body, caller, session }, reply) => {
      const person = { walletUserId: session!.walletUserId, userId: caller!.userId };
      return reply.code(201).send(await foundOrganization(commands, person, body));
    },
  });

  app.get('/orgs/:orgId', {
    config: { access: 'member' },
    schema: { tags: ['Organisations'], params: orgParams, response: { 200: OrganizationSchema } },
    handler: async (request, reply) =>
      tagged(reply, await readOrganization(reads, request.params.orgId, memberOf(request))),
  });

  app.put('/orgs/:orgId', {
    config: { access: 'admin' },
    schema: {
      tags: ['Organisations'],
      params: orgParams,
      body: requestSchema(UpdateOrganizationSchema, OrganizationSchema),
      response: { 200: OrganizationSchema },
    },
    handler: async (request, reply) => {
      const { orgId } = request.params;
      const command = { type: 'SET_STRIPE_ID', stripeId: request.body.stripeId } as const;
      await commandOrganization(commands, orgId, actorOf(request), command, organizationExpected(request));
      return tagged(reply, await readOrganization(reads, orgId, memberOf(request)));
    },
  });
}
