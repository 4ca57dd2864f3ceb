/** Looks up names of devices and paths of files for notices. */
import { deviceStream, type DeviceEntity } from '@sentinel-node/contracts';
import { loadStream, type DocumentStore } from '@sentinel-node/platform';
import { type DeviceView, type FileView, VIEWS, viewsOf } from '../views/index.ts';
import type { Notice } from './notice.ts';

type NamedDevice = NonNullable<Notice['device']>;
type NamedFile = NonNullable<Notice['file']>;

export interface KnownNames {
  /** Returns the id as the name when the device is unknown. */
  device(id: string): NamedDevice;
  file(id: string): NamedFile;
}

export interface Subject {
  readonly deviceId: string;
  readonly fileId: string | null;
}

/**
 * Reads the views, then the streams: a report can arrive before the view of its file.
 * @boundedBy the records of one batch
 */
export async function readKnownNames(
  store: DocumentStore,
  subjects: readonly Subject[],
): Promise<KnownNames> {
  const [devices, files] = await Promise.all([
    viewsOf<DeviceView>(store, VIEWS.devices, new Set(subjects.map(({ deviceId }) => deviceId))),
    viewsOf<FileView>(store, VIEWS.files, new Set(subjects.flatMap(({ fileId }) => fileId ?? []))),
  ]);
  const missing = subjects.filter(
    ({ deviceId, fileId }) => !devices.has(deviceId) || (fileId !== null && !files.has(fileId)),
  );
  const entities = new Map<string, DeviceEntity>();
  for (const id of new Set(missing.map(({ deviceId }) => deviceId))) {
    const stream = await loadStream<DeviceEntity>(store, deviceStream(id));
    if (stream !== undefined) entities.set(id, stream.entity);
  }
  const fileOf = (id: string): { readonly path: string } | undefined =>
    files.get(id) ?? [...entities.values()].flatMap((device) => device.files).find((file) => file.id === id);
  return {
    device: (id) => ({ id, name: (devices.get(id) ?? entities.get(id))?.name ?? id }),
    file: (id) => ({ id, path: fileOf(id)?.path ?? id }),
  };
}
