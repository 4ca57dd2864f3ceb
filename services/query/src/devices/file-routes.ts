import {
  DeleteFilesSchema,
  DeviceSchema,
  EmptySchema,
  FileHistorySchema,
  FileSchema,
  FilesInputSchema,
} from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import { Type } from 'typebox';
import { afterChange } from '../commands/after-change.ts';
import { actorOf } from '../http/caller.ts';
import { versionExpected, fileExpected, tagged } from '../http/entity-tags.ts';
import { deviceParams, fileParams, orgItemParams } from '../http/params.ts';
import { changeFiles, commandDevice } from './commands.ts';
import { readHistory } from './read-history.ts';
import { readDevice, readFile } from './read-devices.ts';
import type { DeviceContext } from './device-context.ts';
import { DEVICE_BODY_BYTES } from './routes.ts';

const tags = ['Files'];

export function fileRoutes(app: App, context: DeviceContext): void {
  app.get('/files/:orgId/:deviceId/:fileId', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: { tags, params: fileParams, response: { 200: FileSchema } },
    handler: async ({ params }, reply) => tagged(reply, await readFile(context, params)),
  });

  app.get('/files/history/:orgId/:deviceId/:fileId', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: { tags, params: fileParams, response: { 200: FileHistorySchema } },
    handler: async ({ params }) => readHistory(context, params),
  });

  app.put('/devices/files/:orgId/:id', {
    config: { access: 'member', deviceLimit: 'id' },
    bodyLimit: DEVICE_BODY_BYTES,
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(FilesInputSchema, Type.Object({ files: Type.Array(FileSchema) })),
      response: { 200: DeviceSchema },
    },
    handler: async (request, reply) => {
      const { orgId, id } = request.params;
      const precondition = versionExpected(request);
      await changeFiles(context, orgId, actorOf(request), id, request.body.files, precondition);
      return tagged(reply, await afterChange(() => readDevice(context, orgId, id)));
    },
  });

  app.put('/files/delete/:orgId/:deviceId', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: {
      tags,
      params: deviceParams,
      body: requestSchema(DeleteFilesSchema, DeviceSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { orgId, deviceId } = request.params;
      const command = { type: 'DELETE_FILES', ids: request.body.files } as const;
      await commandDevice(context, orgId, actorOf(request), deviceId, command, versionExpected(request));
      return {};
    },
  });

  app.delete('/files/:orgId/:deviceId/:fileId', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: {
      tags,
      params: fileParams,
      body: requestSchema(EmptySchema, FileSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { orgId, deviceId, fileId } = request.params;
      const command = { type: 'DELETE_FILES', ids: [fileId] } as const;
      const precondition = fileExpected(request, fileId);
      await commandDevice(context, orgId, actorOf(request), deviceId, command, precondition);
      return {};
    },
  });
}
