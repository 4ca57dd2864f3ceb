/** The dashboard (decisions 7 and 10, specification 9): everything that depends on the time is computed when read. */
import type { Alert, Dashboard } from '@sentinel-node/contracts';
import type { DocumentStore, Query } from '@sentinel-node/platform';
import { VIEWS, type AlertView, type FileView, type OrganizationView } from '../views/index.ts';
import { shownAlerts } from './alerts.ts';
import { deviceStatus } from './contact.ts';
import { viewOf, viewsOf, type ReadContext } from './context.ts';
import { knownDevicesOf } from './devices.ts';
import { readEvents } from './events.ts';
import { statusesOfOrganization, type FileStatus, type KnownDevices } from './file-status.ts';

const NEWEST_EVENTS = 10;
const NEWEST_ALERTS = 3;
const HEALTH_MONTHS = 3;
/** Files without contact that are named; `performance` counts all. */
const NAMED_NO_CONTACT_FILES = 1_000;
/** Alerts that are read at once. */
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
  for await (const alerts of activeAlerts(store, { orgId }, NEWEST_STEP_DOCUMENTS)) {
    const fileIds = alerts.map(({ fileId }) => fileId);
    const files = await viewsOf<FileView>(store, VIEWS.files, fileIds);
    newest.push(...alerts.filter(({ fileId }) => files.get(fileId)?.deleted === false));
    if (newest.length >= NEWEST_ALERTS) break;
  }
  return (await shownAlerts(store, { items: newest.slice(0, NEWEST_ALERTS) })).alerts;
}

/** Newest first, in steps; those of deleted files are among them. */
async function* activeAlerts(
  store: DocumentStore,
  where: NonNullable<Query['where']>,
  limit: number,
): AsyncGenerator<AlertView[]> {
  for (let below: string | undefined; ;) {
    const found = (await store.find(VIEWS.alerts, {
      where: { ...where, status: 'ACTIVE', ...(below === undefined ? {} : { id: { lt: below } }) },
      sort: { field: 'id', direction: 'desc' },
      limit,
    })) as unknown as AlertView[];
    if (found.length > 0) yield found;
    if (found.length < limit) return;
    below = found.at(-1)!.id;
  }
}

/** One pass over the devices, their files and their ACTIVE alerts. */
async function survey(
  { store, clock }: ReadContext,
  orgId: string,
): Promise<{ summary: Summary; devices: DashboardDevice[] }> {
  const now = clock.now();
  const known = await knownDevicesOf(store, orgId);
  const [checked, alertedIds] = await Promise.all([
    surveyFiles(store, orgId, known, now),
    alertedFiles(store, orgId, now),
  ]);
  const devices = [...known.devices.values()].map((device): DashboardDevice => {
    const { id, name, enabled } = device;
    const status = deviceStatus(device, known.activity.get(id)?.rev ?? null, now);
    return { id, name, enabled, status, files: checked.disabled.get(id) ?? [] };
  });
  const performance = {
    numberOfDevicesDefined: devices.length,
    numberOfFilesDefined: checked.files,
    numberOfDevicesActive: devices.filter(({ enabled, status }) => enabled && status === 'ACTIVE').length,
    performance: checked.monitored === 0 ? null : (100 * checked.inContact) / checked.monitored,
    noContactFiles: checked.lost,
  };
  const alerted = new Set([...alertedIds].flatMap((fileId) => checked.deviceOf.get(fileId) ?? []));
  const health = healthOf(devices.length, alerted.size);
  return { devices, summary: { performance, health, activeAlerts: checked.activeAlerts } };
}

function healthOf(devices: number, devicesWithActiveAlert: number): Dashboard['health'] {
  const percent = devices === 0 ? 100 : Math.round((100 * (devices - devicesWithActiveAlert)) / devices);
  return { percent, devices, devicesWithActiveAlert };
}

/**
 * Files, deleted ones among them, with an ACTIVE alert that is recent enough for health. What counts is when it
 * occurred last: a deviation is counted on the alert that is open, so that one which goes on for months makes no
 * second alert.
 */
async function alertedFiles(store: DocumentStore, orgId: string, now: number): Promise<Set<string>> {
  const since = monthsBefore(now, HEALTH_MONTHS);
  const files = new Set<string>();
  for (let until = Number.MAX_SAFE_INTEGER; until >= since;) {
    const found = (await store.find(VIEWS.alerts, {
      where: { orgId, status: 'ACTIVE', lastTimestamp: { gte: since, lte: until } },
      sort: { field: 'lastTimestamp', direction: 'desc' },
      limit: STEP_DOCUMENTS,
    })) as unknown as AlertView[];
    for (const { fileId } of found) files.add(fileId);
    if (found.length < STEP_DOCUMENTS) break;
    const oldest = found.at(-1)!.lastTimestamp;
    // What occurred at one moment can be more than a step: it is gone through by id.
    if (oldest === until)
      for await (const alerts of activeAlerts(store, { orgId, lastTimestamp: oldest }, STEP_DOCUMENTS))
        for (const { fileId } of alerts) files.add(fileId);
    until = oldest === until ? oldest - 1 : oldest;
  }
  return files;
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
  known: KnownDevices,
  now: number,
): Promise<FilesSurvey> {
  const result: FilesSurvey = {
    files: 0,
    activeAlerts: 0,
    monitored: 0,
    inContact: 0,
    lost: [],
    disabled: new Map(),
    deviceOf: new Map(),
  };
  for await (const files of statusesOfOrganization(store, orgId, known, now))
    for (const file of files) count(file, result);
  return result;
}

interface FilesSurvey {
  files: number;
  activeAlerts: number;
  monitored: number;
  inContact: number;
  readonly lost: Dashboard['performance']['noContactFiles'];
  readonly disabled: Map<string, DashboardDevice['files']>;
  /** Of every file. */
  readonly deviceOf: Map<string, string>;
}

function count({ activeAlerts, contact, device, view }: FileStatus, to: FilesSurvey): void {
  const { id, name, deviceId, enabled } = view;
  to.files++;
  to.activeAlerts += activeAlerts;
  to.deviceOf.set(id, deviceId);
  if (!enabled) to.disabled.set(deviceId, [...(to.disabled.get(deviceId) ?? []), { id, name, enabled }]);
  if (!enabled || !device.enabled) return;
  to.monitored++;
  if (contact !== 'LOST') to.inContact++;
  else if (to.lost.length < NAMED_NO_CONTACT_FILES)
    to.lost.push({ id, name, deviceId, deviceName: device.name });
}
