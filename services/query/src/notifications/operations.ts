import { EXAMPLE, notificationRule } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const { id: _, gaps: _gaps, isDefault: __, changed: ___, changedBy: ____, ...fields } = notificationRule;
const own = { mails: true, zone: 'Europe/Berlin', quietHours: { from: '22:00', to: '06:30' } };
const oneRule = { id: EXAMPLE.notificationRuleId };

export const notificationOperations: Operations = {
  'GET /notifications/rules/:orgId': {
    summary: 'Lists the rules by which the organization is told of what happens',
    description:
      'The default rule is there without having been made: administrators get new alerts and lost devices by mail. Its id is that of the organization. `gaps` says of each rule what it names and cannot tell now: a rule can be enabled and tell nobody. `undelivered` names mails of the organization that the mail server did not take: the newest 100 that were given up, and the oldest 100 that wait after an attempt that failed (`givenUp` null). `undeliveredBesides` counts the others.',
    answer: {
      rules: [notificationRule],
      undelivered: [
        {
          to: 'on-call@example.org',
          subject: '[Acme] Nothing is heard of Server 1.',
          made: '2026-11-21T10:00:00.000Z',
          why: 'REFUSED',
          givenUp: '2026-11-21T10:40:00.000Z',
        },
      ],
    },
  },
  'POST /notifications/rules/:orgId': {
    summary: 'Makes a rule',
    body: fields,
    answer: notificationRule,
    refuses: ['LIMIT_REACHED'],
  },
  'GET /notifications/rules/:orgId/:id': {
    summary: 'Reads a rule',
    params: oneRule,
    answer: notificationRule,
    etag: true,
  },
  'PUT /notifications/rules/:orgId/:id': {
    summary: 'Changes a rule as a whole; also the default rule',
    params: oneRule,
    body: fields,
    answer: notificationRule,
    etag: true,
    ifMatch: true,
  },
  'DELETE /notifications/rules/:orgId/:id': {
    summary: 'Deletes a rule; the default rule does not come back',
    params: oneRule,
    answer: {},
    ifMatch: true,
  },
  'GET /notifications/own/:orgId': {
    summary: 'Reads whether and when the caller gets mails',
    answer: own,
    etag: true,
  },
  'PUT /notifications/own/:orgId': {
    summary: 'Changes whether and when the caller gets mails',
    description: 'Mails of rules that are required still come.',
    body: own,
    answer: own,
    etag: true,
    ifMatch: true,
  },
  'POST /notifications/test/:orgId': { summary: 'Sends the caller a test mail', answer: {} },
  'POST /notifications/unsubscribe/:token': {
    summary: 'Switches mails off, by the address in a mail (RFC 8058)',
    description: 'Mail programs call it. The body may be `multipart/form-data` too.',
    params: { token: EXAMPLE.unsubscribeToken },
    body: { 'List-Unsubscribe': 'One-Click' },
    answer: {},
  },
};
