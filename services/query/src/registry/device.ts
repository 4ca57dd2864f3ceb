/**
 * Devices and their files (sections 3 and 4 and decision 10 of the specification). Pure: time, ids and versions
 * come in.
 */
import {
  lastingKeys,
  type CreateDevice,
  type DeviceEntity,
  type UpdateDevice,
} from '@sentinel-node/contracts';
import { refuse, UNCHANGED, type Decision, type EventDraft, type Stamp } from './decision.ts';
import { applyFiles, type FileChange } from './files.ts';
import { labelProblem, labelsOf } from './labels.ts';
import { note, plainNote } from './notes.ts';
import { updateDevice } from './device-update.ts';
import { changed } from './policies.ts';
import { tooManyReplaced } from './replaced-keys.ts';

/** How long the previous key stays valid after a rotation, in milliseconds. */
export const PREVIOUS_KEY_MS = 24 * 3_600_000;
/** Start of the event's note. */
export const KEY_REPLACED = 'API key replaced';

/** The enrolment token that an agent has used to make its device. */
export interface UsedEnrolment {
  readonly name: string;
  /** Host name that the agent gave. */
  readonly host: string;
}

export type DeviceCommand =
  | {
      readonly type: 'CREATE';
      readonly id: string;
      readonly orgId: string;
      readonly fields: CreateDevice;
      readonly files?: readonly FileChange[];
      readonly enrolment?: UsedEnrolment;
    }
  | {
      readonly type: 'UPDATE';
      readonly fields: Omit<UpdateDevice, 'files' | 'updateDeviceData'>;
      readonly files: readonly FileChange[];
    }
  | { readonly type: 'CHANGE_FILES'; readonly files: readonly FileChange[] }
  | { readonly type: 'DELETE'; readonly forced: boolean }
  | { readonly type: 'DELETE_FILES'; readonly ids: readonly string[] }
  | { readonly type: 'ROTATE_KEY'; readonly now: boolean };

export function decideDevice(
  command: DeviceCommand,
  device: DeviceEntity | undefined,
  stamp: Stamp,
): Decision<DeviceEntity> {
  if (command.type === 'CREATE') return device === undefined ? create(command, stamp) : refuse('CONFLICT');
  if (device === undefined || device.deleted) return refuse('NOT_FOUND');
  const present: DeviceEntity = { ...device, removedFiles: [] };
  switch (command.type) {
    case 'UPDATE':
      return updateDevice(present, command.fields, command.files, stamp);
    case 'CHANGE_FILES':
      return changeFiles(present, command.files, stamp);
    case 'DELETE':
      return remove(present, command.forced, stamp);
    case 'DELETE_FILES':
      return removeFiles(present, command.ids, stamp);
    case 'ROTATE_KEY':
      return rotateKey(present, command.now, stamp);
  }
}

function create(
  { id, orgId, fields, files = [], enrolment }: Extract<DeviceCommand, { type: 'CREATE' }>,
  stamp: Stamp,
): Decision<DeviceEntity> {
  const { name, path } = fields;
  const twice = labelProblem(fields);
  if (twice !== undefined) return twice;
  const entity = newDevice(id, orgId, fields, stamp);
  const applied = applyFiles(entity, path, files, stamp);
  if ('kind' in applied) return applied;
  const subject = { deviceId: id, fileId: null };
  const events: EventDraft[] = [
    { type: 'CREATE_DEVICE', ...subject, note: note(stamp.by, { name, path }) },
    ...applied.events,
  ];
  if (enrolment !== undefined) {
    const what = { enrolment: enrolment.name, host: enrolment.host };
    events.push({ type: 'ENROL_DEVICE', ...subject, note: note(stamp.by, what) });
  }
  return { kind: 'changed', entity: { ...entity, files: [...applied.files] }, events, policies: [] };
}

/** Returns a new device without files. */
export function newDevice(
  id: string,
  orgId: string,
  fields: CreateDevice,
  { at, version, by }: Stamp,
): DeviceEntity {
  const { monitoring, description = '', name, path, healthInterval, category } = fields;
  return {
    kind: 'DEVICE',
    id,
    orgId,
    name,
    description,
    path,
    healthInterval,
    enabled: monitoring,
    category,
    disabledNote: null,
    disabledDate: monitoring ? null : at,
    disabledBy: monitoring ? null : (by?.email ?? null),
    ...labelsOf(fields.labels, undefined),
    creationDate: at,
    configVersion: version,
    keyVersion: 1,
    previousKey: null,
    deleted: false,
    files: [],
    removedFiles: [],
  };
}

function changeFiles(
  device: DeviceEntity,
  changes: readonly FileChange[],
  stamp: Stamp,
): Decision<DeviceEntity> {
  const applied = applyFiles(device, device.path, changes, stamp);
  if ('kind' in applied) return applied;
  if (applied.events.length === 0) return UNCHANGED;
  return changed(device, { ...device, files: [...applied.files] }, applied.events, stamp);
}

function remove(device: DeviceEntity, forced: boolean, stamp: Stamp): Decision<DeviceEntity> {
  if (!forced && device.files.length > 0)
    return refuse('DEVICE_HAS_FILES', `The device has ${device.files.length} files.`);
  const event: EventDraft = {
    type: forced ? 'DELETE_DEVICE_FORCED' : 'DELETE_DEVICE_UNFORCED',
    deviceId: device.id,
    fileId: null,
    note: note(stamp.by, { name: device.name, files: device.files.length }),
  };
  const after: DeviceEntity = { ...device, deleted: true, files: [], removedFiles: device.files };
  return changed(device, after, [...deletions(device, device.files, stamp), event], stamp);
}

function removeFiles(device: DeviceEntity, ids: readonly string[], stamp: Stamp): Decision<DeviceEntity> {
  const wanted = new Set(ids);
  const removedFiles = device.files.filter(({ id }) => wanted.has(id));
  if (removedFiles.length < wanted.size) return refuse('NOT_FOUND', 'The device has no such file.');
  const files = device.files.filter(({ id }) => !wanted.has(id));
  const after: DeviceEntity = { ...device, files, removedFiles };
  return changed(device, after, deletions(device, removedFiles, stamp), stamp);
}

function deletions(device: DeviceEntity, files: DeviceEntity['files'], { by }: Stamp): EventDraft[] {
  return files.map(({ id, name, path }) => ({
    type: 'DELETE_FILE',
    deviceId: device.id,
    fileId: id,
    note: note(by, { name, path }),
  }));
}

function rotateKey(device: DeviceEntity, now: boolean, stamp: Stamp): Decision<DeviceEntity> {
  const { previousKey, earlierKeys, ...others } = device;
  const lasting = now ? [] : lastingKeys(previousKey, earlierKeys, stamp.at);
  const tooMany = tooManyReplaced(
    lasting,
    'keys that were replaced still work',
    'Wait until then, or end all at once.',
  );
  if (tooMany !== undefined) return tooMany;
  const after: DeviceEntity = {
    ...others,
    keyVersion: device.keyVersion + 1,
    previousKey: now ? null : { version: device.keyVersion, validUntil: stamp.at + PREVIOUS_KEY_MS },
    ...(lasting.length > 0 && { earlierKeys: lasting }),
  };
  const event: EventDraft = {
    type: 'MODIFY_DEVICE',
    deviceId: device.id,
    fileId: null,
    note: plainNote(stamp.by, now ? `${KEY_REPLACED} at once` : KEY_REPLACED),
  };
  return changed(device, after, [event], stamp);
}
