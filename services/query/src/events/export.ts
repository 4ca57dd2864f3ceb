import type { Event, EventsQuery } from '@sentinel-node/contracts';
import type { QueryContext } from '../context.ts';
import { allPages, type Export, EXPORT_PAGE_ITEMS } from '../exports/index.ts';
import { type EventView, keptNamesOf, type Names, type Scope } from '../views/index.ts';
import { eventPages, shownEvent } from './read-events.ts';

const HEADER = 'Id;Timestamp;Type;Device id;Device name;File id;File name;Alert id;Hash id;Note'.split(';');

/** @throws ApiError NOT_FOUND, VALIDATION_FAILED */
export async function exportEvents(
  { store }: Pick<QueryContext, 'store'>,
  scope: Scope,
  query: Omit<EventsQuery, 'toExport' | 'limit' | 'lastId'>,
): Promise<Export<Event>> {
  const namesOf = keptNamesOf(store);
  const read = await eventPages({ store }, scope, query);
  const pages = await allPages(async (after) => {
    const page = { limit: EXPORT_PAGE_ITEMS, ...(after === undefined ? {} : { lastId: after }) };
    const { items, lastId } = await read(page);
    return { items: rows(items, await namesOf(items)), lastId };
  });
  return { name: 'events', header: HEADER, cells, pages };
}

function* rows(views: readonly EventView[], names: Names): Generator<Event> {
  for (const view of views) yield shownEvent(view, names);
}

const cells = (event: Event): readonly (string | null)[] => [
  event.id,
  event.timestamp,
  event.type,
  event.deviceId,
  event.deviceName,
  event.fileId,
  event.fileName,
  event.alertId,
  event.hashId,
  event.note === '' ? null : event.note,
];
