import { omit, type DeviceEntity, type UpdateDevice } from '@sentinel-node/contracts';
import { invalid, UNCHANGED, type Decision, type EventDraft, type Stamp } from './decision.ts';
import { applyFiles, changedFields, type FileChange } from './files.ts';
import { labelProblem, labelsOf } from './labels.ts';
import { note, plainNote } from './notes.ts';
import { changed } from './policies.ts';

type Fields = Omit<UpdateDevice, 'files' | 'updateDeviceData'>;

/**
 * Applies a whole device that a person saved. The request's `emailAddress` is ignored: the person is known
 * from the session.
 */
export function updateDevice(
  device: DeviceEntity,
  fields: Fields,
  files: readonly FileChange[],
  stamp: Stamp,
): Decision<DeviceEntity> {
  // A device that was added with monitoring off has no note yet, so that it needs one too.
  if (!fields.enabled && (fields.disabledNote ?? device.disabledNote ?? '') === '')
    return invalid({ path: '/disabledNote', message: 'is required while monitoring is off' });
  const twice = labelProblem(fields);
  if (twice !== undefined) return twice;
  const applied = applyFiles(device, fields.path, files, stamp);
  if ('kind' in applied) return applied;
  const after: DeviceEntity = {
    ...omit(device, 'labels'),
    ...labelsOf(fields.labels, device),
    name: fields.name,
    description: fields.description ?? device.description,
    path: fields.path,
    healthInterval: fields.healthInterval,
    category: fields.category,
    enabled: fields.enabled,
    ...disabledFields(device, fields, stamp),
  };
  const events = [...deviceEvents(device, after, stamp), ...applied.events];
  if (events.length === 0) return UNCHANGED;
  return changed(device, { ...after, files: [...applied.files] }, events, stamp);
}

function disabledFields(
  device: DeviceEntity,
  fields: Fields,
  { at, by }: Stamp,
): Pick<DeviceEntity, 'disabledNote' | 'disabledDate' | 'disabledBy'> {
  if (fields.enabled) return { disabledNote: null, disabledDate: null, disabledBy: null };
  if (device.enabled)
    return { disabledNote: fields.disabledNote ?? null, disabledDate: at, disabledBy: by?.email ?? null };
  const { disabledDate, disabledBy } = device;
  return { disabledNote: fields.disabledNote ?? device.disabledNote, disabledDate, disabledBy };
}

const SWITCHING = new Set(['enabled', 'disabledNote', 'disabledDate', 'disabledBy']);

function deviceEvents(before: DeviceEntity, after: DeviceEntity, { by }: Stamp): EventDraft[] {
  const names = changedFields(before, after);
  if (names.length === 0) return [];
  const subject = { deviceId: before.id, fileId: null };
  if (before.enabled !== after.enabled && names.every((name) => SWITCHING.has(name))) {
    return after.enabled
      ? [{ type: 'ENABLE_DEVICE', ...subject, note: note(by, {}) }]
      : [{ type: 'DISABLE_DEVICE', ...subject, note: note(by, { note: after.disabledNote }) }];
  }
  const shown = names.filter((name) => name !== 'disabledDate' && name !== 'disabledBy');
  return [
    { type: 'MODIFY_DEVICE', ...subject, note: plainNote(by, `Changed ${shown.map(word).join(', ')}`) },
  ];
}

const WORDS: Readonly<Record<string, string>> = {
  path: 'working directory',
  healthInterval: 'health interval',
  enabled: 'monitoring',
  disabledNote: 'note on monitoring',
};
const word = (field: string): string => WORDS[field] ?? field;
