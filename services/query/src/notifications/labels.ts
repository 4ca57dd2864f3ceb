/** Looks up the current labels of the devices and files of notices. */
import { deviceStream, type DeviceEntity, type NotificationRule } from '@sentinel-node/contracts';
import { loadStream, type DocumentStore } from '@sentinel-node/platform';
import { type DeviceView, type FileView, VIEWS, viewsOf } from '../views/index.ts';
import type { Notice } from './notice.ts';

type LabelsOf = (notice: Notice) => readonly string[];

const NO_LABELS: LabelsOf = () => [];

/**
 * Reads the views, then the streams: a report of a device can arrive before its view. Reads nothing when no
 * rule names labels.
 * @boundedBy the notices of one batch
 */
export async function labelsOf(
  store: DocumentStore,
  rules: readonly Pick<NotificationRule, 'when'>[],
  notices: readonly Notice[],
): Promise<LabelsOf> {
  if (rules.every(({ when }) => (when.labels ?? []).length === 0)) return NO_LABELS;
  const deviceIds = new Set(notices.flatMap(({ device }) => device?.id ?? []));
  const fileIds = new Set(notices.flatMap(({ file }) => file?.id ?? []));
  const [devices, files] = await Promise.all([
    viewsOf<DeviceView>(store, VIEWS.devices, deviceIds),
    viewsOf<FileView>(store, VIEWS.files, fileIds),
  ]);
  const known = new Map<string, readonly string[]>();
  for (const { id, labels } of [...devices.values(), ...files.values()]) known.set(id, labels ?? []);
  const isUnknown = ({ device, file }: Notice): boolean =>
    (device !== undefined && !known.has(device.id)) || (file !== undefined && !known.has(file.id));
  for (const id of new Set(notices.filter(isUnknown).flatMap(({ device }) => device?.id ?? []))) {
    const stream = await loadStream<DeviceEntity>(store, deviceStream(id));
    if (stream === undefined) continue;
    for (const one of [stream.entity, ...stream.entity.files])
      if (!known.has(one.id)) known.set(one.id, one.labels ?? []);
  }
  return ({ device, file }) =>
    [device?.id, file?.id].flatMap((id) => (id === undefined ? [] : (known.get(id) ?? [])));
}
