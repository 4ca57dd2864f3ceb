import type { DocumentStore } from '@sentinel-node/platform';
import { VIEWS, type DeviceView, type FileView } from '../views/index.ts';
import { viewsOf } from './context.ts';

export interface Subject {
  readonly deviceId: string | null;
  readonly fileId: string | null;
}

export interface Names {
  /** null: without a device, or unknown. */
  device(id: string | null): string | null;
  file(id: string | null): string | null;
}

/** The present names of devices and files, of deleted ones their last. */
export async function namesOf(store: DocumentStore, subjects: readonly Subject[]): Promise<Names> {
  const [devices, files] = await Promise.all([
    viewsOf<DeviceView>(store, VIEWS.devices, present(subjects.map(({ deviceId }) => deviceId))),
    viewsOf<FileView>(store, VIEWS.files, present(subjects.map(({ fileId }) => fileId))),
  ]);
  return {
    device: (id) => (id === null ? null : (devices.get(id)?.name ?? null)),
    file: (id) => (id === null ? null : (files.get(id)?.name ?? null)),
  };
}

const present = (ids: readonly (string | null)[]): string[] => ids.filter((id) => id !== null);
