/** Turns counts into the dashboard and the `summary` of the live stream. */
import { LIMITS, type Dashboard, type DeviceCounts } from '@sentinel-node/contracts';
import { ByteBudget } from './byte-budget.ts';
import { NEWEST_ALERTS } from './limits.ts';

type DashboardDevice = Dashboard['devices'][number];
type NamedFile = Dashboard['performance']['noContactFiles'][number];
type NoContactDevice = Dashboard['performance']['noContactDevices'][number];

/** The parts of the dashboard that change with contacts of devices and files. */
export type Summary = Pick<
  Dashboard,
  'health' | 'performance' | 'activeAlerts' | 'setAside' | 'devices' | 'notMonitored' | 'notJudged'
>;

/** The most named files of a device, the first by id. */
export const NAMED_FILES = LIMITS.dashboardFilesPerDevice;

export type DeviceStanding = Omit<DashboardDevice, 'files'>;

/** Files of one device. */
export interface DeviceFiles {
  /** Id and name of the device. */
  readonly id: string;
  readonly name: string;
  readonly files: number;
  /** The first `NAMED_FILES`. */
  readonly named: () => readonly { readonly id: string; readonly name: string }[];
}

/** The counts of an organisation at one time. */
export interface Survey {
  /** Newest first. */
  readonly devices: readonly DeviceStanding[];
  files: number;
  /** Number of ACTIVE alerts that are not set aside. */
  activeAlerts: number;
  /** Number of ACTIVE alerts that are set aside and recent enough for health. */
  readonly setAside: { planned: number; expected: number };
  /** Number of monitored files on monitored devices. */
  monitored: number;
  inContact: number;
  waiting: number;
  disabledFiles: number;
  /** Number of devices with an ACTIVE alert that is recent enough for health and not set aside. */
  devicesWithActiveAlert: number;
  /** The devices that have files without contact. */
  readonly lost: Map<string, DeviceFiles>;
  /** The devices that have disabled files. */
  readonly disabled: Map<string, DeviceFiles>;
  /** The devices that have parked files. */
  readonly notJudged: Map<string, DeviceFiles>;
  /** False: more files can be parked than `notJudged` has. */
  readonly areParkedWhole: boolean;
  /** Number of ACTIVE alerts of each device that has some. */
  readonly alerts: Map<string, number>;
  /** As `takeNewest`, of ACTIVE alerts that are not set aside; those that last occurred before health's time may be missing. */
  readonly newestAlerts: string[];
}

/** Adds an id to the newest ids: newest first, at most `NEWEST_ALERTS`. */
export function takeNewest(id: string, to: string[]): void {
  if (to.length >= NEWEST_ALERTS && id <= to.at(-1)!) return;
  to.push(id);
  to.sort().reverse();
  to.length = Math.min(to.length, NEWEST_ALERTS);
}

/**
 * Returns a survey with zero counts, to be added to.
 * @param devices newest first
 * @param areParkedWhole as in `Survey`
 */
export function surveyWithoutFiles(devices: readonly DeviceStanding[], areParkedWhole: boolean): Survey {
  return {
    devices,
    areParkedWhole,
    notJudged: new Map(),
    files: 0,
    activeAlerts: 0,
    setAside: { planned: 0, expected: 0 },
    monitored: 0,
    inContact: 0,
    waiting: 0,
    disabledFiles: 0,
    devicesWithActiveAlert: 0,
    lost: new Map(),
    disabled: new Map(),
    alerts: new Map(),
    newestAlerts: [],
  };
}

export function summaryOf(survey: Survey): Summary {
  const { devices } = survey;
  return {
    health: healthOf(devices.length, survey.devicesWithActiveAlert),
    performance: performanceOf(survey),
    activeAlerts: survey.activeAlerts,
    setAside: { ...survey.setAside },
    devices: namedDevices(survey),
    notMonitored: {
      devices: countOf(devices, ({ enabled }) => !enabled),
      files: survey.disabledFiles,
    },
    ...notJudgedOf(survey),
  };
}

/** Returns the counts of each device that has any, newest first. */
export function deviceCountsOf({ devices, alerts, areParkedWhole, lost, notJudged }: Survey): DeviceCounts {
  const counted = devices.filter(({ id }) => alerts.has(id) || lost.has(id) || notJudged.has(id));
  return {
    devices: counted.map(({ id }) => {
      const filesNotJudged = notJudged.get(id)?.files;
      return {
        id,
        activeAlerts: alerts.get(id) ?? 0,
        filesWithoutContact: lost.get(id)?.files ?? 0,
        ...(filesNotJudged !== undefined && { filesNotJudged }),
      };
    }),
    ...(!areParkedWhole && { notJudgedAtLeast: true }),
  };
}

function healthOf(devices: number, devicesWithActiveAlert: number): Dashboard['health'] {
  const percent = devices === 0 ? 100 : Math.round((100 * (devices - devicesWithActiveAlert)) / devices);
  return { percent, devices, devicesWithActiveAlert };
}

/** Returns devices that are off, silent or have disabled files first; each group newest first. */
function namedDevices({ devices, disabled }: Survey): DashboardDevice[] {
  const needsAttention = ({ id, enabled, status }: DeviceStanding): boolean =>
    !enabled || status !== 'ACTIVE' || disabled.has(id);
  const listed = firstOf(devices, needsAttention, LIMITS.dashboardDevices);
  listed.push(
    ...firstOf(devices, (device) => !needsAttention(device), LIMITS.dashboardDevices - listed.length),
  );
  const budget = new ByteBudget(LIMITS.dashboardDevicesBytes);
  return listed
    .filter((device) => budget.fits({ ...device, files: [] }))
    .map((device) => {
      const off = (disabled.get(device.id)?.named() ?? []).map(({ id, name }) => ({
        id,
        name,
        enabled: false,
      }));
      return { ...device, files: off.filter((file) => budget.fits(file)) };
    });
}

function firstOf<T>(all: readonly T[], isWanted: (one: T) => boolean, count: number): T[] {
  const found: T[] = [];
  for (const one of all) {
    if (found.length >= count) break;
    if (isWanted(one)) found.push(one);
  }
  return found;
}

const countOf = <T>(all: readonly T[], holds: (one: T) => boolean): number =>
  all.reduce((count, one) => (holds(one) ? count + 1 : count), 0);

function performanceOf(survey: Survey): Dashboard['performance'] {
  const { devices, files, monitored, inContact, waiting, lost } = survey;
  const heard = monitored - waiting;
  const noContactDevices = namedLost(lost);
  return {
    numberOfDevicesDefined: devices.length,
    numberOfFilesDefined: files,
    numberOfDevicesActive: countOf(devices, ({ enabled, status }) => enabled && status === 'ACTIVE'),
    performance: heard === 0 ? null : (100 * inContact) / heard,
    numberOfFilesMonitored: monitored,
    numberOfFilesWaiting: waiting,
    numberOfFilesWithoutContact: heard - inContact,
    noContactFiles: namedFiles(lost, noContactDevices, LIMITS.dashboardNoContactFilesBytes),
    noContactDevices,
  };
}

/** Returns the member only when there is something to say. */
function notJudgedOf({ notJudged, areParkedWhole }: Survey): Pick<Summary, 'notJudged'> {
  const devices = mostFilesFirst(notJudged);
  const files = devices.reduce((sum, device) => sum + device.files, 0);
  if (files === 0 && areParkedWhole) return {};
  const named = namedFiles(notJudged, devices, LIMITS.dashboardNotJudgedFilesBytes);
  return { notJudged: { files, atLeast: !areParkedWhole, named } };
}

const mostFilesFirst = (devices: ReadonlyMap<string, DeviceFiles>): DeviceFiles[] =>
  [...devices.values()].sort((a, b) => b.files - a.files || (a.id < b.id ? -1 : 1));

/** Returns the devices with most lost files first. */
function namedLost(lost: Survey['lost']): NoContactDevice[] {
  const budget = new ByteBudget(LIMITS.dashboardNoContactDevicesBytes);
  return mostFilesFirst(lost)
    .slice(0, LIMITS.dashboardDevices)
    .map(({ id, name, files }): NoContactDevice => ({ id, name, files }))
    .filter((device) => budget.fits(device));
}

/** Returns the named files of these devices, in the order of the devices. @param bytes the most of the list as JSON */
function namedFiles(
  files: ReadonlyMap<string, DeviceFiles>,
  devices: readonly { readonly id: string; readonly name: string }[],
  bytes: number,
): NamedFile[] {
  const budget = new ByteBudget(bytes);
  const found: NamedFile[] = [];
  for (const { id: deviceId, name: deviceName } of devices)
    for (const { id, name } of files.get(deviceId)?.named() ?? []) {
      const file = { id, name, deviceId, deviceName };
      if (found.length === LIMITS.dashboardFiles || !budget.fits(file)) return found;
      found.push(file);
    }
  return found;
}
