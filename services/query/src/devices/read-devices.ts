import { LIMITS, type Device, type DeviceListItem, type File, omit } from '@sentinel-node/contracts';
import { ApiError, heardBy, readClockAhead, type DocumentStore } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { versionTag, fileTag } from '../registry/tags.ts';
import {
  type DeviceActivityView,
  type DeviceRefusalView,
  type DeviceView,
  type FileView,
  iso,
  isoOrNull,
  type Scope,
  type Tagged,
  VIEWS,
  viewsOf,
} from '../views/index.ts';
import { deviceStatus, keyRefusedAt, lastContactOf } from './contact.ts';
import { type DevicesHeard, type FileStatus, fileStatuses, readContacts } from './file-status.ts';
import { parkingsOf } from './parkings.ts';

/** Returns all devices that are not deleted, newest first. @param label absent to return devices with any labels */
export async function readDevices(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  { orgId, within }: Pick<Scope, 'orgId' | 'within'>,
  label?: string,
): Promise<{ devices: DeviceListItem[] }> {
  const all = await devicesOf(store, orgId);
  const devices = all.filter(
    ({ id, labels }) =>
      (within?.has(id) ?? true) && (label === undefined || labels?.includes(label) === true),
  );
  const items = await deviceItems(store, devices, clock.now());
  return { devices: items.map(({ item }) => item) };
}

/** Returns the devices that are not deleted, newest first. */
export async function devicesOf(store: DocumentStore, orgId: string): Promise<DeviceView[]> {
  const found = await store.find(VIEWS.devices, {
    where: { orgId, deleted: false },
    sort: { field: 'id', direction: 'desc' },
    limit: LIMITS.devicesPerOrganization,
  });
  return found;
}

/** Returns the devices that are not deleted, newest first, without the contacts of their files. */
export async function devicesHeard(store: DocumentStore, orgId: string): Promise<DevicesHeard> {
  const devices = await devicesOf(store, orgId);
  const ids = devices.map(({ id }) => id);
  const [activity, ahead] = await Promise.all([
    viewsOf<DeviceActivityView>(store, VIEWS.deviceActivity, ids),
    readClockAhead(store),
  ]);
  return { devices, activity, ahead };
}

/** A device as a list shows it. */
export interface DeviceItem {
  readonly item: DeviceListItem;
  /** Rises with every change of `item` that is written. */
  readonly rev: number;
}

export async function deviceItems(
  store: DocumentStore,
  devices: readonly DeviceView[],
  now: number,
): Promise<DeviceItem[]> {
  const signsOf = await signsOfDevices(
    store,
    devices.map(({ id }) => id),
  );
  return devices.map((device) => {
    const signs = signsOf(device.id);
    const item = { ...shownDevice(device, signs, now), filesCount: device.filesCount };
    // Each part only rises, so the sum rises with any of them.
    return { item, rev: device.rev + signs.rev };
  });
}

/** Times (ms) of a device's last calls; null without one. */
interface Signs {
  readonly lastContact: number | null;
  /** Last refused call with an ended key. */
  readonly refusedAt: number | null;
  /** Rises with both, though times may be found to be of a clock that was ahead. */
  readonly rev: number;
}

async function signsOfDevices(
  store: DocumentStore,
  deviceIds: readonly string[],
): Promise<(deviceId: string) => Signs> {
  const [activity, refusals, ahead] = await Promise.all([
    viewsOf<DeviceActivityView>(store, VIEWS.deviceActivity, deviceIds),
    viewsOf<DeviceRefusalView>(store, VIEWS.deviceRefusals, deviceIds),
    readClockAhead(store),
  ]);
  return (id) => {
    const refused = refusals.get(id)?.rev;
    return {
      lastContact: lastContactOf(activity.get(id), ahead),
      refusedAt: refused === undefined ? null : heardBy(refused, ahead),
      rev: (activity.get(id)?.rev ?? 0) + (refused ?? 0),
    };
  };
}

function shownDevice(
  device: DeviceView,
  { lastContact, refusedAt }: Signs,
  now: number,
): Omit<DeviceListItem, 'filesCount'> {
  const { id, name, description, path, healthInterval, enabled, category, disabledNote, labels } = device;
  const refused = keyRefusedAt(refusedAt, lastContact);
  return {
    id,
    name,
    description,
    path,
    healthInterval,
    enabled,
    category,
    ...(labels === undefined ? {} : { labels: [...labels] }),
    disabledNote,
    disabledDate: isoOrNull(device.disabledDate),
    emailAddress: device.disabledBy,
    creationDate: iso(device.creationDate),
    status: deviceStatus(device, lastContact, now),
    lastContact: isoOrNull(lastContact),
    ...(refused === null ? {} : { keyRefusedAt: iso(refused) }),
  };
}

/** Returns the device with its files and its API key. @throws ApiError NOT_FOUND, also for a deleted device */
export async function readDevice(
  context: Pick<QueryContext, 'store' | 'clock' | 'apiKeyOf'>,
  orgId: string,
  id: string,
): Promise<Tagged<Device>> {
  const { store, clock } = context;
  const device = await presentDevice(store, orgId, id);
  const now = clock.now();
  const [files, signsOf] = await Promise.all([filesOf(store, id), signsOfDevices(store, [id])]);
  const body = {
    ...shownDevice(device, signsOf(id), now),
    apiKey: context.apiKeyOf(device),
    files: (await fileItems(store, files, now)).map(({ file }) => file),
  };
  return { body, tag: versionTag(device.rev) };
}

/** @throws ApiError NOT_FOUND */
export async function presentDevice(store: DocumentStore, orgId: string, id: string): Promise<DeviceView> {
  const device = await store.get(VIEWS.devices, id);
  if (device?.orgId !== orgId || device.deleted) throw new ApiError('NOT_FOUND');
  return device;
}

/** Returns the files in the order in which they were added. */
async function filesOf(store: DocumentStore, deviceId: string): Promise<FileView[]> {
  const found = await store.find(VIEWS.files, {
    where: { deviceId, deleted: false },
    limit: LIMITS.filesPerDevice,
  });
  return found;
}

/** @throws ApiError NOT_FOUND, also for a deleted file */
export async function readFile(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  key: { readonly orgId: string; readonly deviceId: string; readonly fileId: string },
): Promise<Tagged<File>> {
  const view = await store.get(VIEWS.files, key.fileId);
  const isIt = view?.orgId === key.orgId && view.deviceId === key.deviceId && !view.deleted;
  if (!isIt) throw new ApiError('NOT_FOUND');
  const [item] = await fileItems(store, [view], clock.now());
  return { body: item!.file, tag: fileTag(view) };
}

/** A file as lists show it, with its status. */
export interface FileItem extends FileStatus {
  readonly file: File;
}

/** Joins files with their state, their device's contacts and their alerts. */
export async function fileItems(
  store: DocumentStore,
  files: readonly FileView[],
  now: number,
): Promise<FileItem[]> {
  const deviceIds = files.map(({ deviceId }) => deviceId);
  const known = Promise.all([
    viewsOf<DeviceView>(store, VIEWS.devices, deviceIds),
    readContacts(store, deviceIds),
  ]).then(([devices, heard]) => ({ devices, ...heard }));
  const [statuses, parkings] = await Promise.all([
    fileStatuses(store, files, known, now),
    parkingsOf(
      store,
      files.map(({ id }) => id),
    ),
  ]);
  return statuses.map((status) => {
    const parking = parkings.get(status.view.id);
    const rev = status.rev + (parking?.rev ?? 0);
    return { ...status, rev, file: shownFile(status, parking?.parked) };
  });
}

function shownFile(status: FileStatus, parked: File['parked']): File {
  const { activeAlerts, attributesTold, checkedAt, contact, missing, problem, view } = status;
  const { labels, ...fields } = omit(
    view,
    'rev',
    'orgId',
    'deviceId',
    'deleted',
    'enabledAt',
    'describedAt',
    'moved',
  );
  return {
    ...fields,
    ...(labels === undefined ? {} : { labels: [...labels] }),
    ...(attributesTold ? { attributesTold } : {}),
    creationDate: iso(view.creationDate),
    lastContact: isoOrNull(checkedAt),
    contact,
    activeAlerts,
    ...(missing ? { missing } : {}),
    ...(problem === undefined ? {} : { problem }),
    ...(parked === undefined ? {} : { parked }),
  };
}
