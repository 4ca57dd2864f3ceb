import {
  CreatedWebhookSchema,
  CreateWebhookSchema,
  EmptySchema,
  RotatedWebhookSchema,
  SendAgainSchema,
  SentAgainSchema,
  UpdateWebhookSchema,
  WebhookDeadLettersSchema,
  WebhookDeliveriesSchema,
  WebhookSchema,
  WebhooksSchema,
  WebhookTestSchema,
} from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import { actorOf } from '../http/caller.ts';
import { tagged, versionExpected } from '../http/entity-tags.ts';
import { orgItemParams, orgParams } from '../http/params.ts';
import {
  changeWebhook,
  deleteWebhook,
  makeWebhook,
  rotateSecret,
  sendAgain,
  testWebhook,
} from './commands.ts';
import type { WebhookContext } from './index.ts';
import { readDeadLetters, readDeliveries, readWebhook, readWebhooks } from './read-webhooks.ts';

const tags = ['Webhooks'];
const config = { access: 'admin' } as const;

export function webhookRoutes(app: App, context: WebhookContext): void {
  app.get('/webhooks/:orgId', {
    config,
    schema: { tags, params: orgParams, response: { 200: WebhooksSchema } },
    handler: async ({ params }) => readWebhooks(context, params.orgId),
  });

  app.post('/webhooks/:orgId', {
    config,
    schema: {
      tags,
      params: orgParams,
      body: requestSchema(CreateWebhookSchema, WebhookSchema),
      response: { 201: CreatedWebhookSchema },
    },
    handler: async (request, reply) => {
      const made = await makeWebhook(context, request.params.orgId, actorOf(request), request.body);
      return reply.code(201).send(made);
    },
  });

  app.get('/webhooks/:orgId/:id', {
    config,
    schema: { tags, params: orgItemParams, response: { 200: WebhookSchema } },
    handler: async ({ params }, reply) => tagged(reply, await readWebhook(context, params.orgId, params.id)),
  });

  app.put('/webhooks/:orgId/:id', {
    config,
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(UpdateWebhookSchema, WebhookSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { orgId, id } = request.params;
      await changeWebhook(context, orgId, actorOf(request), id, request.body, versionExpected(request));
      return {};
    },
  });

  app.delete('/webhooks/:orgId/:id', {
    config,
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(EmptySchema, WebhookSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { orgId, id } = request.params;
      await deleteWebhook(context, orgId, actorOf(request), id, versionExpected(request));
      return {};
    },
  });

  deliveryRoutes(app, context);
}

function deliveryRoutes(app: App, context: WebhookContext): void {
  const body = requestSchema(EmptySchema, WebhookSchema);

  app.post('/webhooks/secret/:orgId/:id', {
    config,
    schema: { tags, params: orgItemParams, body, response: { 200: RotatedWebhookSchema } },
    handler: async (request) => {
      const { orgId, id } = request.params;
      return rotateSecret(context, orgId, actorOf(request), id);
    },
  });

  app.post('/webhooks/test/:orgId/:id', {
    config,
    schema: { tags, params: orgItemParams, body, response: { 202: WebhookTestSchema } },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      return reply.code(202).send(await testWebhook(context, orgId, actorOf(request), id));
    },
  });

  app.get('/webhooks/deliveries/:orgId/:id', {
    config,
    schema: { tags, params: orgItemParams, response: { 200: WebhookDeliveriesSchema } },
    handler: async ({ params }) => readDeliveries(context, params.orgId, params.id),
  });

  app.get('/webhooks/dead-letters/:orgId/:id', {
    config,
    schema: { tags, params: orgItemParams, response: { 200: WebhookDeadLettersSchema } },
    handler: async ({ params }) => readDeadLetters(context, params.orgId, params.id),
  });

  app.post('/webhooks/dead-letters/:orgId/:id', {
    config,
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(SendAgainSchema, WebhookSchema),
      response: { 202: SentAgainSchema },
    },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      const { noticeIds } = request.body;
      return reply.code(202).send(await sendAgain(context, orgId, actorOf(request), id, noticeIds));
    },
  });
}
