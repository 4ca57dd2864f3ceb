import { eventName, type Event, type Events, type EventsQuery } from '@sentinel-node/contracts';
import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import { omit, VIEWS, type DeviceView, type EventView, type FileView } from '../views/index.ts';
import { iso, viewOf, viewsOf, type ReadContext } from './context.ts';
import { namesOf } from './names.ts';
import { readPage, type PageSource } from './page.ts';
import { searchMatcher } from './search.ts';

/** Devices of one name that a filter resolves to. */
const NAMED_DEVICES = 100;

/** Of which events a list is: of an organisation, one of its devices, or one of its files. */
export interface Scope {
  readonly orgId: string;
  readonly deviceId?: string;
  readonly fileId?: string;
}

type Where = PageSource<EventView>['where'];

/** @throws ApiError NOT_FOUND for another organisation's device or file */
export async function readEvents(
  { store }: ReadContext,
  scope: Scope,
  query: Omit<EventsQuery, 'toExport'>,
): Promise<Events> {
  const where = await eventsWhere(store, scope, query.deviceName);
  if (where === undefined) return { events: [], lastId: null };
  const match = eventMatcher(store, query);
  const source = { store, collection: VIEWS.events, where, ...(match === undefined ? {} : { match }) };
  const page = await readPage<EventView>(source, query);
  return { events: await shownEvents(store, page.items), lastId: page.lastId };
}

export function eventMatcher(
  store: DocumentStore,
  { search, timeZone }: Pick<EventsQuery, 'search' | 'timeZone'>,
): PageSource<EventView>['match'] {
  if (search === undefined || search.trim() === '') return undefined;
  return searchMatcher<EventView>(store, search, timeZone, ({ type }) => [type, eventName(type)]);
}

/** undefined: nothing can be in the list. */
export async function eventsWhere(
  store: DocumentStore,
  scope: Scope,
  deviceName: string | undefined,
): Promise<Where | undefined> {
  await checkScope(store, scope);
  const { orgId, deviceId, fileId } = scope;
  if (fileId !== undefined) return { fileId };
  if (deviceId !== undefined) return { deviceId };
  if (deviceName === undefined) return { orgId };
  const devices = await devicesNamed(store, orgId, deviceName);
  if (devices.length === 0) return undefined;
  return devices.length === 1 ? { deviceId: devices[0]! } : { orgId, deviceId: { in: devices } };
}

async function devicesNamed(store: DocumentStore, orgId: string, name: string): Promise<string[]> {
  const wanted = name.toLowerCase();
  // Deleted ones too: their events stay. Asked for apart, so that an index gives the order.
  const found = await Promise.all(
    [false, true].map((deleted) =>
      store.find(VIEWS.devices, {
        where: { orgId, deleted, name: { contains: name } },
        limit: NAMED_DEVICES,
      }),
    ),
  );
  const named = found.flat() as unknown as DeviceView[];
  return named.filter((device) => device.name.toLowerCase() === wanted).map(({ id }) => id);
}

/** Deleted devices and files keep their history. @throws ApiError NOT_FOUND */
export async function checkScope(store: DocumentStore, { orgId, deviceId, fileId }: Scope): Promise<void> {
  if (fileId !== undefined) {
    const file = await viewOf<FileView>(store, VIEWS.files, fileId);
    if (file?.orgId !== orgId || file.deviceId !== deviceId) throw new ApiError('NOT_FOUND');
  } else if (deviceId !== undefined) {
    const device = await viewOf<DeviceView>(store, VIEWS.devices, deviceId);
    if (device?.orgId !== orgId) throw new ApiError('NOT_FOUND');
  }
}

/** @throws ApiError NOT_FOUND */
export async function readEvent(
  { store }: ReadContext,
  { orgId, deviceId, id }: { readonly orgId: string; readonly deviceId: string; readonly id: string },
): Promise<Event> {
  const event = await viewOf<EventView>(store, VIEWS.events, id);
  if (event?.orgId !== orgId || event.deviceId !== deviceId) throw new ApiError('NOT_FOUND');
  const [shown] = await shownEvents(store, [event]);
  return shown!;
}

/** Of known ids, in that order. */
export async function eventsById(
  store: DocumentStore,
  ids: readonly string[],
): Promise<(Event & { orgId: string })[]> {
  const found = [...(await viewsOf<EventView>(store, VIEWS.events, ids)).values()];
  const shown = await shownEvents(store, found);
  return shown.map((event, at) => ({ ...event, orgId: found[at]!.orgId }));
}

export async function shownEvents(store: DocumentStore, events: readonly EventView[]): Promise<Event[]> {
  const names = await namesOf(store, events);
  return events.map((event) => ({
    ...omit(event, 'orgId'),
    timestamp: iso(event.timestamp),
    deviceName: names.device(event.deviceId),
    fileName: names.file(event.fileId),
  }));
}
