/** The dashboard (decisions 7 and 10, specification 9): everything that depends on the time is computed when read. */
import { LIMITS, type Alert, type Dashboard } from '@sentinel-node/contracts';
import type { DocumentStore, Query } from '@sentinel-node/platform';
import { shownAlerts } from '../alerts/index.ts';
import type { QueryContext } from '../context.ts';
import { deviceStatus, knownDevicesOf } from '../devices/index.ts';
import { readEvents } from '../events/index.ts';
import {
  viewOf,
  VIEWS,
  viewsOf,
  type AlertView,
  type FileView,
  type OrganizationView,
} from '../views/index.ts';
import type { Activity } from './activity.ts';
import { byAttention, performanceOf, surveyFiles, type DashboardDevice } from './survey.ts';

const NEWEST_EVENTS = 10;
const NEWEST_ALERTS = 3;
const HEALTH_MONTHS = 3;
/** Alerts that are read at once. */
const STEP_DOCUMENTS = 2_000;
/** The same for the newest alerts: those of deleted files are between them. */
const NEWEST_STEP_DOCUMENTS = 20;

/** What changes with what is heard of devices and files. */
type Summary = Pick<Dashboard, 'health' | 'performance' | 'activeAlerts' | 'devices' | 'notMonitored'>;

export async function readDashboard(
  context: Pick<QueryContext, 'store' | 'clock'>,
  hours: Activity,
  orgId: string,
): Promise<Dashboard> {
  const { store } = context;
  const [organization, { events }, alerts, summary, activity] = await Promise.all([
    viewOf<OrganizationView>(store, VIEWS.organizations, orgId),
    readEvents(context, { orgId }, { limit: NEWEST_EVENTS }),
    newestAlerts(context, orgId),
    readSummary(context, orgId),
    hours.read(orgId, context.clock.now()),
  ]);
  return { events, stripeIdSet: (organization?.stripeId ?? null) !== null, ...summary, alerts, activity };
}

/** What a `summary` of the live stream holds. */
export async function readSummary(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  orgId: string,
): Promise<Summary> {
  const now = clock.now();
  const known = await knownDevicesOf(store, orgId);
  const [files, alertedIds] = await Promise.all([
    surveyFiles(store, orgId, known, now),
    alertedFiles(store, orgId, now),
  ]);
  const devices = [...known.devices.values()].map((device): DashboardDevice => {
    const { id, name, enabled } = device;
    const status = deviceStatus(device, known.activity.get(id)?.rev ?? null, now);
    return { id, name, enabled, status, files: files.disabled.get(id) ?? [] };
  });
  const alerted = new Set([...alertedIds].flatMap((fileId) => files.deviceOf.get(fileId) ?? []));
  return {
    health: healthOf(devices.length, alerted.size),
    performance: performanceOf(devices, files),
    activeAlerts: files.activeAlerts,
    devices: devices.sort(byAttention).slice(0, LIMITS.dashboardDevices),
    notMonitored: {
      devices: devices.filter(({ enabled }) => !enabled).length,
      files: files.disabledFiles,
    },
  };
}

function healthOf(devices: number, devicesWithActiveAlert: number): Dashboard['health'] {
  const percent = devices === 0 ? 100 : Math.round((100 * (devices - devicesWithActiveAlert)) / devices);
  return { percent, devices, devicesWithActiveAlert };
}

async function newestAlerts(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  orgId: string,
): Promise<Alert[]> {
  const newest: AlertView[] = [];
  for await (const alerts of activeAlerts(store, { orgId }, NEWEST_STEP_DOCUMENTS)) {
    const fileIds = alerts.map(({ fileId }) => fileId);
    const files = await viewsOf<FileView>(store, VIEWS.files, fileIds);
    newest.push(...alerts.filter(({ fileId }) => files.get(fileId)?.deleted === false));
    if (newest.length >= NEWEST_ALERTS) break;
  }
  return (await shownAlerts({ store, clock }, { items: newest.slice(0, NEWEST_ALERTS) })).alerts;
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
