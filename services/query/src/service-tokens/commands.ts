/** Commands on service tokens. The callers have checked permissions. */
import {
  LIMITS,
  serviceTokenStream,
  type CreatedServiceToken,
  type CreateServiceToken,
  type ServiceTokenEntity,
} from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import { newUuid } from '../commands/new-uuid.ts';
import { run } from '../commands/run.ts';
import type { QueryContext } from '../context.ts';
import type { Actor } from '../registry/decision.ts';
import { decideServiceToken, type ServiceTokenCommand } from '../registry/service-token.ts';
import type { QuotaKind } from '../storage/quotas.ts';
import { hashOf } from '../storage/secret-tokens.ts';
import { type DeviceView, VIEWS, viewsOf } from '../views/index.ts';
import { SERVICE_TOKENS } from './token.ts';

const QUOTA: QuotaKind = {
  kind: 'service-tokens',
  limit: LIMITS.serviceTokensPerOrganization,
  refusal: `An organization has at most ${LIMITS.serviceTokensPerOrganization} service tokens: end one first.`,
  view: VIEWS.serviceTokens,
  streamOf: serviceTokenStream,
  present: (store, orgId, now) =>
    store.count(VIEWS.serviceTokens, { orgId, isEnded: false, expiresAt: { gt: now } }),
};

/** @throws ApiError LIMIT_REACHED, OVERLOADED; VALIDATION_FAILED for a device that the organisation does not have */
export async function makeServiceToken(
  context: QueryContext,
  orgId: string,
  by: Actor,
  fields: CreateServiceToken,
): Promise<CreatedServiceToken> {
  const deviceNames = await namesOfDevices(context, orgId, fields.limits?.deviceIds ?? []);
  const id = newUuid(context);
  const token = SERVICE_TOKENS.create(context.random, id);
  const make = { type: 'MAKE', id, orgId, fields, tokenHash: hashOf(token), deviceNames } as const;
  await context.quotas.add(QUOTA, orgId, id, () => command(context, orgId, by, id, make));
  return { id, token };
}

async function namesOfDevices(
  { store }: Pick<QueryContext, 'store'>,
  orgId: string,
  deviceIds: readonly string[],
): Promise<string[]> {
  const found = await viewsOf<DeviceView>(store, VIEWS.devices, deviceIds);
  return deviceIds.map((id, at) => {
    const device = found.get(id);
    if (device?.orgId === orgId && !device.deleted) return device.name;
    const message = 'is no device of this organization';
    throw new ApiError('VALIDATION_FAILED', { errors: [{ path: `/limits/deviceIds/${at}`, message }] });
  });
}

/** Ends a token: every later call with it is refused. @throws ApiError NOT_FOUND */
export async function endServiceToken(
  context: QueryContext,
  orgId: string,
  by: Actor,
  id: string,
): Promise<void> {
  await command(context, orgId, by, id, { type: 'END' });
}

/** @throws ApiError NOT_FOUND also for a token of another organisation */
async function command(
  context: QueryContext,
  orgId: string,
  by: Actor,
  id: string,
  command: ServiceTokenCommand,
): Promise<void> {
  await run<ServiceTokenEntity>(context, {
    stream: serviceTokenStream(id),
    orgId,
    by,
    decide: (entity, stamp) => decideServiceToken(command, entity, stamp),
  });
}
