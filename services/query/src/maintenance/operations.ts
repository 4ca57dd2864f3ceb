import { EXAMPLE, maintenance } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const oneWindow = { id: EXAMPLE.windowId };
const { reason, review } = maintenance;
const body = { reason, scope: { labels: ['site:graz'] }, end: '2026-11-21T12:00:00.000Z' };
const open = { ...maintenance, state: 'OPEN', review: null };

export const windowOperations: Operations = {
  'GET /maintenance/:orgId': {
    summary: 'Lists the maintenance windows, newest first',
    description:
      'The newest 500. `toReview`: those that ended and wait for their review, in the list with `toReview=true` the one that ended last first.',
    query: { toReview: true },
    answer: { windows: [maintenance], toReview: 0 },
  },
  'POST /maintenance/:orgId': {
    summary: 'Makes a maintenance window, from now or later, once or each week',
    description:
      'Reports are judged and alerts raised as always. An alert that is raised in it, with all its occurrences, is marked `planned`: out of health and of the active ones, until the window is reviewed. The marks of alerts that are there already stay as they are.',
    body,
    answer: { id: EXAMPLE.windowId },
    refuses: ['LIMIT_REACHED'],
  },
  'GET /maintenance/:orgId/:id': {
    summary: 'Reads a maintenance window',
    params: oneWindow,
    answer: maintenance,
    etag: true,
  },
  'PUT /maintenance/:orgId/:id': {
    summary: 'Changes a maintenance window from now on',
    description: 'As a whole. Once it has begun, its start stays; one that is over is 409.',
    params: oneWindow,
    body,
    answer: open,
    refuses: ['LIMIT_REACHED', 'CONFLICT'],
    etag: true,
    ifMatch: true,
  },
  'DELETE /maintenance/:orgId/:id': {
    summary: 'Ends a maintenance window now',
    params: oneWindow,
    answer: open,
    etag: true,
    ifMatch: true,
  },
  'PUT /maintenance/review/:orgId/:id': {
    summary: 'Reviews a maintenance window that is over',
    description:
      'Its alerts that are still active ask for attention again. `GET /alerts/groups/{orgId}?by=CHANGE&window=ID` groups them; `PUT /alerts/turnoff/{orgId}` dismisses several with one note.',
    params: oneWindow,
    body: { note: review.note },
    answer: maintenance,
    refuses: ['CONFLICT'],
    etag: true,
    ifMatch: true,
  },
};
