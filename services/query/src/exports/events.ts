import type { Event, EventsQuery } from '@sentinel-node/contracts';
import {
  eventPages,
  keptNamesOf,
  shownEvent,
  type Names,
  type ReadContext,
  type Scope,
} from '../reads/index.ts';
import type { EventView } from '../views/index.ts';
import { allPages, EXPORT_PAGE_ITEMS, type Export } from './export.ts';

const HEADER = 'Id;Timestamp;Type;Device id;Device name;File id;File name;Alert id;Hash id;Note'.split(';');

/** @throws ApiError NOT_FOUND, VALIDATION_FAILED */
export async function exportEvents(
  reads: ReadContext,
  scope: Scope,
  query: Omit<EventsQuery, 'toExport' | 'limit' | 'lastId'>,
): Promise<Export<Event>> {
  const namesOf = keptNamesOf(reads.store);
  const read = await eventPages(reads, scope, query);
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
