/** Devices and files to report about, as the registry would have made them. */
import { randomBytes } from 'node:crypto';
import { deviceStream, organizationStream, uuidV7 } from '@sentinel-node/contracts';
import { commit, deviceApiKey, PURPOSES, purposeKey, STREAMS_COLLECTION } from '@sentinel-node/platform';
import { FILES_PER_DEVICE } from './settings.mjs';

/** Time between the creation of two devices, in milliseconds: their ids differ in time as in production. */
const DEVICE_SPACING_MS = 1_000;

const newId = (at) => uuidV7(at, randomBytes(10));

/** @returns {{orgId: string, createdAt: number, devices: {id: string, fileIds: string[]}[]}} */
export function makeFleet(files, perDevice = FILES_PER_DEVICE) {
  const count = Math.ceil(files / perDevice);
  const createdAt = Date.now() - count * DEVICE_SPACING_MS;
  const devices = Array.from({ length: count }, (_, index) => {
    const at = createdAt + index * DEVICE_SPACING_MS;
    const size = Math.min(perDevice, files - index * perDevice);
    return { id: newId(at), fileIds: Array.from({ length: size }, () => newId(at)) };
  });
  return { orgId: newId(createdAt), createdAt, devices };
}

/** Returns addresses and keys for reports of the fleet. */
export function targetsOf({ orgId, devices }, masterSecret) {
  const key = purposeKey(masterSecret, PURPOSES.deviceApiKeys);
  return devices.map(({ id, fileIds }) => ({
    orgId,
    deviceId: id,
    apiKey: deviceApiKey(key, orgId, id, 1),
    fileIds,
  }));
}

/** Writes the streams of organisation and devices; the commits are published by the sweeper of the next start. */
export async function seedFleet(store, { orgId, createdAt, devices }) {
  await store.ensure([STREAMS_COLLECTION]);
  const change = (entity) => ({ orgId, entity, events: [], policies: [], at: createdAt, by: null });
  await commit(store, organizationStream(orgId), 0, change(organizationOf(orgId, createdAt)));
  for (const device of devices)
    await commit(store, deviceStream(device.id), 0, change(deviceOf(orgId, createdAt, device)));
}

const organizationOf = (id, creationDate) => ({
  kind: 'ORGANIZATION',
  id,
  name: 'Benchmark',
  stripeId: null,
  creationDate,
  users: [],
  removedUsers: [],
});

/** Returns a device of the category that is anchored most often. */
const deviceOf = (orgId, creationDate, { id, fileIds, modifiable = true }) => ({
  kind: 'DEVICE',
  id,
  orgId,
  name: `Device ${id}`,
  description: '',
  path: '/var/log',
  healthInterval: 60,
  enabled: true,
  category: 'MISSION_CRITICAL',
  disabledNote: null,
  disabledDate: null,
  disabledBy: null,
  creationDate,
  configVersion: 1,
  keyVersion: 1,
  previousKey: null,
  deleted: false,
  files: fileIds.map((fileId, index) => ({ ...fileOf(fileId, index, creationDate), modifiable })),
  removedFiles: [],
});

const fileOf = (id, index, creationDate) => ({
  id,
  name: `service-${index}.log`,
  description: '',
  path: `/var/log/service/service-${index}.log`,
  type: 'TEXT',
  monitoringFrequency: 'FOLLOW',
  rolled: false,
  enabled: true,
  creationDate,
});
