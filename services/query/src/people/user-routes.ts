import { Type } from 'typebox';
import {
  CreatedSchema,
  CreateUserSchema,
  EmptySchema,
  UpdateUserSchema,
  UserSchema,
  UsersSchema,
} from '@sentinel-node/contracts';
import { ApiError, requestSchema, type App } from '@sentinel-node/platform';
import { afterChange } from '../commands/after-change.ts';
import type { QueryContext } from '../context.ts';
import { callerOf, memberOf } from '../http/caller.ts';
import { tagged, userExpected } from '../http/entity-tags.ts';
import { activationParams, deviceParams, orgItemParams, orgParams } from '../http/params.ts';
import { perAddress, perUser } from '../http/rate-limits.ts';
import { addUser, changeUser, confirmActivation, removeUser, resendActivation } from './commands.ts';
import { readDeviceUsers, readUser, readUsers } from './read-people.ts';

const tags = ['Users'];
/** A deletion or resend has an empty body, or the user as read. */
const NoBodySchema = requestSchema(EmptySchema, UserSchema);
const DeviceUsersSchema = Type.Object({
  users: Type.Array(Type.Pick(UserSchema, ['id', 'name', 'emailAddress'])),
});

export function userRoutes(app: App, context: QueryContext): void {
  const { limits } = context.config;
  userReads(app, context);

  app.post('/users/:orgId', {
    config: { access: 'admin' },
    schema: {
      tags,
      params: orgParams,
      body: requestSchema(CreateUserSchema, UserSchema),
      response: { 201: CreatedSchema },
    },
    handler: async (request, reply) => {
      const { body, params } = request;
      if (body.orgId !== params.orgId) {
        const message = 'must be the organization of the path';
        throw new ApiError('VALIDATION_FAILED', { errors: [{ path: '/orgId', message }] });
      }
      return reply.code(201).send(await addUser(context, params.orgId, callerOf(request), body));
    },
  });

  app.put('/users/:orgId/:id', {
    config: { access: 'admin' },
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(UpdateUserSchema, UserSchema),
      response: { 200: UserSchema },
    },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      const viewer = callerOf(request);
      await changeUser(context, orgId, viewer, id, request.body, userExpected(request, id));
      return tagged(reply, await afterChange(() => readUser(context, orgId, id, viewer)));
    },
  });

  app.delete('/users/:orgId/:id', {
    config: { access: 'admin' },
    schema: { tags, params: orgItemParams, body: NoBodySchema, response: { 200: EmptySchema } },
    handler: async (request) => {
      const { orgId, id } = request.params;
      await removeUser(context, orgId, callerOf(request), id, userExpected(request, id));
      return {};
    },
  });

  app.post('/users/resend/activationlink/:orgId/:id', {
    config: { access: 'admin', rateLimit: perUser(limits.resendPerMinute) },
    schema: { tags, params: orgItemParams, body: NoBodySchema, response: { 200: EmptySchema } },
    handler: async (request) => {
      await resendActivation(context, request.params.orgId, callerOf(request), request.params.id);
      return {};
    },
  });

  app.put('/users/confirm/link/:activateId', {
    config: { access: 'public', rateLimit: perAddress(limits.confirmPerMinute) },
    schema: { tags, params: activationParams, body: EmptySchema, response: { 200: Type.Literal('OK') } },
    handler: async ({ params }, reply) => {
      await confirmActivation(context, params.activateId);
      return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send('OK');
    },
  });
}

function userReads(app: App, context: QueryContext): void {
  app.get('/users/:orgId', {
    config: { access: 'member' },
    schema: { tags, params: orgParams, response: { 200: UsersSchema } },
    handler: async (request) => readUsers(context, request.params.orgId, memberOf(request)),
  });

  app.get('/users/:orgId/:id', {
    config: { access: 'member' },
    schema: { tags, params: orgItemParams, response: { 200: UserSchema } },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      return tagged(reply, await readUser(context, orgId, id, memberOf(request)));
    },
  });

  app.get('/users/:orgId/device/:deviceId', {
    config: { access: 'member' },
    schema: { tags, params: deviceParams, response: { 200: DeviceUsersSchema } },
    handler: async ({ params }) => {
      const { users } = await readDeviceUsers(context, params.orgId, params.deviceId);
      return { users: [...users] };
    },
  });
}
