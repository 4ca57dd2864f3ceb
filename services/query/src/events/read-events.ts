import { eventWords, NO_DEVICE, type Event, type Events, type EventsQuery } from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { type Page, type PageSource, readPage } from '../lists/page.ts';
import { searchMatcher } from '../lists/search.ts';
import { pagesById } from '../storage/pages-by-id.ts';
import {
  type AlertView,
  checkScope,
  type DeviceView,
  type EventView,
  iso,
  type Names,
  namesOf,
  type Scope,
  VIEWS,
  viewsOf,
} from '../views/index.ts';

/** Devices of one name that the store is asked for one by one; events of more are looked for among all. */
const DEVICES_ASKED_FOR = 100;
/** Devices that are looked through at once. */
const DEVICES_STEP = 500;

type Where = PageSource<EventView>['where'];

type ListQuery = Omit<EventsQuery, 'toExport'>;

/** @throws ApiError NOT_FOUND for another organisation's device or file */
export async function readEvents(
  { store }: Pick<QueryContext, 'store'>,
  scope: Scope,
  query: ListQuery,
): Promise<Events> {
  const read = await eventPages({ store }, scope, query);
  const { items, lastId } = await read(query);
  return { events: await shownEvents(store, items), lastId };
}

type PageQuery = Pick<ListQuery, 'lastId' | 'limit'>;

/**
 * Returns the pages before names are looked up. The filter is resolved once for all pages. @throws ApiError NOT_FOUND
 */
export async function eventPages(
  { store }: Pick<QueryContext, 'store'>,
  scope: Scope,
  query: Omit<ListQuery, keyof PageQuery>,
): Promise<(page: PageQuery) => Promise<Page<EventView>>> {
  const search = eventMatcher(store, query);
  const wanted = await wantedEvents(store, scope, query.deviceName);
  if (wanted === undefined) return () => Promise.resolve({ items: [], lastId: null });
  const { where, deviceIds, within } = wanted;
  const match = bothOf(deviceIds && ofDevices(deviceIds), search);
  const source = {
    store,
    collection: VIEWS.events,
    where,
    ...(within !== undefined && { within }),
    ...(match !== undefined && { match }),
  };
  return (page) => readPage<EventView>(source, { ...query, ...page });
}

type Match = NonNullable<PageSource<EventView>['match']>;

const ofDevices =
  (ids: ReadonlySet<string>): Match =>
  async (events) =>
    events.filter(({ deviceId }) => deviceId !== null && ids.has(deviceId));

function bothOf(one: Match | undefined, other: Match | undefined): Match | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return async (events) => other(await one(events));
}

function eventMatcher(
  store: DocumentStore,
  query: Pick<EventsQuery, 'search' | 'timeZone'>,
): Match | undefined {
  return searchMatcher<EventView>(store, query, async (events) => {
    const alerts = await alertsOf(store, events);
    return ({ type, alertId }) => [type, ...eventWords({ type, alert: alerts.get(alertId ?? '') })];
  });
}

interface Wanted {
  readonly where: Where;
  /** Restricts the events that `where` finds to these devices. */
  readonly deviceIds?: ReadonlySet<string>;
  /** The same, and the events of other devices are not looked at. */
  readonly within?: ReadonlySet<string>;
}

/** Returns undefined when the list must be empty. */
async function wantedEvents(
  store: DocumentStore,
  scope: Scope,
  deviceName: string | undefined,
): Promise<Wanted | undefined> {
  await checkScope(store, scope);
  const { orgId, deviceId, fileId, within } = scope;
  if (fileId !== undefined) return { where: { fileId } };
  if (deviceId !== undefined) return { where: { deviceId } };
  const named = deviceName === undefined ? undefined : await devicesNamed(store, orgId, deviceName);
  if (within !== undefined)
    return {
      where: { orgId },
      within: named === undefined ? within : new Set(named.filter((id) => within.has(id))),
    };
  if (named === undefined) return { where: { orgId } };
  if (named.length === 0) return undefined;
  if (named.length > DEVICES_ASKED_FOR) return { where: { orgId }, deviceIds: new Set(named) };
  return { where: { orgId }, within: new Set(named) };
}

/** Returns ids of deleted devices too, because their events stay. Two queries, so that an index gives the order. */
async function devicesNamed(store: DocumentStore, orgId: string, name: string): Promise<string[]> {
  const found = await Promise.all(
    [false, true].map(async (deleted) => {
      const ids: string[] = [];
      for await (const devices of devicesLike(store, { orgId, deleted }, name))
        ids.push(...devices.filter((device) => isNamed(device, name)).map(({ id }) => id));
      return ids;
    }),
  );
  return found.flat();
}

const isNamed = (device: DeviceView, name: string): boolean =>
  device.name.toLowerCase() === name.toLowerCase();

/**
 * Yields the devices whose names contain `name`: the store cannot match a whole name without regard to case. There may
 * be many.
 */
const devicesLike = (
  store: DocumentStore,
  where: { readonly orgId: string; readonly deleted: boolean },
  name: string,
): AsyncGenerator<DeviceView[]> =>
  pagesById(store, VIEWS.devices, { ...where, name: { contains: name } }, DEVICES_STEP);

/** @throws ApiError NOT_FOUND */
export async function readEvent(
  { store }: Pick<QueryContext, 'store'>,
  { orgId, deviceId, id }: { readonly orgId: string; readonly deviceId: string; readonly id: string },
): Promise<Event> {
  const event = await store.get(VIEWS.events, id);
  if (event?.orgId !== orgId || (event.deviceId ?? NO_DEVICE) !== deviceId) throw new ApiError('NOT_FOUND');
  const [shown] = await shownEvents(store, [event]);
  return shown!;
}

/** Returns the known events, in the order of `ids`. */
export async function eventsById(
  store: DocumentStore,
  ids: readonly string[],
): Promise<(Event & { orgId: string })[]> {
  const found = [...(await viewsOf<EventView>(store, VIEWS.events, ids)).values()];
  const shown = await shownEvents(store, found);
  return shown.map((event, at) => ({ ...event, orgId: found[at]!.orgId }));
}

async function shownEvents(store: DocumentStore, events: readonly EventView[]): Promise<Event[]> {
  const [names, alerts] = await Promise.all([namesOf(store, events), alertsOf(store, events)]);
  return events.map((event) => {
    const shown = shownEvent(event, names);
    const alert = alerts.get(event.alertId ?? '');
    return alert === undefined ? shown : { ...shown, alert: { type: alert.type, status: alert.status } };
  });
}

const alertsOf = (store: DocumentStore, events: readonly EventView[]): Promise<Map<string, AlertView>> =>
  viewsOf<AlertView>(
    store,
    VIEWS.alerts,
    events.map(({ alertId }) => alertId).filter((id) => id !== null),
  );

/** Copies field by field: spreading the view costs more than the rest of an export's row. */
export const shownEvent = (
  { id, deviceId, fileId, type, timestamp, alertId, hashId, note }: EventView,
  names: Names,
): Event => ({
  id,
  timestamp: iso(timestamp),
  type,
  deviceId,
  deviceName: names.device(deviceId),
  fileId,
  fileName: names.file(fileId),
  alertId,
  hashId,
  note,
});
