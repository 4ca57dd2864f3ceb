import { agentConfiguration, AgentConfigurationSchema } from '@sentinel-node/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConfigurationParts } from '../core.ts';
import { Refusal } from '../domain/refusal.ts';
import { answerOf } from './answers.ts';
import type { DeviceSnapshot } from '../domain/device-snapshot.ts';
import { prefers } from './preferences.ts';
import { addressOf, callingDevice, DESCRIBED_ONLY, type DeviceParams } from './device-call.ts';

type Call = FastifyRequest<{ Params: DeviceParams }>;

/** Sent by agents that know `attributes`; earlier agents refuse a configuration with unknown members. */
const ATTRIBUTES_PREFERENCE = 'attributes';

/** GET /devices/config/{orgId}/{deviceId}: the agent's configuration, for the device's key or for a member. */
export function configurationRoute(app: FastifyInstance, parts: ConfigurationParts): void {
  const schema = {
    tags: ['Agents'],
    summary: 'Reads the configuration of an agent',
    response: { 200: AgentConfigurationSchema },
  };
  app.get<{ Params: DeviceParams }>(
    '/devices/config/:orgId/:deviceId',
    { ...DESCRIBED_ONLY, schema, config: { access: 'deviceKeyOrMember', deviceLimit: 'deviceId' } },
    async (request, reply) => {
      const { entity } = await answerOf(authenticate(parts, request, reply));
      const key = parts.keys.current(entity);
      const tellsAttributes = prefers(request.headers.prefer, ATTRIBUTES_PREFERENCE);
      if (tellsAttributes) void reply.header('preference-applied', ATTRIBUTES_PREFERENCE);
      const configuration = agentConfiguration(entity, key, parts.sentinelAddress, tellsAttributes);
      return reply
        .header('cache-control', 'no-store')
        .header('etag', `"${entity.configVersion}"`)
        .send(configuration);
    },
  );
}

async function authenticate(
  parts: ConfigurationParts,
  request: Call,
  reply: FastifyReply,
): Promise<DeviceSnapshot | Refusal> {
  const { devices, memberAuth } = parts;
  const { params, headers } = request;
  const isMember = 'x-access-token' in headers || 'authorization' in headers;
  if (headers['x-api-key'] === undefined && memberAuth !== undefined && isMember) {
    await memberAuth(request, reply);
    const orgId = request.caller?.orgId ?? null;
    if (orgId !== params.orgId) return new Refusal('NOT_FOUND');
    return devices.ofOrganization(orgId, params.deviceId);
  }
  return callingDevice(parts, addressOf(request, params));
}
