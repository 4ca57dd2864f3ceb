/** The dashboard (decisions 7 and 10, specification 9): everything that depends on the time is computed when read. */
import type { Alert, Dashboard } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import {
  VIEWS,
  type AlertView,
  type DeviceActivityView,
  type FileView,
  type OrganizationView,
} from '../views/index.ts';
import { shownAlerts } from './alerts.ts';
import { deviceStatus } from './contact.ts';
import { viewOf, viewsOf, type ReadContext } from './context.ts';
import { devicesOf, fileItems } from './devices.ts';
import { readEvents } from './events.ts';

const NEWEST_EVENTS = 10;
const NEWEST_ALERTS = 3;
const HEALTH_MONTHS = 3;
/** Files without contact that are named; `performance` counts all. */
const NAMED_NO_CONTACT_FILES = 1_000;
/** Files, or alerts, that are read at once. */
const STEP_DOCUMENTS = 2_000;
/** The same for the newest alerts: those of deleted files are between them. */
const NEWEST_STEP_DOCUMENTS = 20;

type Summary = Pick<Dashboard, 'health' | 'performance' | 'activeAlerts'>;
type DashboardDevice = Dashboard['devices'][number];

export async function readDashboard(context: ReadContext, orgId: string): Promise<Dashboard> {
  const { store } = context;
  const [organization, { events }, alerts, { summary, devices }] = await Promise.all([
    viewOf<OrganizationView>(store, VIEWS.organizations, orgId),
    readEvents(context, { orgId }, { limit: NEWEST_EVENTS }),
    newestAlerts(store, orgId),
    survey(context, orgId),
  ]);
  return { events, stripeIdSet: (organization?.stripeId ?? null) !== null, ...summary, devices, alerts };
}

/** What a `summary` of the live stream holds. */
export async function readSummary(context: ReadContext, orgId: string): Promise<Summary> {
  return (await survey(context, orgId)).summary;
}

async function newestAlerts(store: DocumentStore, orgId: string): Promise<Alert[]> {
  const newest: AlertView[] = [];
  for await (const alerts of activeAlerts(store, orgId, NEWEST_STEP_DOCUMENTS)) {
    newest.push(...alerts);
    if (newest.length >= NEWEST_ALERTS) break;
  }
  return (await shownAlerts(store, { items: newest.slice(0, NEWEST_ALERTS) })).alerts;
}

/** Newest first, without those of deleted files. */
async function* activeAlerts(
  store: DocumentStore,
  orgId: string,
  limit: number,
): AsyncGenerator<AlertView[]> {
  for (let below: string | undefined; ;) {
    const found = (await store.find(VIEWS.alerts, {
      where: { orgId, status: 'ACTIVE', ...(below === undefined ? {} : { id: { lt: below } }) },
      sort: { field: 'id', direction: 'desc' },
      limit,
    })) as unknown as AlertView[];
    const fileIds = found.map(({ fileId }) => fileId);
    const files = await viewsOf<FileView>(store, VIEWS.files, fileIds);
    if (found.length > 0) yield found.filter(({ fileId }) => files.get(fileId)?.deleted === false);
    if (found.length < limit) return;
    below = found.at(-1)!.id;
  }
}

/** Those that are not deleted, by id, in steps. */
export async function* filesOfOrganization(store: DocumentStore, orgId: string): AsyncGenerator<FileView[]> {
  for (let after = ''; ;) {
    const found = (await store.find(VIEWS.files, {
      where: { orgId, deleted: false, id: { gt: after } },
      limit: STEP_DOCUMENTS,
    })) as unknown as FileView[];
    if (found.length > 0) yield found;
    if (found.length < STEP_DOCUMENTS) return;
    after = found.at(-1)!.id;
  }
}

/** One pass over the devices, their files and their ACTIVE alerts. */
async function survey(
  { store, clock }: ReadContext,
  orgId: string,
): Promise<{ summary: Summary; devices: DashboardDevice[] }> {
  const now = clock.now();
  const views = await devicesOf(store, orgId);
  const names = new Map(views.map(({ id, name }) => [id, name]));
  const [activity, checked, alerted] = await Promise.all([
    viewsOf<DeviceActivityView>(store, VIEWS.deviceActivity, names.keys()),
    surveyFiles(store, orgId, names, now),
    devicesAlerted(store, orgId, now),
  ]);
  const devices = views.map((device): DashboardDevice => {
    const { id, name, enabled } = device;
    const status = deviceStatus(device, activity.get(id)?.rev ?? null, now);
    return { id, name, enabled, status, files: checked.disabled.get(id) ?? [] };
  });
  const performance = {
    numberOfDevicesDefined: views.length,
    numberOfFilesDefined: checked.files,
    numberOfDevicesActive: devices.filter(({ enabled, status }) => enabled && status === 'ACTIVE').length,
    performance: checked.monitored === 0 ? null : (100 * checked.inContact) / checked.monitored,
    noContactFiles: checked.lost,
  };
  const health = healthOf(views.length, alerted);
  return { devices, summary: { performance, health, activeAlerts: checked.activeAlerts } };
}

function healthOf(devices: number, devicesWithActiveAlert: number): Dashboard['health'] {
  const percent = devices === 0 ? 100 : Math.round((100 * (devices - devicesWithActiveAlert)) / devices);
  return { percent, devices, devicesWithActiveAlert };
}

/**
 * Devices with an ACTIVE alert that is recent enough for health. What counts is when it occurred last: a deviation is
 * counted on the alert that is open, so that one which goes on for months makes no second alert.
 */
async function devicesAlerted(store: DocumentStore, orgId: string, now: number): Promise<number> {
  const since = monthsBefore(now, HEALTH_MONTHS);
  const devices = new Set<string>();
  for await (const alerts of activeAlerts(store, orgId, STEP_DOCUMENTS))
    for (const { deviceId, lastTimestamp } of alerts) if (lastTimestamp >= since) devices.add(deviceId);
  return devices.size;
}

/** The same day and time some calendar months earlier, in UTC; the last day of a shorter month. */
export function monthsBefore(ms: number, months: number): number {
  const date = new Date(ms);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - months);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime();
}

async function surveyFiles(
  store: DocumentStore,
  orgId: string,
  deviceNames: ReadonlyMap<string, string>,
  now: number,
): Promise<FilesSurvey> {
  const result: FilesSurvey = {
    files: 0,
    activeAlerts: 0,
    monitored: 0,
    inContact: 0,
    lost: [],
    disabled: new Map(),
  };
  for await (const views of filesOfOrganization(store, orgId))
    for (const item of await fileItems(store, views, now))
      count(item, deviceNames.get(item.view.deviceId), result);
  return result;
}

interface FilesSurvey {
  files: number;
  activeAlerts: number;
  monitored: number;
  inContact: number;
  readonly lost: Dashboard['performance']['noContactFiles'];
  readonly disabled: Map<string, DashboardDevice['files']>;
}

function count(
  { view, file, device }: Awaited<ReturnType<typeof fileItems>>[number],
  deviceName: string | undefined,
  to: FilesSurvey,
): void {
  const { id, name, deviceId, enabled } = view;
  if (deviceName === undefined) return;
  to.files++;
  to.activeAlerts += file.activeAlerts;
  if (!enabled) to.disabled.set(deviceId, [...(to.disabled.get(deviceId) ?? []), { id, name, enabled }]);
  if (!enabled || !device.enabled) return;
  to.monitored++;
  if (file.contact !== 'LOST') to.inContact++;
  else if (to.lost.length < NAMED_NO_CONTACT_FILES) to.lost.push({ id, name, deviceId, deviceName });
}
