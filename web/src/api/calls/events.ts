import { EventsSchema, EventSchema, type EventsQuery } from '@sentinel-node/contracts';
import type { Http } from '../http.ts';

type Id = string | null | undefined;

export const eventCalls = (http: Http) => ({
  getEvents: (orgId: Id, query: EventsQuery, signal?: AbortSignal) =>
    http.call({
      name: 'getEvents',
      path: '/events/{orgId}',
      params: { orgId },
      query,
      answer: EventsSchema,
      ...(signal && { signal }),
    }),
  getEvent: (orgId: Id, deviceId: Id, id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getEvent',
      path: '/events/single/{orgId}/{deviceId}/{id}',
      params: { orgId, deviceId, id },
      answer: EventSchema,
      ...(signal && { signal }),
    }),
  exportEvents: (orgId: Id, query: EventsQuery) =>
    http.download(
      {
        name: 'exportEvents',
        path: '/events/{orgId}',
        params: { orgId },
        query: { ...query, toExport: true },
      },
      'text/csv',
    ),
});
