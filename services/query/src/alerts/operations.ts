import {
  admin,
  alert,
  device,
  EXAMPLE,
  file,
  handledAlert,
  LISTED,
  RANGE,
  report,
} from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const oneAlert = { id: EXAMPLE.alertId };
const handling = { note: handledAlert.note, status: 'RESOLVED' };
const alertsCsv =
  'Id;Timestamp;Status;Type;Device id;Device name;File id;File name;Override user;Override user email;Shared;Shared data;Hash id;Event request;Bsv transaction id;Note\r\n';
const alerts = { answer: { alerts: [alert], lastId: null }, csv: alertsCsv, description: LISTED };

const counted = (value: string, name = value) => [{ value, name, alerts: 1 }];
const savedViews = { views: [{ name: 'Mine, newest first', query: 'status=ACTIVE&assignee=NOBODY' }] };
const history = {
  history: [
    {
      id: EXAMPLE.eventId,
      kind: 'COMMENTED',
      timestamp: alert.timestamp,
      by: admin.emailAddress,
      text: 'The deployment of today did this.',
      to: [],
    },
    { id: 'raised', kind: 'RAISED', timestamp: alert.timestamp, by: null, text: null, to: [] },
  ],
};

export const alertOperations: Operations = {
  'GET /alerts/:orgId': {
    summary: 'Lists the alerts of an organization',
    ...alerts,
    query: { ...RANGE, limit: 50, status: 'ACTIVE' },
  },
  'GET /alerts/:orgId/:deviceId': { summary: 'Lists the alerts of a device', ...alerts, query: RANGE },
  'GET /alerts/:orgId/:deviceId/:id': {
    summary: 'Reads an alert',
    params: oneAlert,
    answer: alert,
    etag: true,
  },
  'PUT /alerts/turnoff/:orgId/:deviceId/:fileId/:id': {
    summary: 'Dismisses (RESOLVED) or resets (DEACTIVATED) an alert',
    description: 'Of two people exactly one wins. `occurrences`: as the person saw it; more by now is 409.',
    params: oneAlert,
    body: { ...handling, occurrences: 1 },
    answer: handledAlert,
    refuses: ['ALERT_NOT_ACTIVE', 'ALERT_CHANGED'],
    etag: true,
    ifMatch: true,
  },
  'PUT /alerts/turnoff/:orgId': {
    summary: 'Dismisses or resets several alerts, with an answer for each',
    description:
      '`occurrences`: as the person saw them, in the order of `ids`; more by now is 409 for that alert.',
    body: { ids: [EXAMPLE.alertId], ...handling, occurrences: [1] },
    answer: { answers: [{ id: EXAMPLE.alertId, status: 200, code: null }] },
  },
  'GET /alerts/counts/:orgId': {
    summary: 'Counts the alerts that filters leave, by each value of each filter',
    description:
      'The counts of a filter are of the alerts that the other filters leave. Counted in memory, up to 200,000 alerts.',
    query: { ...RANGE, status: 'ACTIVE' },
    answer: {
      alerts: 1,
      status: counted(alert.status),
      type: counted(alert.type),
      category: counted(device.category),
      deviceId: counted(device.id, device.name),
      fileId: counted(file.id, file.name),
      handledBy: [],
      assignee: counted('NOBODY'),
      planned: counted('no'),
      window: [],
      expected: counted('no'),
      list: [],
    },
    refuses: ['LIMIT_REACHED'],
  },
  'GET /alerts/groups/:orgId': {
    summary: 'Groups the alerts that filters leave by device, file, type or equal content',
    description:
      'Groups with most alerts first. By `CHANGE`: alerts without content are in no group. Alerts that come between two pages change the order: a later page can repeat a group or leave one out.',
    query: { ...RANGE, by: 'CHANGE', status: 'ACTIVE' },
    answer: {
      groups: [
        {
          key: alert.contentHash,
          name: file.name,
          deviceName: null,
          alerts: 1,
          active: 1,
          devices: 1,
          files: 1,
          newest: alert.timestamp,
        },
      ],
      total: 1,
    },
    refuses: ['LIMIT_REACHED'],
  },
  'GET /alerts/history/:orgId/:deviceId/:id': {
    summary: 'Lists what happened to an alert, newest first',
    params: oneAlert,
    answer: history,
  },
  'PUT /alerts/assign/:orgId': {
    summary: 'Assigns alerts to a person, or to nobody, with an answer for each',
    description:
      'A REGULAR user takes alerts that nobody has, and gives their own back; other assignments are 403 in the answer of the alert.',
    body: { ids: [EXAMPLE.alertId], userId: null },
    answer: { answers: [{ id: EXAMPLE.alertId, status: 200, code: null }] },
  },
  'POST /alerts/comments/:orgId/:deviceId/:id': {
    summary: 'Adds a comment to an alert, and lists what happened to the alert',
    params: oneAlert,
    body: { text: history.history[0]!.text },
    answer: history,
    refuses: ['LIMIT_REACHED', 'CONFLICT'],
  },
  'GET /alerts/views/:orgId': {
    summary: 'Reads the views of the list of alerts that the caller saved',
    answer: savedViews,
    etag: true,
  },
  'PUT /alerts/views/:orgId': {
    summary: 'Replaces the views of the list of alerts that the caller saved',
    description: '`query` has the filters as the address of the console has them.',
    body: savedViews,
    answer: savedViews,
    refuses: ['CONFLICT'],
    etag: true,
    ifMatch: true,
  },
  'POST /alerts/share/:orgId/:deviceId/:id': {
    summary: 'Sends links to the public page of an alert',
    params: oneAlert,
    description:
      'The link ends after 30 days, or after `expiresInDays`; sharing again renews it. `shareExpiresAt` of the alert says when.',
    body: { sharedEmailAddresses: ['erin@example.com'], expiresInDays: 30 },
    answer: {},
    refuses: ['LIMIT_REACHED', 'CONFLICT'],
    ifMatch: true,
  },
  'DELETE /alerts/share/:orgId/:deviceId/:id': {
    summary: 'Ends the sharing: the public page is gone',
    params: oneAlert,
    answer: {},
    refuses: ['CONFLICT'],
    ifMatch: true,
  },
  'GET /alerts/link/shared/data/:id': {
    summary: 'What anybody with the link sees of a shared alert',
    params: oneAlert,
    refuses: ['SHARE_ENDED'],
    answer: {
      id: alert.id,
      timestamp: alert.timestamp,
      status: 'RESOLVED',
      type: alert.type,
      deviceId: alert.deviceId,
      deviceName: alert.deviceName,
      fileId: alert.fileId,
      fileName: alert.fileName,
      overrideUserEmail: admin.emailAddress,
      note: handledAlert.note,
      eventRequest: JSON.stringify(report),
    },
  },
};
