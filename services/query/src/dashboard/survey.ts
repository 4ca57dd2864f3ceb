/** Counts all devices and files of an organisation in one pass. */
import type { DocumentStore } from '@sentinel-node/platform';
import {
  devicesHeard,
  deviceStatus,
  lastContactOf,
  statusesOfDevices,
  type FileStatus,
} from '../devices/index.ts';
import { marksOf, setAsideBy } from '../maintenance/index.ts';
import { healthSince } from './health-since.ts';
import { NONE_PARKED, type ParkedOf } from './parked-files.ts';
import { recentAlerts } from './recent-alerts.ts';
import {
  NAMED_FILES,
  surveyWithoutFiles,
  takeNewest,
  type DeviceFiles,
  type DeviceStanding,
  type Survey,
} from './summary.ts';

/** @param now milliseconds @param parked of this organisation */
export async function surveyOf(
  store: DocumentStore,
  orgId: string,
  now: number,
  parked: ParkedOf = NONE_PARKED,
): Promise<Survey> {
  const known = await devicesHeard(store, orgId);
  const alerted = await alertedFiles(store, orgId, now);
  const devices = known.devices.map((device): DeviceStanding => {
    const { id, name, enabled } = device;
    return {
      id,
      name,
      enabled,
      status: deviceStatus(device, lastContactOf(known.activity.get(id), known.ahead), now),
    };
  });
  const survey = surveyWithoutFiles(devices, parked.isWhole);
  const alertedDevices = new Set<string>();
  for await (const files of statusesOfDevices(store, known, now))
    for (const file of files) {
      const { counted, setAside } = alerted.get(file.view.id) ?? NO_ALERTS;
      count(file, [...setAside.values()], survey);
      if (parked.byDevice.get(file.device.id)?.has(file.view.id) === true) name(file, survey.notJudged);
      for (const id of counted) takeNewest(id, survey.newestAlerts);
      if (counted.length > 0) alertedDevices.add(file.view.deviceId);
    }
  survey.devicesWithActiveAlert = alertedDevices.size;
  return survey;
}

/** Alerts of one file: the newest that count (as `takeNewest`), and the marks of those set aside, by id. */
interface FileAlerts {
  readonly counted: string[];
  readonly setAside: Map<string, 'planned' | 'expected'>;
}
const NO_ALERTS: FileAlerts = { counted: [], setAside: new Map() };

/** Returns the alerts by file, including deleted files. */
async function alertedFiles(
  store: DocumentStore,
  orgId: string,
  now: number,
): Promise<Map<string, FileAlerts>> {
  const files = new Map<string, FileAlerts>();
  for await (const alerts of recentAlerts(store, orgId, healthSince(now))) {
    const marks = await marksOf(store, alerts);
    for (const { id, fileId } of alerts) {
      const of: FileAlerts = files.get(fileId) ?? { counted: [], setAside: new Map() };
      const mark = marks.get(id);
      const by = mark === undefined ? null : setAsideBy(mark);
      if (by === null) takeNewest(id, of.counted);
      else of.setAside.set(id, by);
      files.set(fileId, of);
    }
  }
  return files;
}

function count(file: FileStatus, setAside: readonly ('planned' | 'expected')[], to: Survey): void {
  const { contact, device, view } = file;
  const activeAlerts = file.activeAlerts - setAside.length;
  to.files++;
  for (const by of setAside) to.setAside[by]++;
  to.activeAlerts += activeAlerts;
  if (activeAlerts > 0) to.alerts.set(device.id, (to.alerts.get(device.id) ?? 0) + activeAlerts);
  if (!view.enabled) {
    to.disabledFiles++;
    name(file, to.disabled);
  }
  if (!view.enabled || !device.enabled) return;
  to.monitored++;
  if (contact === 'OK') to.inContact++;
  else if (contact === 'WAITING') to.waiting++;
  else name(file, to.lost);
}

function name({ device, view: { id, name: fileName } }: FileStatus, to: Map<string, DeviceFiles>): void {
  const held = to.get(device.id);
  const named = held?.named() ?? [];
  const all = named.length < NAMED_FILES ? [...named, { id, name: fileName }] : named;
  to.set(device.id, { id: device.id, name: device.name, files: (held?.files ?? 0) + 1, named: () => all });
}
