import type { FileInput, UpdateDevice, Device, DeviceListItem, File } from './answers.ts';
import { tagOf } from './api/http.ts';
import { overNewest } from './api/over-newest.ts';
import { api } from './state/api.ts';

/** Converts a file to the form of a request. */
export function fileInput(file: File): FileInput {
  const { id, name, description, path, type, monitoringFrequency, rolled, modifiable, enabled } = file;
  return {
    id,
    name,
    description,
    path,
    type,
    monitoringFrequency,
    rolled,
    modifiable,
    enabled,
    ...(file.watchAttributes !== undefined && { watchAttributes: file.watchAttributes }),
    ...(file.interval !== undefined && { interval: file.interval }),
    ...(file.rolledFilenameRegexp !== undefined && { rolledFilenameRegexp: file.rolledFilenameRegexp }),
  };
}

/** Converts a device to the form of PUT, with a note only when it is disabled; files not given stay unchanged. */
export function deviceUpdate(
  device: Device | DeviceListItem,
  change: Partial<UpdateDevice>,
  files: FileInput[] = [],
): UpdateDevice {
  const { name, description, path, healthInterval, enabled, category, emailAddress } = device;
  const { disabledNote: changedNote, ...changed } = change;
  const whole = { name, description, path, healthInterval, enabled, category, emailAddress, ...changed };
  const note = changedNote ?? device.disabledNote;
  return {
    ...whole,
    files,
    updateDeviceData: true,
    ...(!whole.enabled && note !== null && { disabledNote: note }),
  };
}

/**
 * Changes a device over the state that is read now.
 * @param change makes the update of the device as read
 */
export function changeDevice(
  orgId: string | null,
  id: string,
  change: (device: Device) => UpdateDevice,
): Promise<void> {
  return overNewest(async () => {
    const device = await api().getDevice(orgId, id);
    await api().updateDevice(orgId, id, change(device), tagOf(device));
  });
}
