import { event, EXAMPLE, LISTED, RANGE } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const csv = 'Id;Timestamp;Type;Device id;Device name;File id;File name;Alert id;Hash id;Note\r\n';
const events = { answer: { events: [event], lastId: null }, csv, description: LISTED };

export const eventOperations: Operations = {
  'GET /events/:orgId': {
    summary: 'Lists the events of an organization',
    ...events,
    query: { ...RANGE, limit: 50, search: 'alert', timeZone: 'Europe/Zurich' },
  },
  'GET /events/:orgId/:deviceId': { summary: 'Lists the events of a device', ...events, query: RANGE },
  'GET /events/:orgId/:deviceId/:fileId': { summary: 'Lists the events of a file', ...events, query: RANGE },
  'GET /events/single/:orgId/:deviceId/:id': {
    summary: 'Reads an event',
    description: 'An event of no device has `-` in the place of its id.',
    params: { id: EXAMPLE.eventId },
    answer: event,
  },
};
