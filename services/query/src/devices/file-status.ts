/** Joins files with their contacts and those of their devices. */
import type { Contact } from '@sentinel-node/contracts';
import { readClockAhead, type ClockAhead, type DocumentStore } from '@sentinel-node/platform';
import { pagesById } from '../storage/pages-by-id.ts';
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
import { contactInput, fileContact, fileExpiresAt, fileWaitsAt } from './contact.ts';

/** Files of one read. */
const STEP_DOCUMENTS = 2_000;
/** Devices whose contacts are read at once: one contact can name 10,000 files (`LIMITS.heartbeatFiles`). */
export const STEP_DEVICES = 20;

/** Devices and their contacts, by device id. */
export interface KnownDevices {
  readonly devices: ReadonlyMap<string, DeviceView>;
  readonly activity: ReadonlyMap<string, DeviceActivityView>;
  readonly contacts: ReadonlyMap<string, DeviceContactView>;
  readonly firstContacts: ReadonlyMap<string, DeviceFirstContactView>;
  readonly ahead: ClockAhead | undefined;
}

/** Devices, newest first, and when they were last heard. */
export interface DevicesHeard {
  readonly devices: readonly DeviceView[];
  readonly activity: ReadonlyMap<string, DeviceActivityView>;
  readonly ahead: ClockAhead | undefined;
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
  const [activity, ofFiles, ahead] = await Promise.all([
    viewsOf<DeviceActivityView>(store, VIEWS.deviceActivity, deviceIds),
    readFileContacts(store, deviceIds),
    readClockAhead(store),
  ]);
  return { activity, ...ofFiles, ahead };
}

async function readFileContacts(
  store: DocumentStore,
  deviceIds: readonly string[],
): Promise<Pick<KnownDevices, 'contacts' | 'firstContacts'>> {
  const [contacts, firstContacts] = await Promise.all([
    viewsOf<DeviceContactView>(store, VIEWS.deviceContacts, deviceIds),
    viewsOf<DeviceFirstContactView>(store, VIEWS.deviceFirstContacts, deviceIds),
  ]);
  return { contacts, firstContacts };
}

/** Returns the states in the order of `files`; files of unknown devices are left out. */
export async function fileStatuses(
  store: DocumentStore,
  files: readonly FileView[],
  known: KnownDevices | Promise<KnownDevices>,
  now: number,
): Promise<FileStatus[]> {
  const fileIds = files.map(({ id }) => id);
  const [{ activity, contacts, firstContacts, devices, ahead }, states] = await Promise.all([
    known,
    viewsOf<FileStateView>(store, VIEWS.fileStates, fileIds),
  ]);
  return files.flatMap((view): FileStatus[] => {
    const device = devices.get(view.deviceId);
    if (device === undefined) return [];
    const state = states.get(view.id);
    const heartbeat = contacts.get(view.deviceId);
    const deviceId = view.deviceId;
    const input = contactInput(
      {
        ...{ device, file: view, state, heartbeat },
        activity: activity.get(deviceId),
        firstContact: firstContacts.get(deviceId),
      },
      { now, ahead },
    );
    const { checkedAt } = input;
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

/** Yields the states of all files of the devices that are not deleted, in steps. */
export async function* statusesOfDevices(
  store: DocumentStore,
  { devices, activity, ahead }: DevicesHeard,
  now: number,
): AsyncGenerator<FileStatus[]> {
  for (const step of contactSteps(devices)) {
    const ids = step.map(({ id }) => id);
    const named = new Map(step.map((device) => [device.id, device]));
    const known = { ...(await readFileContacts(store, ids)), activity, ahead, devices: named };
    for (let open = ids.map((deviceId) => ({ deviceId, after: '' })); open.length > 0;) {
      const pages = await Promise.all(open.map((from) => filesAfter(store, from)));
      yield fileStatuses(store, pages.flat(), known, now);
      open = pages.flatMap((page, at) =>
        page.length < STEP_DOCUMENTS ? [] : [{ ...open[at]!, after: page.at(-1)!.id }],
      );
    }
  }
}

/** Yields the devices by steps of few devices with few files in total; a device with more has a step of its own. */
function* contactSteps(devices: readonly DeviceView[]): Generator<readonly DeviceView[]> {
  let step: DeviceView[] = [];
  let files = 0;
  for (const device of devices) {
    if (step.length > 0 && (step.length === STEP_DEVICES || files + device.filesCount > STEP_DOCUMENTS)) {
      yield step;
      [step, files] = [[], 0];
    }
    step.push(device);
    files += device.filesCount;
  }
  if (step.length > 0) yield step;
}

const filesAfter = (
  store: DocumentStore,
  { deviceId, after }: { readonly deviceId: string; readonly after: string },
): Promise<FileView[]> =>
  store.find(VIEWS.files, {
    where: { deviceId, deleted: false, id: { gt: after } },
    limit: STEP_DOCUMENTS,
  });

/** Yields all files of the organisation that are not deleted, as `pagesById` does. */
export const filePages = (store: DocumentStore, orgId: string, limit: number): AsyncGenerator<FileView[]> =>
  pagesById(store, VIEWS.files, { orgId, deleted: false }, limit);
