/** Joins files with their contacts and those of their devices. */
import type { Contact } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import {
  type DeviceActivityView,
  type DeviceContactView,
  type DeviceFirstContactView,
  type DeviceView,
  type FileStateView,
  type FileView,
  VIEWS,
  viewsOf,
} from '../views/index.ts';
import {
  fileContact,
  fileExpiresAt,
  fileWaitsAt,
  lastCheck,
  lastReportedCheck,
  unwatchedSince,
} from './contact.ts';

/** Files of one read. */
const STEP_DOCUMENTS = 2_000;

/** Devices and their contacts, by device id. */
export interface KnownDevices {
  readonly devices: ReadonlyMap<string, DeviceView>;
  readonly activity: ReadonlyMap<string, DeviceActivityView>;
  readonly contacts: ReadonlyMap<string, DeviceContactView>;
  readonly firstContacts: ReadonlyMap<string, DeviceFirstContactView>;
}

export interface FileStatus {
  readonly view: FileView;
  readonly device: DeviceView;
  /** As in `lastCheck`. */
  readonly checkedAt: number | null;
  readonly contact: Contact;
  readonly activeAlerts: number;
  readonly attributesTold: boolean;
  /** Whether the last report found nothing at the path. */
  readonly missing: boolean;
  /** Reason why the agent cannot check the file, from the last heartbeat. */
  readonly problem: string | undefined;
  /** Number of the newest entry of the chain; null for an empty chain. */
  readonly number: number | null;
  /** As in `fileExpiresAt`. */
  readonly expiresAt: number | null;
  /** As in `fileWaitsAt`. */
  readonly waitsAt: number | null;
  /** Rises with every change of this object and of the file's other shown fields. */
  readonly rev: number;
}

export async function readContacts(
  store: DocumentStore,
  deviceIds: readonly string[],
): Promise<Omit<KnownDevices, 'devices'>> {
  const [activity, contacts, firstContacts] = await Promise.all([
    viewsOf<DeviceActivityView>(store, VIEWS.deviceActivity, deviceIds),
    viewsOf<DeviceContactView>(store, VIEWS.deviceContacts, deviceIds),
    viewsOf<DeviceFirstContactView>(store, VIEWS.deviceFirstContacts, deviceIds),
  ]);
  return { activity, contacts, firstContacts };
}

/** Returns the states in the order of `files`; files of unknown devices are left out. */
export async function fileStatuses(
  store: DocumentStore,
  files: readonly FileView[],
  known: KnownDevices | Promise<KnownDevices>,
  now: number,
): Promise<FileStatus[]> {
  const fileIds = files.map(({ id }) => id);
  const [{ activity, contacts, firstContacts, devices }, states] = await Promise.all([
    known,
    viewsOf<FileStateView>(store, VIEWS.fileStates, fileIds),
  ]);
  return files.flatMap((view): FileStatus[] => {
    const device = devices.get(view.deviceId);
    if (device === undefined) return [];
    const state = states.get(view.id);
    const heartbeat = contacts.get(view.deviceId);
    const checkedAt = lastCheck(view.id, state, heartbeat);
    const deviceLastContact = activity.get(view.deviceId)?.rev ?? null;
    const firstHeard = firstContacts.get(view.deviceId);
    const deviceFirstContact = firstHeard === undefined ? null : -firstHeard.rev;
    const unwatchedAt = unwatchedSince(view.id, heartbeat);
    const reportedAt = lastReportedCheck(state);
    const input = {
      device,
      file: view,
      deviceLastContact,
      deviceFirstContact,
      checkedAt,
      reportedAt,
      unwatchedAt,
    };
    return [
      {
        view,
        device,
        checkedAt,
        contact: fileContact({ ...input, now }),
        activeAlerts: state?.activeAlerts ?? 0,
        attributesTold: state?.attributesTold ?? false,
        missing: state?.missing ?? false,
        problem: heartbeat?.problems?.[view.id],
        number: state?.number ?? null,
        expiresAt: fileExpiresAt(input),
        waitsAt: fileWaitsAt(input),
        // Each part only rises, so the sum rises with any of them.
        rev: view.rev + device.rev + (state?.rev ?? 0) + (heartbeat?.rev ?? 0),
      },
    ];
  });
}

/** Yields the states of all files of the organisation that are not deleted, by id, in steps. */
export async function* statusesOfOrganization(
  store: DocumentStore,
  orgId: string,
  known: KnownDevices,
  now: number,
): AsyncGenerator<FileStatus[]> {
  for await (const files of filePages(store, orgId, STEP_DOCUMENTS))
    yield fileStatuses(store, files, known, now);
}

/** Yields all files of the organisation that are not deleted, by id, at most `limit` at once. */
export async function* filePages(
  store: DocumentStore,
  orgId: string,
  limit: number,
): AsyncGenerator<FileView[]> {
  for (let after = ''; ;) {
    const found = await store.find(VIEWS.files, {
      where: { orgId, deleted: false, id: { gt: after } },
      limit,
    });
    if (found.length > 0) yield found;
    if (found.length < limit) return;
    after = found.at(-1)!.id;
  }
}
