import { LIMITS, type Event, type EventsQuery } from '@sentinel-node/contracts';
import { readEvents, type ReadContext, type Scope } from '../reads/index.ts';
import { allPages, type Export } from './export.ts';

const HEADER = 'Id;Timestamp;Type;Device id;Device name;File id;File name;Alert id;Hash id;Note'.split(';');

/** @throws ApiError NOT_FOUND, VALIDATION_FAILED */
export async function exportEvents(
  reads: ReadContext,
  scope: Scope,
  query: Omit<EventsQuery, 'toExport' | 'limit' | 'lastId'>,
): Promise<Export<Event>> {
  const pages = await allPages(async (lastId) => {
    const page = { limit: LIMITS.pageItems, ...(lastId === undefined ? {} : { lastId }) };
    const { events, lastId: next } = await readEvents(reads, scope, { ...query, ...page });
    return { items: events, lastId: next };
  });
  return { name: 'events', header: HEADER, cells, pages };
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
