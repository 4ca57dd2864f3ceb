import {
  CATEGORIES,
  CategoryIntervalsSchema,
  CreateDeviceSchema,
  CreatedSchema,
  DeleteDeviceSchema,
  DeviceListItemSchema,
  DeviceSchema,
  DevicesQuerySchema,
  DevicesSchema,
  EmptySchema,
  LIMITS,
  RotateKeySchema,
  UpdateDeviceSchema,
} from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import { Type } from 'typebox';
import { afterChange } from '../commands/after-change.ts';
import type { QueryContext } from '../context.ts';
import { actorOf, mayReadApiKeys, scopeOfCall } from '../http/caller.ts';
import { versionExpected, tagged } from '../http/entity-tags.ts';
import { orgItemParams, orgParams } from '../http/params.ts';
import { addDevice, changeDevice, commandDevice } from './commands.ts';
import type { DeviceContext } from './device-context.ts';
import { readDevice, readDevices } from './read-devices.ts';

const tags = ['Devices'];
/** Room for a device with all its files. */
export const DEVICE_BODY_BYTES = LIMITS.logRecordBytes;

/** The fields of a list's item or of one device, as read. */
const DeviceReadSchema = Type.Object({ ...DeviceListItemSchema.properties, ...DeviceSchema.properties });

export function deviceRoutes(app: App, context: DeviceContext): void {
  deviceReads(app, context);

  app.post('/devices/:orgId', {
    config: { access: 'member' },
    schema: {
      tags,
      params: orgParams,
      body: requestSchema(CreateDeviceSchema, DeviceReadSchema),
      response: { 201: CreatedSchema },
    },
    handler: async (request, reply) => {
      const created = await addDevice(context, request.params.orgId, actorOf(request), request.body);
      return reply.code(201).send(created);
    },
  });

  app.put('/devices/:orgId/:id', {
    config: { access: 'member', deviceLimit: 'id' },
    bodyLimit: DEVICE_BODY_BYTES,
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(UpdateDeviceSchema, DeviceReadSchema),
      response: { 200: DeviceSchema },
    },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      const precondition = versionExpected(request);
      await changeDevice(context, orgId, actorOf(request), id, request.body, precondition);
      return tagged(reply, await afterChange(() => readDevice(context, orgId, id)));
    },
  });

  app.put('/devices/delete/:orgId/:id', {
    config: { access: 'member', deviceLimit: 'id' },
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(DeleteDeviceSchema, DeviceReadSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { orgId, id } = request.params;
      const command = { type: 'DELETE', forced: request.body.forced } as const;
      await commandDevice(context, orgId, actorOf(request), id, command, versionExpected(request));
      return {};
    },
  });

  app.post('/devices/key/:orgId/:id', {
    config: { access: 'admin', deviceLimit: 'id' },
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(RotateKeySchema, DeviceReadSchema),
      response: { 200: DeviceSchema },
    },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      const command = { type: 'ROTATE_KEY', now: request.body.now ?? false } as const;
      await commandDevice(context, orgId, actorOf(request), id, command, versionExpected(request));
      return tagged(reply, await afterChange(() => readDevice(context, orgId, id)));
    },
  });
}

function deviceReads(app: App, context: QueryContext): void {
  const { categoryIntervalSeconds } = context.config;
  const intervals = CATEGORIES.map((type) => ({ type, interval: categoryIntervalSeconds[type] }));

  app.get('/devices/category/intervals', {
    config: { access: 'signedIn', takesServiceTokens: true },
    schema: { tags, response: { 200: CategoryIntervalsSchema } },
    handler: async () => intervals,
  });

  app.get('/devices/:orgId', {
    config: { access: 'member', deviceLimit: 'answer' },
    schema: {
      tags,
      params: orgParams,
      querystring: DevicesQuerySchema,
      response: { 200: DevicesSchema },
    },
    handler: async (request) => readDevices(context, scopeOfCall(request), request.query.label),
  });

  app.get('/devices/:orgId/:id', {
    config: { access: 'member', deviceLimit: 'id' },
    schema: { tags, params: orgItemParams, response: { 200: DeviceSchema } },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      const { body, tag } = await readDevice(context, orgId, id);
      return tagged(reply, { body: mayReadApiKeys(request) ? body : { ...body, apiKey: '' }, tag });
    },
  });
}
