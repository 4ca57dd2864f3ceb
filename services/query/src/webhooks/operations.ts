import { EXAMPLE, webhook } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const { name, shape, url } = webhook;
const params = { id: EXAMPLE.webhookId };
const AT = '2026-11-21T10:00:00.000Z';
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDAAAAAAAAAAA=';

export const webhookOperations: Operations = {
  'GET /webhooks/:orgId': {
    summary: 'Lists the webhooks, newest first',
    description: 'With what waits for each, and its last attempt. The secrets are not among it.',
    answer: { webhooks: [webhook] },
  },
  'POST /webhooks/:orgId': {
    summary: 'Makes a webhook, to which notices are sent',
    description:
      'Only this answer contains the secret, with which each message is signed (Standard Webhooks). The messages are described under `webhooks` of this document.',
    body: { name, shape, url },
    answer: { id: EXAMPLE.webhookId, secret },
    refuses: ['LIMIT_REACHED'],
  },
  'GET /webhooks/:orgId/:id': { summary: 'Reads a webhook', params, answer: webhook, etag: true },
  'PUT /webhooks/:orgId/:id': {
    summary: 'Changes a webhook, or switches it on or off',
    description:
      'What is absent stays. While it is off nothing is kept for it; what waited becomes dead letters.',
    params,
    body: { name, enabled: true },
    answer: {},
    ifMatch: true,
  },
  'DELETE /webhooks/:orgId/:id': {
    summary: 'Deletes a webhook, with its dead letters and its log',
    params,
    answer: {},
    ifMatch: true,
  },
  'POST /webhooks/secret/:orgId/:id': {
    summary: 'Makes a new secret; the one before is valid for 24 hours more',
    description:
      'Only this answer contains the secret. Until then each message has a signature of both. Each secret that was replaced is valid for its 24 hours, up to five of them.',
    params,
    answer: { secret, previousValidUntil: '2026-11-22T10:00:00.000Z' },
    refuses: ['LIMIT_REACHED'],
  },
  'POST /webhooks/test/:orgId/:id': {
    summary: 'Sends a test notice',
    description: 'It goes as every notice does; the log of deliveries shows the answer of the receiver.',
    params,
    answer: { noticeId: EXAMPLE.noticeId },
    refuses: ['CONFLICT'],
  },
  'GET /webhooks/deliveries/:orgId/:id': {
    summary: 'Lists the newest attempts to deliver, with the answers of the receiver',
    description: 'The newest 200 of 30 days, newest first.',
    params,
    answer: {
      deliveries: [
        {
          id: EXAMPLE.webhookAttemptId,
          noticeId: EXAMPLE.noticeId,
          noticeType: 'test',
          at: AT,
          attempt: 1,
          delivered: true,
          status: 200,
          ms: 84,
          answer: 'ok',
          problem: null,
        },
      ],
    },
  },
  'GET /webhooks/dead-letters/:orgId/:id': {
    summary: 'Lists notices that could not be delivered',
    description:
      'The newest 500, newest first. A notice is tried for three days; it is kept for 30 days then, and the newest 1,000 of a webhook are.',
    params,
    answer: {
      deadLetters: [
        {
          noticeId: EXAMPLE.noticeId,
          noticeType: 'alert.raised',
          text: 'The file /etc/passwd of web-1 has changed.',
          at: AT,
          givenUpAt: '2026-11-24T10:00:00.000Z',
          attempts: 24,
          problem: 'the receiver answered 500',
        },
      ],
    },
  },
  'POST /webhooks/dead-letters/:orgId/:id': {
    summary: 'Sends dead letters again, under their first id',
    params,
    body: { noticeIds: [EXAMPLE.noticeId] },
    answer: { count: 1 },
    refuses: ['CONFLICT'],
  },
};
