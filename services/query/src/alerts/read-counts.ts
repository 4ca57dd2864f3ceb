/** Reads counts and groups of alerts, with names for people. */
import {
  LIMITS,
  NOBODY,
  type AlertCount,
  type AlertCounts,
  type AlertCountsQuery,
  type AlertGroup,
  type AlertGrouping,
  type AlertGroups,
  type AlertGroupsQuery,
  type CountedFilter,
} from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import { idRange } from '../lists/page.ts';
import {
  type AlertView,
  type DeviceView,
  type ExpectedView,
  type FileView,
  iso,
  type MaintenanceView,
  namesOf,
  type Scope,
  type UserView,
  VIEWS,
  viewsOf,
} from '../views/index.ts';
import { KEPT_ALERTS } from './kept-alerts.ts';
import type { Group } from './alert-facts.ts';
import type { KnownAlerts } from './known-alerts.ts';
import { type AlertListing, selectionOf } from './list-alerts.ts';

const GROUPS_DEFAULT = 50;

/** @throws ApiError LIMIT_REACHED when the organisation has too many alerts to count; OVERLOADED */
export async function readAlertCounts(
  { store, keptAlerts }: AlertListing,
  scope: Pick<Scope, 'orgId' | 'within'>,
  query: AlertCountsQuery,
): Promise<AlertCounts> {
  const known = await countable(keptAlerts, scope.orgId);
  const { alerts, values } = known.count(selectionOf(query, scope), idRange(query) ?? {});
  const top = (name: CountedFilter): [string, number][] =>
    [...values[name]].sort(byCount).slice(0, LIMITS.countedValues);
  const [devices, files, handled, assigned, windows, lists] = await Promise.all([
    named(store, VIEWS.devices, top('deviceId'), ({ name }: DeviceView) => name),
    named(store, VIEWS.files, top('fileId'), ({ name }: FileView) => name),
    named(store, VIEWS.users, top('handledBy'), ({ emailAddress }: UserView) => emailAddress),
    named(store, VIEWS.users, top('assignee'), ({ emailAddress }: UserView) => emailAddress),
    named(store, VIEWS.maintenance, top('window'), ({ reason }: MaintenanceView) => reason),
    named(store, VIEWS.expected, top('list'), ({ reason }: ExpectedView) => reason),
  ]);
  const plain = (name: 'status' | 'type' | 'category' | 'planned' | 'expected'): AlertCount[] =>
    top(name).map(([value, count]) => ({ value, name: value, alerts: count }));
  return {
    alerts,
    status: plain('status'),
    type: plain('type'),
    category: plain('category'),
    deviceId: devices,
    fileId: files,
    handledBy: handled,
    assignee: assigned,
    planned: plain('planned'),
    window: windows,
    expected: plain('expected'),
    list: lists,
  };
}

const byCount = ([a, one]: [string, number], [b, other]: [string, number]): number =>
  other - one || (a < b ? -1 : 1);

async function named<T extends { readonly id: string }>(
  store: DocumentStore,
  view: Parameters<typeof viewsOf<T>>[1],
  counts: readonly [string, number][],
  nameOf: (of: T) => string,
): Promise<AlertCount[]> {
  const found = await viewsOf<T>(
    store,
    view,
    counts.map(([id]) => id).filter((id) => id !== NOBODY),
  );
  return counts.map(([value, alerts]) => {
    const of = found.get(value);
    return { value, name: of === undefined ? value : nameOf(of), alerts };
  });
}

/** @throws ApiError LIMIT_REACHED, OVERLOADED */
export async function readAlertGroups(
  { store, keptAlerts }: AlertListing,
  scope: Pick<Scope, 'orgId' | 'within'>,
  query: AlertGroupsQuery,
): Promise<AlertGroups> {
  const known = await countable(keptAlerts, scope.orgId);
  const { by, skip = 0, limit = GROUPS_DEFAULT } = query;
  const { groups, total } = known.groups(selectionOf(query, scope), idRange(query) ?? {}, by, {
    skip,
    limit,
  });
  return { groups: await shownGroups(store, by, groups), total };
}

async function shownGroups(
  store: DocumentStore,
  by: AlertGrouping,
  groups: readonly Group[],
): Promise<AlertGroup[]> {
  const newest = await viewsOf<AlertView>(
    store,
    VIEWS.alerts,
    groups.map((group) => group.newest),
  );
  const alerts = [...newest.values()];
  const names = await namesOf(store, alerts);
  return groups.flatMap((group) => {
    const alert = newest.get(group.newest);
    if (alert === undefined) return [];
    const [device, file] = [names.device(alert.deviceId) ?? '', names.file(alert.fileId) ?? ''];
    const name = { DEVICE: device, FILE: file, TYPE: group.key, CHANGE: file }[by];
    return [
      {
        key: group.key,
        name,
        deviceName: by === 'FILE' ? device : null,
        alerts: group.alerts,
        active: group.active,
        devices: group.devices,
        files: group.files,
        newest: iso(alert.timestamp),
      },
    ];
  });
}

async function countable(keptAlerts: AlertListing['keptAlerts'], orgId: string): Promise<KnownAlerts> {
  const known = await keptAlerts.get(orgId);
  if (known !== undefined) return known;
  const most = KEPT_ALERTS.alerts.toLocaleString('en');
  throw new ApiError('LIMIT_REACHED', {
    detail: `Alerts are counted up to ${most}; this organization has more.`,
  });
}
