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
import {
  addUser,
  changeUser,
  confirmActivation,
  removeUser,
  resendActivation,
} from '../commands/organizations.ts';
import { readDeviceUsers, readUser, readUsers } from '../reads/index.ts';
import { actorOf, memberOf } from './authenticate.ts';
import { tagged, userExpected } from './entity-tags.ts';
import { activationParams, deviceParams, orgItemParams, orgParams } from './params.ts';
import { perAddress, perUser } from './rate-limits.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['Users'];
/** A deletion or a resend carries nothing, or the user as read. */
const NoBodySchema = requestSchema(EmptySchema, UserSchema);
const DeviceUsersSchema = Type.Object({
  users: Type.Array(Type.Pick(UserSchema, ['id', 'name', 'emailAddress'])),
});

export function userRoutes(app: App, context: RouteContext): void {
  const { commands, config } = context;
  const { limits } = config;
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
        const message = 'must be the organisation of the path';
        throw new ApiError('VALIDATION_FAILED', undefined, [{ path: '/orgId', message }]);
      }
      return reply.code(201).send(await addUser(commands, params.orgId, actorOf(request), body));
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
      const viewer = memberOf(request);
      await changeUser(commands, orgId, actorOf(request), id, request.body, userExpected(request, id));
      return tagged(reply, await readUser(context.reads, orgId, id, viewer));
    },
  });

  app.delete('/users/:orgId/:id', {
    config: { access: 'admin' },
    schema: { tags, params: orgItemParams, body: NoBodySchema, response: { 200: EmptySchema } },
    handler: async (request) => {
      const { orgId, id } = request.params;
      await removeUser(commands, orgId, actorOf(request), id, userExpected(request, id));
      return {};
    },
  });

  app.post('/users/resend/activationlink/:orgId/:id', {
    config: { access: 'admin', rateLimit: perUser(limits.resendPerMinute) },
    schema: { tags, params: orgItemParams, body: NoBodySchema, response: { 200: EmptySchema } },
    handler: async (request) => {
      await resendActivation(commands, request.params.orgId, actorOf(request), request.params.id);
      return {};
    },
  });

  app.put('/users/confirm/link/:activateId', {
    config: { access: 'public', rateLimit: perAddress(limits.confirmPerMinute) },
    schema: { tags, params: activationParams, body: EmptySchema, response: { 200: Type.Literal('OK') } },
    handler: async ({ params }, reply) => {
      await confirmActivation(commands, params.activateId);
      return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send('OK');
    },
  });
}

function userReads(app: App, { reads }: RouteContext): void {
  app.get('/users/:orgId', {
    config: { access: 'member' },
    schema: { tags, params: orgParams, response: { 200: UsersSchema } },
    handler: async (request) => readUsers(reads, request.params.orgId, memberOf(request)),
  });

  app.get('/users/:orgId/:id', {
    config: { access: 'member' },
    schema: { tags, params: orgItemParams, response: { 200: UserSchema } },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      return tagged(reply, await readUser(reads, orgId, id, memberOf(request)));
    },
  });

  app.get('/users/:orgId/device/:deviceId', {
    config: { access: 'member' },
    schema: { tags, params: deviceParams, response: { 200: DeviceUsersSchema } },
    handler: async ({ params }) => {
      const { users } = await readDeviceUsers(reads, params.orgId, params.deviceId);
      return { users: [...users] };
    },
  });
}
