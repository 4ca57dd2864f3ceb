// Makes the data of an organisation with a long past: sign-up by HTTP, then events and alerts through the store port.
// It runs in a process of its own, so that its memory does not count as memory of the measured server.
import { randomBytes } from 'node:crypto';
import { eventId, uuidV7 } from '@sentinel-node/contracts';
import { createQuery } from '@sentinel-node/query';
import { silentLog, startServices } from '@sentinel-node/platform';
import { answerCalls } from './child.mjs';
import { configurationOf } from './configuration.mjs';
import { ARCHIVE, DASHBOARD } from './settings.mjs';

/** Number of documents of one write. */
const STEP = 5_000;
const EMAIL = 'ada@example.org';
const EVENT_TYPES = ['ROLLING', 'FILE_DECREASED', 'AGENT_ERROR', 'MODIFY_FILE'];
const ALERT_TYPES = ['EMPTY', 'UNEXPECTED_CHANGE', 'HASH_BREACH', 'ROLLED_FILE_CHANGED'];

answerCalls({ fill, fillDevices, stop: () => undefined });

async function fill({ folder, secret, events, alerts }) {
  const config = configurationOf({ folder, secret });
  const create = (shared) => [createQuery(shared)];
  const running = await startServices({ name: 'query', config, log: silentLog(), create });
  try {
    const person = await signUp(running.url);
    const files = await addDevices(person);
    const { store } = running.stores;
    await fillWith(store, ['events'], events, files, eventOf(person.orgId));
    await fillWith(store, ['alerts', 'alert_requests'], alerts, files, alertOf(person.orgId));
    return { token: person.token, orgId: person.orgId, deviceId: files[0].deviceId, fileId: files[0].id };
  } finally {
    await running.stop();
  }
}

/** Writes devices and files into their views, and their events and alerts. */
async function fillDevices({ folder, secret, files: count, events, alerts }) {
  const config = configurationOf({ folder, secret });
  const create = (shared) => [createQuery(shared)];
  const running = await startServices({ name: 'query', config, log: silentLog(), create });
  try {
    const { orgId, token } = await signUp(running.url);
    const { store } = running.stores;
    const files = [];
    for (let n = 0; n * DASHBOARD.filesPerDevice < count; n += 1) {
      const views = deviceViews(orgId, n);
      for (const [collection, documents] of Object.entries(views))
        await store.bulkUpsert(collection, documents);
      files.push(...views.files.map(({ id, deviceId }) => ({ id, deviceId })));
    }
    await fillWith(store, ['events'], events, files, eventOf(orgId));
    await fillWith(store, ['alerts', 'alert_requests'], alerts, files, alertOf(orgId));
    return { token, orgId, deviceId: files[0].deviceId, fileId: files[0].id };
  } finally {
    await running.stop();
  }
}

/** Returns the views of a device. One device in twenty is silent, and one file in twenty is off. */
function deviceViews(orgId, n) {
  const now = Date.now();
  const creationDate = now - ARCHIVE.spanMs;
  const id = uuidV7(creationDate + n, randomBytes(10));
  const rev = n % 20 === 19 ? creationDate : now;
  const files = Array.from({ length: DASHBOARD.filesPerDevice }, (_, index) => {
    const own = { id: uuidV7(creationDate + n, randomBytes(10)), rev: 1, orgId, deviceId: id };
    return { ...fileOf(index), ...own, enabled: index % 20 !== 19, creationDate, deleted: false };
  });
  const device = {
    ...{ id, rev: 1, orgId, name: `Server ${n}`, description: '', path: '/srv', healthInterval: 3_600 },
    ...{ enabled: true, category: 'STANDARD', disabledNote: null, disabledDate: null, disabledBy: null },
    ...{ creationDate, configVersion: 1, keyVersion: 1, filesCount: files.length, deleted: false },
  };
  const checkedAt = Object.fromEntries(files.map((file) => [file.id, rev]));
  return {
    devices: [device],
    files,
    file_states: files.map((file) => stateOf(file, rev)),
    device_activity: [{ id, rev, orgId }],
    device_first_contacts: [{ id, rev: -creationDate, orgId }],
    device_contacts: [{ id, rev, orgId, agentVersion: '0.1.0', instanceId: 'one', queue: 0, checkedAt }],
  };
}

const stateOf = ({ id, orgId, deviceId }, checkedAt) => ({
  ...{ id, rev: 1, orgId, deviceId, length: 1_024, hash: randomBytes(32).toString('hex'), missing: false },
  ...{ sequence: 1, configVersion: 1, number: 1, linkHash: randomBytes(32).toString('hex') },
  ...{ lastLinkId: idOf(checkedAt, 'LINK'), activeAlerts: 0, checkedAt, contactAt: checkedAt },
});

async function signUp(url) {
  const { access_token: accessToken } = await ask(url, 'POST', '/dev-wallet/login', {
    email: EMAIL,
    name: 'Ada',
  });
  const login = await fetch(`${url}/api/v1/login?access_token=${accessToken}`);
  const { token, userId } = await login.json();
  const xsrf = /XSRF-TOKEN=([^;]+)/.exec(login.headers.get('set-cookie'))[1];
  const person = { url, token, headers: { 'x-access-token': token, 'x-xsrf-token': xsrf } };
  const request = { name: 'Benchmark', userName: 'Ada', e2Id: userId, emailAddress: EMAIL };
  const { id: orgId } = await ask(url, 'POST', '/api/v1/orgs', request, person.headers);
  let mails = [];
  while (mails.length === 0) mails = await ask(url, 'GET', '/dev-mail/messages');
  await ask(url, 'PUT', `/api/v1/users/confirm/link/${mails[0].links[0].split('/').at(-1)}`);
  return { ...person, orgId };
}

async function addDevices({ url, orgId, headers }) {
  const files = [];
  for (let n = 0; n < ARCHIVE.devices; n += 1) {
    const device = {
      name: `Server ${n}`,
      description: '',
      path: '/srv',
      healthInterval: 60,
      monitoring: true,
    };
    const { id } = await ask(
      url,
      'POST',
      `/api/v1/devices/${orgId}`,
      { ...device, category: 'STANDARD' },
      headers,
    );
    const wanted = Array.from({ length: ARCHIVE.filesPerDevice }, (_, index) => fileOf(index));
    const path = `/api/v1/devices/files/${orgId}/${id}`;
    const answer = await ask(url, 'PUT', path, { files: wanted }, headers);
    files.push(...answer.files.map((file) => ({ id: file.id, deviceId: id })));
  }
  return files;
}

const fileOf = (index) => ({
  name: `service-${index}.log`,
  description: '',
  path: `service-${index}.log`,
  type: 'TEXT',
  monitoringFrequency: 'FOLLOW',
  rolled: false,
  modifiable: true,
  enabled: true,
});

async function ask(url, method, path, body, headers = {}) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Spreads documents evenly over the past, oldest first. @param make returns one document for each of `collections` */
async function fillWith(store, collections, count, files, make) {
  const spacing = Math.floor(ARCHIVE.spanMs / Math.max(1, count));
  const start = Date.now() - count * spacing;
  for (let at = 0; at < count; at += STEP) {
    const step = Array.from({ length: Math.min(STEP, count - at) }, (_, index) =>
      make(files[(at + index) % files.length], at + index, start + (at + index) * spacing),
    );
    for (const [which, name] of collections.entries())
      await store.insertMissing(
        name,
        step.map((documents) => documents[which]),
      );
  }
}

const idOf = (time, kind) => eventId(time, kind, randomBytes(16));

const eventOf = (orgId) => (file, n, timestamp) => {
  const type = EVENT_TYPES[n % EVENT_TYPES.length];
  const note = JSON.stringify({ code: 'EXAMPLE', message: `what happened the ${n}th time; in words` });
  const { id: fileId, deviceId } = file;
  return [
    {
      id: idOf(timestamp, type),
      orgId,
      deviceId,
      fileId,
      type,
      timestamp,
      alertId: null,
      hashId: null,
      note,
    },
  ];
};

/** One alert in ten is ACTIVE. */
const alertOf = (orgId) => (file, n, timestamp) => {
  const isActive = n % 10 === 0;
  const id = idOf(timestamp, 'ALERT');
  const alert = {
    id,
    rev: 2,
    orgId,
    deviceId: file.deviceId,
    fileId: file.id,
    timestamp,
    status: isActive ? 'ACTIVE' : 'RESOLVED',
    type: ALERT_TYPES[n % ALERT_TYPES.length],
    hashId: idOf(timestamp, 'BREAK'),
    occurrences: 1,
    lastTimestamp: timestamp,
    overrideUser: null,
    overrideUserEmail: isActive ? null : EMAIL,
    handledAt: isActive ? null : timestamp + 1,
    note: isActive ? null : 'planned',
  };
  const versions = [1_024, 2_048].map((length) => ({ length, hash: randomBytes(32).toString('hex') }));
  const request = JSON.stringify({
    sequence: n,
    timestamp: new Date(timestamp).toISOString(),
    change: 'REPLACED',
    versions,
  });
  return [alert, { id, request }];
};
