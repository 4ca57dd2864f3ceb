/** Commands on a device and its files. The callers have checked who may give them. */
import {
  deviceStream,
  type CreateDevice,
  type DeviceEntity,
  type FileInput,
  type UpdateDevice,
} from '@sentinel-node/contracts';
import { newUuid } from '../commands/new-uuid.ts';
import { refusal, run, type Ran } from '../commands/run.ts';
import { invalid, refuse, type Actor } from '../registry/decision.ts';
import { decideDevice, type DeviceCommand } from '../registry/device.ts';
import type { FileChange } from '../registry/files.ts';
import { newRegexps, notRe2, regexpProblem } from '../registry/regexps.ts';
import type { Precondition } from '../registry/tags.ts';
import type { DeviceContext } from './device-context.ts';

/** @throws ApiError NOT_FOUND also for a device of another organisation; STALE */
export function commandDevice(
  context: DeviceContext,
  orgId: string,
  by: Actor,
  deviceId: string,
  command: DeviceCommand,
  precondition?: Precondition<DeviceEntity>,
): Promise<Ran<DeviceEntity>> {
  return run<DeviceEntity>(context, {
    stream: deviceStream(deviceId),
    orgId,
    by,
    check: async (entity) => {
      if (entity?.orgId === orgId && 'files' in command) await checkRegexps(context, entity, command.files);
    },
    decide: (entity, stamp) => {
      if (entity !== undefined && entity.orgId !== orgId) return refuse('NOT_FOUND');
      const isStale =
        entity?.deleted === false && precondition !== undefined && !precondition(entity, stamp.version - 1);
      return isStale ? refuse('STALE') : decideDevice(command, entity, stamp);
    },
  });
}

/** @throws ApiError VALIDATION_FAILED, RATE_LIMITED, OVERLOADED */
async function checkRegexps(
  { regexps }: DeviceContext,
  device: DeviceEntity,
  changes: readonly FileChange[],
): Promise<void> {
  const fresh = newRegexps(device, changes);
  const problem = regexpProblem(fresh);
  if (problem !== undefined) throw refusal(invalid(problem));
  for (const [pattern, index] of fresh)
    if (!(await regexps.isRe2(device.orgId, pattern))) throw refusal(invalid(notRe2(index)));
}

/** @throws ApiError LIMIT_REACHED */
export async function addDevice(
  context: DeviceContext,
  orgId: string,
  by: Actor,
  fields: CreateDevice,
): Promise<{ readonly id: string }> {
  const id = newUuid(context);
  await context.quota.take(orgId, id);
  await commandDevice(context, orgId, by, id, { type: 'CREATE', id, orgId, fields });
  return { id };
}

/** @throws ApiError NOT_FOUND, VALIDATION_FAILED, LIMIT_REACHED */
export async function changeDevice(
  context: DeviceContext,
  orgId: string,
  by: Actor,
  deviceId: string,
  { files = [], updateDeviceData = true, ...fields }: UpdateDevice,
  precondition?: Precondition<DeviceEntity>,
): Promise<Ran<DeviceEntity>> {
  const changes = fileChanges(context, files);
  const command: DeviceCommand = updateDeviceData
    ? { type: 'UPDATE', fields, files: changes }
    : { type: 'CHANGE_FILES', files: changes };
  return commandDevice(context, orgId, by, deviceId, command, precondition);
}

export function changeFiles(
  context: DeviceContext,
  orgId: string,
  by: Actor,
  deviceId: string,
  files: readonly FileInput[],
  precondition?: Precondition<DeviceEntity>,
): Promise<Ran<DeviceEntity>> {
  const command = { type: 'CHANGE_FILES', files: fileChanges(context, files) } as const;
  return commandDevice(context, orgId, by, deviceId, command, precondition);
}

/** Files are listed by id: those of one request keep its order. */
function fileChanges(context: DeviceContext, files: readonly FileInput[]): FileChange[] {
  const newIds = files.filter(({ id }) => id === undefined).map(() => newUuid(context));
  newIds.sort();
  const takeId = (): string => newIds.shift() ?? newUuid(context);
  return files.map(({ id, ...input }) =>
    id === undefined ? { id: takeId(), isNew: true, input } : { id, isNew: false, input },
  );
}
