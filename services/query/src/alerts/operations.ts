import { admin, alert, EXAMPLE, handledAlert, LISTED, RANGE, report } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const oneAlert = { id: EXAMPLE.alertId };
const handling = { note: handledAlert.note, status: 'RESOLVED' };
const alertsCsv =
  'Id;Timestamp;Status;Type;Device id;Device name;File id;File name;Override user;Override user email;Shared;Shared data;Hash id;Event request;Bsv transaction id;Note\r\n';
const alerts = { answer: { alerts: [alert], lastId: null }, csv: alertsCsv, description: LISTED };

export const alertOperations: Operations = {
  'GET /alerts/:orgId': {
    summary: 'Lists the alerts of an organisation',
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
    body: { ids: [EXAMPLE.alertId], ...handling },
    answer: { answers: [{ id: EXAMPLE.alertId, status: 200, code: null }] },
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
