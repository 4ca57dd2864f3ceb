import {
  CATEGORIES,
  CategoryIntervalsSchema,
  CreateDeviceSchema,
  CreatedSchema,
  DeleteDeviceSchema,
  DeviceListItemSchema,
  DeviceSchema,
  DevicesSchema,
  EmptySchema,
  LIMITS,
  RotateKeySchema,
  UpdateDeviceSchema,
} from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import { Type } from 'typebox';
import { addDevice, changeDevice, commandDevice } from '../commands/devices.ts';
import { readDevice, readDevices } from '../reads/index.ts';
import { actorOf } from './authenticate.ts';
import { deviceExpected, tagged } from './entity-tags.ts';
import { orgItemParams, orgParams } from './params.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['Devices'];
/** A device with all its files. */
export const DEVICE_BODY_BYTES = LIMITS.logRecordBytes;

/** What a list, or the read of one device, has. */
const DeviceReadSchema = Type.Object({ ...DeviceListItemSchema.properties, ...DeviceSchema.properties });

export function deviceRoutes(app: App, context: RouteContext): void {
  const { commands, reads } = context;
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
      const created = await addDevice(commands, request.params.orgId, actorOf(request), request.body);
      return reply.code(201).send(created);
    },
  });

  app.put('/devices/:orgId/:id', {
    config: { access: 'member' },
    bodyLimit: DEVICE_BODY_BYTES,
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(UpdateDeviceSchema, DeviceReadSchema),
      response: { 200: DeviceSchema },
    },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      const precondition = deviceExpected(request);
      await changeDevice(commands, orgId, actorOf(request), id, request.body, precondition);
      return tagged(reply, await readDevice(reads, orgId, id));
    },
  });

  app.put('/devices/delete/:orgId/:id', {
    config: { access: 'member' },
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(DeleteDeviceSchema, DeviceReadSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { orgId, id } = request.params;
      const command = { type: 'DELETE', forced: request.body.forced } as const;
      await commandDevice(commands, orgId, actorOf(request), id, command, deviceExpected(request));
      return {};
    },
  });

  app.post('/devices/key/:orgId/:id', {
    config: { access: 'admin' },
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(RotateKeySchema, DeviceReadSchema),
      response: { 200: DeviceSchema },
    },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      const command = { type: 'ROTATE_KEY', now: request.body.now ?? false } as const;
      await commandDevice(commands, orgId, actorOf(request), id, command, deviceExpected(request));
      return tagged(reply, await readDevice(reads, orgId, id));
    },
  });
}

function deviceReads(app: App, { reads, config }: RouteContext): void {
  const intervals = CATEGORIES.map((type) => ({ type, interval: config.categoryIntervalSeconds[type] }));

  app.get('/devices/category/intervals', {
    config: { access: 'signedIn' },
    schema: { tags, response: { 200: CategoryIntervalsSchema } },
    handler: async () => intervals,
  });

  app.get('/devices/:orgId', {
    config: { access: 'member' },
    schema: { tags, params: orgParams, response: { 200: DevicesSchema } },
    handler: async ({ params }) => readDevices(reads, params.orgId),
  });

  app.get('/devices/:orgId/:id', {
    config: { access: 'member' },
    schema: { tags, params: orgItemParams, response: { 200: DeviceSchema } },
    handler: async ({ params }, reply) => tagged(reply, await readDevice(reads, params.orgId, params.id)),
  });
}
