/**
 * Serves an agent's configuration to a member of its organisation. Where query runs apart from ingestion, the web
 * server sends the call here when it carries a token, and to ingestion when it carries a device's key.
 */
import {
  agentConfiguration,
  AgentConfigurationSchema,
  deviceStream,
  isUuid,
  type DeviceEntity,
} from '@sentinel-node/contracts';
import {
  ApiError,
  deviceApiKey,
  loadStream,
  PURPOSES,
  purposeKey,
  type Service,
  type Shared,
} from '@sentinel-node/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { deviceParams } from '../http/params.ts';

export const CONFIGURATION_PATH = '/api/v1/devices/config/:orgId/:deviceId';

/** @param memberAuth checks that the caller is a member of the path's organisation (`QueryService`) */
export function configurationForMembers(
  { config, secrets, store }: Pick<Shared, 'config' | 'secrets' | 'store'>,
  memberAuth: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): Service {
  const key = purposeKey(secrets.masterSecret, PURPOSES.deviceApiKeys);
  return {
    name: 'configuration',
    start: async () => undefined,
    stop: async () => undefined,
    notReady: () => [],
    routes: (app) => {
      app.get<{ Params: { orgId: string; deviceId: string } }>(
        CONFIGURATION_PATH,
        {
          config: { access: 'member', deviceLimit: 'deviceId' },
          schema: { params: deviceParams, response: { 200: AgentConfigurationSchema } },
        },
        async (request, reply) => {
          await memberAuth(request, reply);
          const { orgId, deviceId } = request.params;
          const device = isUuid(deviceId)
            ? (await loadStream<DeviceEntity>(store, deviceStream(deviceId)))?.entity
            : undefined;
          if (device === undefined || device.deleted || device.orgId !== orgId)
            throw new ApiError('NOT_FOUND');
          const apiKey = deviceApiKey(key, orgId, deviceId, device.keyVersion);
          return reply
            .header('cache-control', 'no-store')
            .header('etag', `"${device.configVersion}"`)
            .send(agentConfiguration(device, apiKey, `${config.publicUrl}/api/v1`));
        },
      );
    },
  };
}
