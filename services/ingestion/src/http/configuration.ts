import { agentConfiguration, AgentConfigurationSchema } from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Core } from '../core.ts';
import type { DeviceSnapshot } from '../domain/device-snapshot.ts';
import { addressOf, DESCRIBED_ONLY, pass, type DeviceParams } from './device-call.ts';

type Call = FastifyRequest<{ Params: DeviceParams }>;

/** GET /devices/config/{orgId}/{deviceId}: what the agent of a device runs by, for its key or for a member. */
export function configurationRoute(app: FastifyInstance, core: Core): void {
  const schema = {
    tags: ['Agents'],
    summary: 'Reads the configuration of an agent',
    response: { 200: AgentConfigurationSchema },
  };
  app.get<{ Params: DeviceParams }>(
    '/devices/config/:orgId/:deviceId',
    { ...DESCRIBED_ONLY, schema, config: { access: 'deviceKeyOrMember' } },
    async (request, reply) => {
      const { entity } = await authenticate(core, request, reply);
      const configuration = agentConfiguration(entity, core.keys.current(entity), core.sentinelAddress);
      return reply
        .header('cache-control', 'no-store')
        .header('etag', `"${entity.configVersion}"`)
        .send(configuration);
    },
  );
}

async function authenticate(core: Core, request: Call, reply: FastifyReply): Promise<DeviceSnapshot> {
  const { params, headers } = request;
  const { memberAuth } = core.deps;
  if (headers['x-api-key'] === undefined && memberAuth !== undefined && 'x-access-token' in headers) {
    await memberAuth(request, reply);
    const orgId = request.caller?.orgId ?? null;
    if (orgId !== params.orgId) throw new ApiError('NOT_FOUND');
    return core.devices.ofOrganization(orgId, params.deviceId);
  }
  const device = await core.devices.fresh(addressOf(request, params));
  pass(core.callRate, device.entity.id);
  return device;
}
