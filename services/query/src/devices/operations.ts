import {
  admin,
  chainEntry,
  device,
  deviceListItem,
  EXAMPLE,
  file,
  fileHistory,
  link,
} from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const oneDevice = { id: EXAMPLE.deviceId };
const newFile = {
  name: 'Error log',
  description: '',
  path: 'logs/error.log',
  type: 'TEXT',
  monitoringFrequency: 'FOLLOW',
  rolled: false,
  modifiable: true,
  enabled: true,
};
const disabled = {
  ...device,
  enabled: false,
  disabledNote: 'Moving to another rack',
  disabledDate: '2026-11-21T10:00:00.000Z',
  emailAddress: admin.emailAddress,
};

export const deviceOperations: Operations = {
  'GET /devices/category/intervals': {
    summary: 'How long it takes at most until a change is anchored, by category',
    answer: [
      { type: 'STANDARD', interval: 3_600 },
      { type: 'ADVANCED', interval: 600 },
      { type: 'MISSION_CRITICAL', interval: 60 },
    ],
  },
  'GET /devices/:orgId': {
    summary: 'Lists the devices, newest first',
    description: '`label`: only those that have it.',
    query: { label: 'site:graz' },
    answer: { devices: [deviceListItem] },
  },
  'POST /devices/:orgId': {
    summary: 'Adds a device',
    body: {
      name: 'Web server 2',
      description: '',
      path: '/srv/web',
      healthInterval: 60,
      monitoring: true,
      category: 'STANDARD',
    },
    answer: { id: EXAMPLE.deviceId },
    refuses: ['LIMIT_REACHED'],
  },
  'GET /devices/:orgId/:id': {
    summary: 'Reads a device with its files and its API key',
    params: oneDevice,
    answer: device,
    etag: true,
  },
  'PUT /devices/:orgId/:id': {
    summary: 'Changes a device and its files',
    description:
      'A file without `id` is added, one with an `id` is changed, files not named stay. `updateDeviceData: false`: only `files` apply. With monitoring off a `disabledNote` is needed, unless the device has one.',
    params: oneDevice,
    body: {
      name: device.name,
      description: device.description,
      path: device.path,
      healthInterval: device.healthInterval,
      enabled: false,
      category: device.category,
      disabledNote: disabled.disabledNote,
      files: [],
      updateDeviceData: true,
    },
    answer: disabled,
    refuses: ['LIMIT_REACHED'],
    etag: true,
    ifMatch: true,
  },
  'PUT /devices/delete/:orgId/:id': {
    summary: 'Deletes a device',
    description: 'With files left only when `forced`; then they are deleted with it.',
    params: oneDevice,
    body: { forced: true },
    answer: {},
    refuses: ['DEVICE_HAS_FILES'],
    ifMatch: true,
  },
  'POST /devices/key/:orgId/:id': {
    summary: 'Gives the device a new API key',
    description:
      'The old one works for 24 hours more, unless `now`, which ends all at once. At most five replaced keys work at a time.',
    params: oneDevice,
    body: { now: false },
    answer: device,
    refuses: ['LIMIT_REACHED'],
    etag: true,
    ifMatch: true,
  },
  'PUT /devices/files/:orgId/:id': {
    summary: 'Adds and changes files of a device',
    params: oneDevice,
    body: { files: [newFile] },
    answer: device,
    refuses: ['LIMIT_REACHED'],
    etag: true,
    ifMatch: true,
  },
  'GET /files/:orgId/:deviceId/:fileId': { summary: 'Reads a file', answer: file, etag: true },
  'GET /files/history/:orgId/:deviceId/:fileId': {
    summary: 'Reads how a file has changed as a whole, also of a deleted one',
    description:
      'Versions to draw a picture from and alerts with who handled them. The answer is bounded: of a long chain it has a sample (`whole: false`).',
    answer: fileHistory,
  },
  'DELETE /files/:orgId/:deviceId/:fileId': { summary: 'Deletes a file', answer: {}, ifMatch: true },
  'PUT /files/delete/:orgId/:deviceId': {
    summary: 'Deletes several files of a device, or none of them',
    description: '`If-Match` takes the tag of the device.',
    body: { files: [EXAMPLE.fileId] },
    answer: {},
    ifMatch: true,
  },
  'PUT /files/chain/:orgId/:deviceId/:fileId': {
    summary: 'Reads links of the chain of a file, newest first',
    description:
      'The links around one (`hashId` with `before` and `after`), between two (`idFrom`, `idTo`), or the newest (`before`) or oldest (`after`). Default: the newest 10.',
    body: { before: 10 },
    answer: { links: [link], entries: [chainEntry], newer: false, older: true },
  },
};
