/** Service tokens. Pure: time, id and the hash of the token come in. */
import { LIMITS } from '@sentinel-node/contracts';
import type { CreateServiceToken, ServiceTokenEntity, ServiceTokenState } from '@sentinel-node/contracts';
import { invalid, refuse, UNCHANGED, type Decision, type EventDraft, type Stamp } from './decision.ts';
import { note } from './notes.ts';

const DAY_MS = 24 * 3_600_000;

export type ServiceTokenCommand =
  | {
      readonly type: 'MAKE';
      readonly id: string;
      readonly orgId: string;
      readonly tokenHash: string;
      readonly fields: CreateServiceToken;
      /** Names of the devices of `fields.limits`, as the history shows them. */
      readonly deviceNames: readonly string[];
    }
  | { readonly type: 'END' };

export function decideServiceToken(
  command: ServiceTokenCommand,
  token: ServiceTokenEntity | undefined,
  stamp: Stamp,
): Decision<ServiceTokenEntity> {
  if (command.type === 'MAKE') return token === undefined ? make(command, stamp) : refuse('CONFLICT');
  if (token === undefined) return refuse('NOT_FOUND');
  if (token.endedAt !== null) return UNCHANGED;
  const ended = { ...token, endedAt: stamp.at };
  return changed(ended, 'END_SERVICE_TOKEN', note(stamp.by, { serviceToken: token.name }));
}

/** @param now milliseconds since the Unix epoch */
export function serviceTokenState(
  { endedAt, expiresAt }: Pick<ServiceTokenEntity, 'endedAt' | 'expiresAt'>,
  now: number,
): ServiceTokenState {
  if (endedAt !== null) return 'ENDED';
  return now >= expiresAt ? 'EXPIRED' : 'VALID';
}

function make(
  { id, orgId, tokenHash, fields, deviceNames }: Extract<ServiceTokenCommand, { type: 'MAKE' }>,
  { at, by }: Stamp,
): Decision<ServiceTokenEntity> {
  const { name, role, readOnly, limits, expiresInDays = LIMITS.serviceTokenDaysDefault } = fields;
  if (limits !== undefined && limits.deviceIds.length + limits.labels.length === 0)
    return invalid({ path: '/limits', message: 'names neither a device nor a label' });
  const expiresAt = at + expiresInDays * DAY_MS;
  const entity: ServiceTokenEntity = {
    kind: 'SERVICE_TOKEN',
    id,
    orgId,
    name,
    role,
    readOnly,
    ...(limits !== undefined && { limits }),
    tokenHash,
    expiresAt,
    creationDate: at,
    createdBy: by?.email ?? '',
    endedAt: null,
  };
  const what = {
    serviceToken: name,
    role,
    readOnly,
    ...(limits !== undefined && { devices: deviceNames, labels: limits.labels }),
    expires: new Date(expiresAt).toISOString(),
  };
  return changed(entity, 'CREATE_SERVICE_TOKEN', note(by, what));
}

function changed(
  entity: ServiceTokenEntity,
  type: EventDraft['type'],
  text: string,
): Decision<ServiceTokenEntity> {
  const event = { type, deviceId: null, fileId: null, note: text };
  return { kind: 'changed', entity, events: [event], policies: [] };
}
