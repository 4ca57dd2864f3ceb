/** Reads pages of alerts, by indexes of the store or by the kept facts. */
import {
  alertFilterFields,
  alertWords,
  type AlertFilter,
  type Alerts,
  type AlertsQuery,
  containsText,
  keysOf,
  markWord,
  omit,
} from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { type PageSource, readPage } from '../lists/page.ts';
import { searchMatcher } from '../lists/search.ts';
import { marksOf } from '../maintenance/index.ts';
import { type AlertView, checkScope, type Scope, VIEWS } from '../views/index.ts';
import { type AlertSelection, isWanted } from './alert-facts.ts';
import { factsOf } from './facts.ts';
import type { KeptAlerts } from './kept-alerts.ts';
import { type AlertReading, shownAlerts, workOf } from './read-alerts.ts';

/** Context of reads of lists. */
export type AlertListing = AlertReading & { readonly keptAlerts: Pick<KeptAlerts, 'get'> };

/** @throws ApiError NOT_FOUND for another organisation's device */
export async function readAlerts(
  context: AlertListing,
  scope: Omit<Scope, 'fileId'>,
  query: Omit<AlertsQuery, 'toExport'>,
): Promise<Alerts> {
  await checkScope(context.store, scope);
  const source = await alertSource(context, scope, query);
  if (source === undefined) return { alerts: [], lastId: null };
  const page = await readPage<AlertView>(source, query);
  const { alerts, cutAt } = await shownAlerts(context, page);
  return { alerts, lastId: cutAt ?? page.lastId };
}

/** Returns undefined when the list must be empty. */
async function alertSource(
  { store, keptAlerts }: AlertListing,
  scope: Omit<Scope, 'fileId'>,
  query: Omit<AlertsQuery, 'toExport'>,
): Promise<PageSource<AlertView> | undefined> {
  const search = alertMatcher(store, query);
  const where = await alertsWhere(store, scope, query);
  if (where === undefined) return undefined;
  const source = { store, collection: VIEWS.alerts, where, ...withinOf(scope, where) };
  const searched = search === undefined ? source : { ...source, match: search };
  if (!needsKept(query)) return searched;
  const ofDevice = scope.deviceId !== undefined && { deviceId: scope.deviceId };
  const filter = selectionOf({ ...query, ...ofDevice }, scope);
  const known = await keptAlerts.get(scope.orgId);
  if (known !== undefined)
    return { ...searched, ids: (bounds, limit) => known.ids(filter, bounds, limit, query.order) };
  return {
    ...source,
    match: async (alerts) => {
      const facts = await factsOf(store, alerts);
      const found = alerts.filter((_, at) => isWanted(facts[at]!, filter));
      return search === undefined ? found : search(found);
    },
  };
}

type Filtered = Pick<AlertsQuery, keyof AlertFilter>;

/** Returns the fields that the query sets, of the one list of filters: one that is named nowhere else would let everything through. */
function filterOf(query: Filtered): AlertFilter {
  const filter: AlertFilter = {};
  for (const key of keysOf(alertFilterFields))
    if (query[key] !== undefined) Object.assign(filter, { [key]: query[key] });
  return filter;
}

export const selectionOf = (query: Filtered, { within }: Pick<Scope, 'within'>): AlertSelection => ({
  ...filterOf(query),
  ...(within !== undefined && { within }),
});

/** Status and device have an index of the store; what else is asked for is kept in memory. */
const needsKept = (query: Filtered): boolean =>
  Object.keys(omit(filterOf(query), 'status', 'deviceId')).length > 0;

/** One device that was asked for is within already. */
const withinOf = (
  { within }: Pick<Scope, 'within'>,
  where: PageSource<AlertView>['where'],
): Pick<PageSource<AlertView>, 'within'> => (within === undefined || 'deviceId' in where ? {} : { within });

/** undefined: nothing can be in the list. */
async function alertsWhere(
  store: DocumentStore,
  scope: Omit<Scope, 'fileId'>,
  { status, deviceId }: Pick<AlertsQuery, 'status' | 'deviceId'>,
): Promise<PageSource<AlertView>['where'] | undefined> {
  const byStatus = status === undefined ? {} : { status };
  if (scope.deviceId !== undefined) return { deviceId: scope.deviceId, ...byStatus };
  if (deviceId === undefined) return { orgId: scope.orgId, ...byStatus };
  if (scope.within?.has(deviceId) === false) return undefined;
  const device = await store.get(VIEWS.devices, deviceId);
  return device?.orgId === scope.orgId ? { deviceId, ...byStatus } : undefined;
}

function alertMatcher(
  store: DocumentStore,
  query: Pick<AlertsQuery, 'search' | 'timeZone'>,
): PageSource<AlertView>['match'] {
  return searchMatcher<AlertView>(store, query, async (alerts) => {
    const [work, marks] = await Promise.all([
      workOf(
        store,
        alerts.map(({ id }) => id),
      ),
      containsText(Object.values(markWord), query.search ?? '') ? marksOf(store, alerts) : undefined,
    ]);
    return (alert) => {
      const { assignee } = work.get(alert.id) ?? {};
      return [alert.id, alert.type, ...alertWords({ ...alert, assignee, ...marks?.get(alert.id) })];
    };
  });
}
