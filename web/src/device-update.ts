import type { Device, DeviceListItem, File, FileInput, UpdateDevice } from '@sentinel-node/contracts';

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
