/** Commands on a device and its files. The callers have checked who may give them. */
import {
  deviceStream,
  type CreateDevice,
  type DeviceEntity,
  type FileInput,
  type UpdateDevice,
} from '@sentinel-node/contracts';
import type { Actor } from '../registry/decision.ts';
import { refuse } from '../registry/decision.ts';
import { decideDevice, type DeviceCommand } from '../registry/device.ts';
import type { FileChange } from '../registry/files.ts';
import type { Precondition } from '../registry/tags.ts';
import { newUuid, type CommandContext } from './context.ts';
import { run, type Ran } from './run.ts';

/** @throws ApiError NOT_FOUND also for a device of another organisation; STALE */
export function commandDevice(
  context: CommandContext,
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
    decide: (entity, stamp) => {
      if (entity !== undefined && entity.orgId !== orgId) return refuse('NOT_FOUND');
      const isStale =
        entity?.deleted === false && precondition !== undefined && !precondition(entity, stamp.version - 1);
      return isStale ? refuse('STALE') : decideDevice(command, entity, stamp);
    },
  });
}

/** @throws ApiError LIMIT_REACHED */
export async function addDevice(
  context: CommandContext,
  orgId: string,
  by: Actor,
  fields: CreateDevice,
): Promise<{ readonly id: string }> {
  const id = newUuid(context);
  await context.seats.take(orgId, id);
  await commandDevice(context, orgId, by, id, { type: 'CREATE', id, orgId, fields });
  return { id };
}

/** @throws ApiError NOT_FOUND, VALIDATION_FAILED, LIMIT_REACHED */
export async function changeDevice(
  context: CommandContext,
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
  context: CommandContext,
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
function fileChanges(context: CommandContext, files: readonly FileInput[]): FileChange[] {
  const newIds = files.filter(({ id }) => id === undefined).map(() => newUuid(context));
  newIds.sort();
  const takeId = (): string => newIds.shift() ?? newUuid(context);
  return files.map(({ id, ...input }) =>
    id === undefined ? { id: takeId(), isNew: true, input } : { id, isNew: false, input },
  );
}
