/** Tests the passes over all devices of an organisation: the contacts of many devices are never in memory at once. */
import t, { type Test } from 'tap';
import type { DocumentStore } from '@sentinel-node/platform';
import { KnownOrganization } from '../src/dashboard/known-organization.ts';
import { loadOrganization } from '../src/dashboard/load-organization.ts';
import { surveyOf } from '../src/dashboard/survey.ts';
import { readExpirations } from '../src/devices/index.ts';
import { findStates } from '../src/notifications/find-states.ts';
import { VIEWS, type DeviceView, type FileStateView, type FileView } from '../src/views/index.ts';
import { DEVICE } from './device-view.ts';
import { scratch } from './view-scratch.ts';

const ORG = 'org';
const DEVICES = 70;
/** More than one read of files has. */
const FILES_OF_LARGE = 2_100;
const NOW = 1_000_000;
const AT_ONCE = 20;

const deviceOf = (n: number, filesCount: number): DeviceView => ({
  ...DEVICE,
  ...{ id: `d${String(n).padStart(4, '0')}`, orgId: ORG, name: `Server ${n}`, path: '/srv', filesCount },
});

const fileOf = (device: DeviceView, n: number): FileView => ({
  id: `${device.id}f${String(n).padStart(5, '0')}`,
  rev: 1,
  orgId: ORG,
  deviceId: device.id,
  name: `File ${n}`,
  description: '',
  path: `${n}.log`,
  type: 'TEXT',
  monitoringFrequency: 'FOLLOW',
  rolled: false,
  modifiable: true,
  enabled: true,
  creationDate: 0,
  deleted: false,
});

const stateOf = ({ id, deviceId }: FileView): FileStateView => ({
  id,
  rev: 1,
  orgId: ORG,
  deviceId,
  length: 1,
  hash: null,
  missing: false,
  sequence: 1,
  configVersion: 1,
  number: 0,
  linkHash: null,
  lastLinkId: null,
  activeAlerts: 0,
  checkedAt: NOW - 2,
  contactAt: NOW - 2,
});

/** Devices with a file each, one with very many; all were heard just now, and their heartbeats name every file. */
async function fleet(t: Test) {
  const store = await (await scratch(t)).open('views');
  const devices = Array.from({ length: DEVICES }, (_, n) => deviceOf(n, n === 30 ? FILES_OF_LARGE : 1));
  const files = devices.flatMap((device) =>
    Array.from({ length: device.filesCount }, (_, n) => fileOf(device, n)),
  );
  const heard = devices.map(({ id }) => ({ id, rev: NOW - 1, orgId: ORG }));
  await store.bulkUpsert(VIEWS.devices, devices);
  await store.bulkUpsert(VIEWS.files, files);
  await store.bulkUpsert(VIEWS.deviceActivity, heard);
  await store.bulkUpsert(
    VIEWS.deviceContacts,
    heard.map((one) => {
      const own = files.filter(({ deviceId }) => deviceId === one.id);
      return {
        ...one,
        agentVersion: '1',
        instanceId: 'i',
        queue: 0,
        checkedAt: Object.fromEntries(own.map(({ id }) => [id, NOW - 1])),
      };
    }),
  );
  await store.bulkUpsert(VIEWS.fileStates, files.map(stateOf));
  return { store, devices, files, contacts: contactsRead(store) };
}

/** Checks that some reads asked for the contacts of few devices, and all together for those of each device once. */
function readFewAtOnce(t: Test, contacts: readonly number[]): void {
  t.ok(Math.max(...contacts) <= AT_ONCE, `at most ${Math.max(...contacts)} at once`);
  t.equal(
    contacts.reduce((sum, some) => sum + some, 0),
    DEVICES,
    'each once',
  );
}

/** Returns how many contacts each read asked for. */
function contactsRead(store: DocumentStore): number[] {
  const asked: number[] = [];
  const contacts: string = VIEWS.deviceContacts;
  const getMany = store.getMany.bind(store);
  store.getMany = (name, ids) => {
    if (name === contacts) asked.push(ids.length);
    return getMany(name, ids);
  };
  return asked;
}

t.test('a survey holds the contacts of few devices at once, and counts all', async (t) => {
  const { store, files, contacts } = await fleet(t);
  const survey = await surveyOf(store, ORG, NOW);
  t.equal(survey.devices.length, DEVICES);
  t.equal(survey.files, files.length);
  t.equal(survey.inContact, files.length);
  readFewAtOnce(t, contacts);
});

t.test('so does the search for contacts that expired', async (t) => {
  const { store, devices, files, contacts } = await fleet(t);
  const later = { now: () => NOW + 3_600_000 };
  const found = await readExpirations({ store, clock: later }, ORG, NOW);
  t.equal(found.devices.length, devices.length);
  t.equal(found.files.length, files.length);
  readFewAtOnce(t, contacts);
});

t.test('states of devices alone need no contacts, those of files need few at once', async (t) => {
  const { store, contacts } = await fleet(t);
  const look = { store, orgId: ORG, listeningSince: 0, startGraceMs: 0 };
  const silent = await findStates({ ...look, now: NOW + 3_600_000, withFiles: false }, new Map());
  t.equal(silent.found.size, DEVICES);
  t.strictSame(contacts, []);
  await findStates({ ...look, now: NOW, withFiles: true }, new Map());
  readFewAtOnce(t, contacts);
});

t.test('an organisation is loaded with the contacts of few devices at once', async (t) => {
  const { store, files, contacts } = await fleet(t);
  const into = new KnownOrganization();
  t.ok(await loadOrganization(store, ORG, into, { now: NOW, limit: 10_000 }));
  t.match(into.survey(NOW), { files: files.length, inContact: files.length });
  readFewAtOnce(t, contacts);
});
