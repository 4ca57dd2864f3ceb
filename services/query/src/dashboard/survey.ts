/** What one pass over an organisation's files finds. */
import { LIMITS, type Dashboard } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { statusesOfOrganization, type FileStatus, type KnownDevices } from '../devices/index.ts';

export type DashboardDevice = Dashboard['devices'][number];
type NoContactDevice = Dashboard['performance']['noContactDevices'][number];

export interface FilesSurvey {
  files: number;
  activeAlerts: number;
  /** Of those whose device is monitored too. */
  monitored: number;
  inContact: number;
  waiting: number;
  disabledFiles: number;
  /** Every device with files without contact. */
  readonly lost: Map<string, { name: string; files: number; named: { id: string; name: string }[] }>;
  readonly disabled: Map<string, DashboardDevice['files']>;
  /** Of every file. */
  readonly deviceOf: Map<string, string>;
}

export async function surveyFiles(
  store: DocumentStore,
  orgId: string,
  known: KnownDevices,
  now: number,
): Promise<FilesSurvey> {
  const result: FilesSurvey = {
    files: 0,
    activeAlerts: 0,
    monitored: 0,
    inContact: 0,
    waiting: 0,
    disabledFiles: 0,
    lost: new Map(),
    disabled: new Map(),
    deviceOf: new Map(),
  };
  for await (const files of statusesOfOrganization(store, orgId, known, now))
    for (const file of files) count(file, result);
  return result;
}

function count(file: FileStatus, to: FilesSurvey): void {
  const { activeAlerts, contact, device, view } = file;
  to.files++;
  to.activeAlerts += activeAlerts;
  to.deviceOf.set(view.id, view.deviceId);
  if (!view.enabled) countDisabled(file, to);
  if (!view.enabled || !device.enabled) return;
  to.monitored++;
  if (contact === 'OK') to.inContact++;
  else if (contact === 'WAITING') to.waiting++;
  else countLost(file, to);
}

function countDisabled({ view: { id, name, deviceId, enabled } }: FileStatus, to: FilesSurvey): void {
  to.disabledFiles++;
  const named = to.disabled.get(deviceId) ?? [];
  if (named.length < LIMITS.dashboardFilesPerDevice) named.push({ id, name, enabled });
  to.disabled.set(deviceId, named);
}

function countLost({ device, view: { id, name } }: FileStatus, to: FilesSurvey): void {
  const held = to.lost.get(device.id) ?? { name: device.name, files: 0, named: [] };
  held.files++;
  if (held.named.length < LIMITS.dashboardFilesPerDevice) held.named.push({ id, name });
  to.lost.set(device.id, held);
}

export function performanceOf(
  devices: readonly DashboardDevice[],
  { files, monitored, inContact, waiting, lost }: FilesSurvey,
): Dashboard['performance'] {
  const heard = monitored - waiting;
  const noContactDevices = [...lost]
    .map(([id, { name, files: count }]): NoContactDevice => ({ id, name, files: count }))
    .sort((a, b) => b.files - a.files || (a.id < b.id ? -1 : 1))
    .slice(0, LIMITS.dashboardDevices);
  return {
    numberOfDevicesDefined: devices.length,
    numberOfFilesDefined: files,
    numberOfDevicesActive: devices.filter(({ enabled, status }) => enabled && status === 'ACTIVE').length,
    performance: heard === 0 ? null : (100 * inContact) / heard,
    numberOfFilesMonitored: monitored,
    numberOfFilesWaiting: waiting,
    numberOfFilesWithoutContact: heard - inContact,
    noContactFiles: noContactDevices
      .flatMap(({ id: deviceId, name: deviceName }) =>
        lost.get(deviceId)!.named.map(({ id, name }) => ({ id, name, deviceId, deviceName })),
      )
      .slice(0, LIMITS.dashboardFiles),
    noContactDevices,
  };
}

/** Devices that are off, silent, or have files that are off come first; the newest first among them. */
export function byAttention(one: DashboardDevice, other: DashboardDevice): number {
  return attention(other) - attention(one);
}

const attention = ({ enabled, status, files }: DashboardDevice): number =>
  Number(!enabled) + Number(status !== 'ACTIVE') + Number(files.length > 0) > 0 ? 1 : 0;
