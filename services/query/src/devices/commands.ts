/** Commands on a device and its files. The callers check permissions first. */
import {
  deviceStream,
  omit,
  type CreateDevice,
  type DeviceEntity,
  type DeviceTemplate,
  type FileInput,
  type UpdateDevice,
} from '@sentinel-node/contracts';
import { newUuid } from '../commands/new-uuid.ts';
import { refusal, run, type Ran } from '../commands/run.ts';
import { invalid, UNCHANGED, type Actor, type FieldProblem, type Stamp } from '../registry/decision.ts';
import { decideDevice, newDevice, type DeviceCommand, type UsedEnrolment } from '../registry/device.ts';
import { templateFiles, templateProblem } from '../registry/enrolment.ts';
import type { FileChange } from '../registry/files.ts';
import { newRegexps, notRe2, regexpProblem } from '../registry/regexps.ts';
import type { Precondition } from '../registry/tags.ts';
import type { DeviceContext } from './device-context.ts';

/** @throws ApiError NOT_FOUND, also for a device of another organisation; STALE */
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
      if (entity !== undefined && 'files' in command) await checkRegexps(context, entity, command.files);
    },
    precondition,
    decide: (entity, stamp) => decideDevice(command, entity, stamp),
  });
}

/** @param base path of the files in the request. @throws ApiError VALIDATION_FAILED, RATE_LIMITED, OVERLOADED */
async function checkRegexps(
  { regexps }: DeviceContext,
  device: DeviceEntity,
  changes: readonly FileChange[],
  base = '',
): Promise<void> {
  const fresh = newRegexps(device, changes);
  const refused = ({ path, message }: FieldProblem) => refusal(invalid({ path: base + path, message }));
  const problem = regexpProblem(fresh);
  if (problem !== undefined) throw refused(problem);
  for (const [pattern, index] of fresh)
    if (!(await regexps.isRe2(device.orgId, pattern))) throw refused(notRe2(index));
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

/** A device that an agent makes for itself, with its files. */
export interface EnrolledDevice {
  readonly id: string;
  readonly orgId: string;
  readonly fields: CreateDevice;
  readonly files: readonly FileChange[];
  readonly enrolment: UsedEnrolment;
}

/** Returns the existing device when there is one already. @throws ApiError LIMIT_REACHED */
export async function addEnrolledDevice(
  context: DeviceContext,
  { id, orgId, ...device }: EnrolledDevice,
): Promise<DeviceEntity> {
  const ran = await run<DeviceEntity>(context, {
    stream: deviceStream(id),
    orgId,
    by: null,
    decide: (entity, stamp) =>
      entity === undefined
        ? decideDevice({ type: 'CREATE', id, orgId, ...device }, undefined, stamp)
        : UNCHANGED,
  });
  return ran.entity;
}

/**
 * Checks the files of a template at `/template` of a request. @throws ApiError VALIDATION_FAILED, RATE_LIMITED,
 * OVERLOADED
 */
export async function checkTemplate(
  context: DeviceContext,
  orgId: string,
  template: DeviceTemplate,
  stamp: Stamp,
): Promise<void> {
  const fields = { ...omit(template, 'files'), name: 'template', monitoring: true };
  const device = newDevice(newUuid(context), orgId, fields, stamp);
  const files = templateFiles(template.files, () => newUuid(context));
  const problem = templateProblem(device, files, stamp);
  if (problem !== undefined) throw refusal(problem);
  await checkRegexps(context, device, files, '/template');
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

/** Sorts the new ids, because files are listed by id and should keep the request's order. */
function fileChanges(context: DeviceContext, files: readonly FileInput[]): FileChange[] {
  const newIds = files.filter(({ id }) => id === undefined).map(() => newUuid(context));
  newIds.sort();
  const takeId = (): string => newIds.shift() ?? newUuid(context);
  return files.map(({ id, ...input }) =>
    id === undefined ? { id: takeId(), isNew: true, input } : { id, isNew: false, input },
  );
}
