/** Adds the devices with their files, and keeps their data for later reports. */
import { Agent } from './client.mjs';
import { fleetOf } from './fleet.mjs';
import { MadeFile } from './made-file.mjs';
import { inTurns } from './in-turns.mjs';

const AT_ONCE = 8;
/** Files of one request. A file in five is rolled and brings an expression of its own; a request may bring 200. */
const FILES_PER_REQUEST = 900;

/**
 * @param onDone called after each device
 * @returns devices: with `agent`, `fate`, `files` (of reports) and `filesOff` (ids of files that are switched off later)
 */
export async function addDevices({ url, orgId, admin }, plan, random, onDone) {
  const devices = [];
  await inTurns(fleetOf(plan, random), AT_ONCE, async ({ fate, fields, files }) => {
    const { id } = await admin.call('POST', `/devices/${orgId}`, fields);
    const added = await addFiles({ orgId, admin, id }, files);
    devices.push({
      id,
      fate,
      name: fields.name,
      agent: new Agent(url, { orgId, id, apiKey: added.apiKey }),
      files: added.files.map((file, n) => madeFile(fields.name, files[n], file)),
      filesOff: added.files.filter((_, n) => files[n].willBeOff).map((file) => file.id),
    });
    onDone(devices.length);
  });
  // Restore the order of the plan: the answers came in any order.
  return devices.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns the device after the last request. */
async function addFiles({ orgId, admin, id }, files) {
  let device;
  for (let from = 0; from < files.length; from += FILES_PER_REQUEST) {
    const part = files.slice(from, from + FILES_PER_REQUEST).map((file) => file.fields);
    device = await admin.call('PUT', `/devices/files/${orgId}/${id}`, { files: part });
  }
  return device;
}

const madeFile = (deviceName, { template }, { id, name, modifiable, rolled }) =>
  new MadeFile({ id, key: `${deviceName}/${name}`, modifiable, rolled, template });

/** Stops the monitoring of the devices with fate OFF, and of some files of other devices. */
export async function switchOff({ orgId, admin }, devices) {
  await inTurns(devices, AT_ONCE, async ({ id, fate, filesOff }) => {
    const device = await admin.call('GET', `/devices/${orgId}/${id}`);
    if (fate === 'OFF') await admin.call('PUT', `/devices/${orgId}/${id}`, withoutMonitoring(device));
    const off = device.files.filter((file) => filesOff.includes(file.id));
    if (fate !== 'OFF' && off.length > 0)
      await admin.call('PUT', `/devices/files/${orgId}/${id}`, { files: off.map(fileOff) });
  });
}

const withoutMonitoring = ({ name, description, path, healthInterval, category }) => ({
  ...{ name, description, path, healthInterval, category },
  enabled: false,
  disabledNote: 'Moves to another site; monitored again from there',
});

function fileOff({ id, name, description, path, type, monitoringFrequency, ...rest }) {
  const { interval, rolled, rolledFilenameRegexp, modifiable } = rest;
  return {
    ...{ id, name, description, path, type, monitoringFrequency, rolled, modifiable, enabled: false },
    ...(interval === undefined ? {} : { interval }),
    ...(rolledFilenameRegexp === undefined ? {} : { rolledFilenameRegexp }),
  };
}
