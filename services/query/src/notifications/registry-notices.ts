/** Makes notices from commits of the registry. Pure. */
import { visible, type DeviceEntity, type RegistryRecord } from '@sentinel-node/contracts';
import { KEY_REPLACED } from '../registry/device.ts';
import { iso } from '../views/index.ts';
import { severityOf } from './chain-notices.ts';
import { causeId } from './notice-id.ts';
import type { Notice, NoticeType, Severity } from './notice.ts';

type RegistryEvent = RegistryRecord['events'][number];

interface NoticeDraft {
  readonly type: NoticeType;
  readonly severity: Severity;
  readonly text: string;
}

export function registryNotices(record: RegistryRecord): Notice[] {
  const { entity, orgId, at, by } = record;
  if (entity.kind !== 'DEVICE') return [];
  const device = { id: entity.id, name: entity.name };
  return record.events.flatMap((event): Notice[] => {
    const file = fileOf(entity, event.fileId);
    const told = describe(record, entity, event, file?.path);
    if (told === undefined) return [];
    const who = by === null ? '' : ` by ${by.email}`;
    return [
      {
        id: causeId(at, told.type, event.id),
        type: told.type,
        orgId,
        at: iso(at),
        severity: told.severity,
        orderKey: file?.id ?? entity.id,
        text: visible(`${told.text}${who}.`),
        device,
        ...(file === undefined ? {} : { file }),
        ...(by === null ? {} : { actor: by.email }),
        category: entity.category,
      },
    ];
  });
}

function fileOf(
  { files, removedFiles }: DeviceEntity,
  fileId: string | null,
): { readonly id: string; readonly path: string } | undefined {
  const found = [...files, ...removedFiles].find(({ id }) => id === fileId);
  return found && { id: found.id, path: found.path };
}

function describe(
  { at, version }: RegistryRecord,
  { name, category, deleted, enabled, disabledDate }: DeviceEntity,
  { type, note }: RegistryEvent,
  path = 'a file',
): NoticeDraft | undefined {
  const severity = severityOf(category);
  if (type === 'DELETE_DEVICE_FORCED' || type === 'DELETE_DEVICE_UNFORCED')
    return { type: 'device.deleted', severity, text: `The device ${name} was deleted` };
  // The notice about a deleted device covers its files.
  if (type === 'DELETE_FILE' && !deleted)
    return { type: 'file.deleted', severity, text: `The file ${path} on ${name} was deleted` };
  if (type === 'MODIFY_FILE' && saysSwitchedOff(note))
    return {
      type: 'monitoring.stopped',
      severity,
      text: `Monitoring of ${path} on ${name} was switched off`,
    };
  if (type === 'MODIFY_DEVICE' && note.startsWith(KEY_REPLACED))
    return { type: 'key.rotated', severity: 'info', text: `The key of the agent of ${name} was replaced` };
  const isSwitch = type === 'DISABLE_DEVICE' || type === 'MODIFY_DEVICE';
  if (isSwitch && !enabled && disabledDate === at && version > 1)
    return { type: 'monitoring.stopped', severity, text: `Monitoring of ${name} was switched off` };
  return undefined;
}

function saysSwitchedOff(note: string): boolean {
  const said: unknown = JSON.parse(note);
  return typeof said === 'object' && said !== null && 'enabled' in said && said.enabled === false;
}
