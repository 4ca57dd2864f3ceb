import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  EmptySchema,
  LIMITS,
  NotificationRuleFieldsSchema,
  NotificationRuleSchema,
  NotificationRulesSchema,
  NotificationSettingSchema,
  UnsubscribeSchema,
} from '@sentinel-node/contracts';
import { ApiError, plainInstance, requestSchema, type App } from '@sentinel-node/platform';
import { actorOf, callerOf, memberOf } from '../http/caller.ts';
import { expectedOf, ruleExpected, tagged } from '../http/entity-tags.ts';
import { orgItemParams, orgParams } from '../http/params.ts';
import type { Actor } from '../registry/decision.ts';
import { readUndelivered } from '../mail/undelivered.ts';
import { perAddress, perUser } from '../http/rate-limits.ts';
import { changeOwnSetting, changeRule, deleteRule, makeRule, sendTest, unsubscribe } from './commands.ts';
import type { NotificationContext } from './index.ts';
import { readRule, readRulesWithGaps } from './rules.ts';
import { readOwnSetting, userRecipient } from './settings.ts';

const tags = ['Notifications'];
const FORM = 'application/x-www-form-urlencoded';
/** The only field of the form (RFC 8058 section 3.2). */
const MULTIPART = /name="List-Unsubscribe"\s+One-Click\s/;
const unsubscribeParams = Type.Object({ token: Type.String({ maxLength: LIMITS.pathCharacters }) });

export async function notificationRoutes(app: App, context: NotificationContext): Promise<void> {
  ruleRoutes(app, context);
  ownRoutes(app, context);
  // Only the routes of this scope accept a form.
  await app.register(async (scope) => unsubscribeRoute(scope, context));
}

function ruleRoutes(app: App, context: NotificationContext): void {
  app.get('/notifications/rules/:orgId', {
    config: { access: 'admin' },
    schema: { tags, params: orgParams, response: { 200: NotificationRulesSchema } },
    handler: async ({ params: { orgId } }) => {
      const [rules, undelivered] = await Promise.all([
        readRulesWithGaps(context.store, orgId),
        readUndelivered(context.store, orgId, context.clock.now()),
      ]);
      return { rules, ...undelivered };
    },
  });

  const body = requestSchema(NotificationRuleFieldsSchema, NotificationRuleSchema);
  app.post('/notifications/rules/:orgId', {
    config: { access: 'admin' },
    schema: { tags, params: orgParams, body, response: { 201: NotificationRuleSchema } },
    handler: async (request, reply) => {
      const { params, body: fields } = request;
      return reply.code(201).send(await makeRule(context, params.orgId, actorOf(request), fields));
    },
  });

  app.get('/notifications/rules/:orgId/:id', {
    config: { access: 'admin' },
    schema: { tags, params: orgItemParams, response: { 200: NotificationRuleSchema } },
    handler: async ({ params }, reply) => tagged(reply, await readRule(context.store, params)),
  });

  app.put('/notifications/rules/:orgId/:id', {
    config: { access: 'admin' },
    schema: { tags, params: orgItemParams, body, response: { 200: NotificationRuleSchema } },
    handler: async (request, reply) => {
      const { params, body: fields } = request;
      const precondition = ruleExpected(request, params);
      return tagged(reply, await changeRule(context, params, actorOf(request), fields, precondition));
    },
  });

  app.delete('/notifications/rules/:orgId/:id', {
    config: { access: 'admin' },
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(EmptySchema, NotificationRuleSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { params } = request;
      await deleteRule(context, params, actorOf(request), ruleExpected(request, params));
      return {};
    },
  });
}

function ownRoutes(app: App, context: NotificationContext): void {
  const { store, config } = context;
  app.get('/notifications/own/:orgId', {
    config: { access: 'member' },
    schema: { tags, params: orgParams, response: { 200: NotificationSettingSchema } },
    handler: async (request, reply) => {
      const recipient = userRecipient(request.params.orgId, memberOf(request).userId);
      return tagged(reply, await readOwnSetting(store, recipient));
    },
  });

  app.put('/notifications/own/:orgId', {
    config: { access: 'member' },
    schema: {
      tags,
      params: orgParams,
      body: NotificationSettingSchema,
      response: { 200: NotificationSettingSchema },
    },
    handler: async (request, reply) => {
      const { params, body } = request;
      const person = personOf(request);
      return tagged(reply, await changeOwnSetting(context, params.orgId, person, body, expectedOf(request)));
    },
  });

  app.post('/notifications/test/:orgId', {
    config: { access: 'member', rateLimit: perUser(config.limits.resendPerMinute) },
    schema: { tags, params: orgParams, body: EmptySchema, response: { 200: EmptySchema } },
    handler: async (request) => {
      const person = personOf(request);
      await sendTest(context, request.params.orgId, person);
      return {};
    },
  });
}

/** Takes the POST that mail programs send without a session, as a form, from any address (RFC 8058). */
async function unsubscribeRoute(app: App, context: NotificationContext): Promise<void> {
  const plain = plainInstance(app);
  plain.removeAllContentTypeParsers();
  plain.addContentTypeParser<string>(FORM, { parseAs: 'string' }, async (_: FastifyRequest, text: string) =>
    Object.fromEntries(new URLSearchParams(text)),
  );
  plain.addContentTypeParser<string>(
    'multipart/form-data',
    { parseAs: 'string' },
    async (_: FastifyRequest, text: string) =>
      MULTIPART.test(text) ? { 'List-Unsubscribe': 'One-Click' } : {},
  );
  app.post('/notifications/unsubscribe/:token', {
    config: { access: 'public', rateLimit: perAddress(context.config.limits.confirmPerMinute) },
    schema: {
      tags,
      consumes: [FORM],
      params: unsubscribeParams,
      body: UnsubscribeSchema,
      response: { 200: EmptySchema },
    },
    handler: async ({ params }) => {
      await unsubscribe(context, context.unsubscribing, params.token);
      return {};
    },
  });
}

/** Returns the person who calls. @throws ApiError FORBIDDEN for a service token */
function personOf(request: FastifyRequest): Actor {
  const caller = callerOf(request);
  if (caller.serviceToken !== undefined)
    throw new ApiError('FORBIDDEN', { detail: 'A service token gets no mails.' });
  return caller;
}
