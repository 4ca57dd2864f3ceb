import type { Device, DeviceListItem, File, FileInput, UpdateDevice } from '@sentinel-node/contracts';

/** A file as a request takes it. */
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

/** The whole device as PUT takes it, with a note only when it is disabled; files that are not named stay as they are. */
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
