import type { DocumentStore } from '@sentinel-node/platform';
import { VIEWS } from './collections.ts';
import type { DeviceView, FileView } from './documents.ts';
import { viewsOf } from './read.ts';

export interface Subject {
  readonly deviceId: string | null;
  readonly fileId: string | null;
}

export interface Names {
  /** Returns null when `id` is null or unknown. */
  device(id: string | null): string | null;
  file(id: string | null): string | null;
}

/** Returns the current names of devices and files; for deleted ones, the last name. */
export async function namesOf(store: DocumentStore, subjects: readonly Subject[]): Promise<Names> {
  const { devices, files } = await subjectViews(store, subjects);
  return {
    device: (id) => (id === null ? null : (devices.get(id)?.name ?? null)),
    file: (id) => (id === null ? null : (files.get(id)?.name ?? null)),
  };
}

/** Returns the devices and files by id; unknown ids are left out. */
export async function subjectViews(
  store: DocumentStore,
  subjects: readonly Subject[],
): Promise<{ devices: Map<string, DeviceView>; files: Map<string, FileView> }> {
  const [devices, files] = await Promise.all([
    viewsOf<DeviceView>(store, VIEWS.devices, present(subjects.map(({ deviceId }) => deviceId))),
    viewsOf<FileView>(store, VIEWS.files, present(subjects.map(({ fileId }) => fileId))),
  ]);
  return { devices, files };
}

const present = (ids: readonly (string | null)[]): string[] => ids.filter((id) => id !== null);

/** How many device names, and as many file names, one long read keeps; above that all are forgotten. */
const KEPT_NAMES = 5_000;

/**
 * `namesOf` for one long read of many pages: keeps each name after its first look-up, so that pages agree.
 * @boundedBy KEPT_NAMES, for one long read
 */
export function keptNamesOf(store: DocumentStore): (subjects: readonly Subject[]) => Promise<Names> {
  const devices = new Map<string, string | null>();
  const files = new Map<string, string | null>();
  return async (subjects) => {
    for (const kept of [devices, files]) if (kept.size > KEPT_NAMES) kept.clear();
    const unknown = subjects.map(({ deviceId, fileId }) => ({
      deviceId: deviceId !== null && devices.has(deviceId) ? null : deviceId,
      fileId: fileId !== null && files.has(fileId) ? null : fileId,
    }));
    const found = await namesOf(store, unknown);
    for (const { deviceId, fileId } of unknown) {
      if (deviceId !== null) devices.set(deviceId, found.device(deviceId));
      if (fileId !== null) files.set(fileId, found.file(fileId));
    }
    return {
      device: (id) => (id === null ? null : (devices.get(id) ?? null)),
      file: (id) => (id === null ? null : (files.get(id) ?? null)),
    };
  };
}
