/** Messages to receivers, as the OpenAPI document describes them under `webhooks`. */
import { WEBHOOK_SHAPES } from '@sentinel-node/contracts';
import type { Notice } from '../notifications/index.ts';
import { EXAMPLE } from '../openapi/examples.ts';
import type { DescribedMessage } from '../openapi/operation.ts';
import { SHAPES } from './shapes/index.ts';

const NOTICE: Notice = {
  id: EXAMPLE.noticeId,
  type: 'alert.raised',
  orgId: EXAMPLE.orgId,
  at: '2026-11-21T10:00:00.000Z',
  severity: 'critical',
  orderKey: EXAMPLE.alertId,
  text: 'The file /etc/passwd of web-1 has changed.',
  device: { id: EXAMPLE.deviceId, name: 'web-1' },
  file: { id: EXAMPLE.fileId, path: '/etc/passwd' },
  alert: { id: EXAMPLE.alertId, type: 'UNEXPECTED_CHANGE', status: 'ACTIVE' },
};
const OPTIONS = { publicUrl: 'https://sentinel.example.org', routingKey: 'R0123456789ABCDEFGHIJKLMNOPQRSTU' };

/** Headers of Standard Webhooks. */
const HEADERS = {
  'webhook-id': 'id of the notice; the same at every attempt, so that a receiver knows a repetition',
  'webhook-timestamp': 'seconds since the Unix epoch of this attempt; refuse what is minutes old',
  'webhook-signature':
    '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; after a rotation two, with a blank between',
};

export const WEBHOOK_MESSAGES: Readonly<Record<string, DescribedMessage>> = Object.fromEntries(
  WEBHOOK_SHAPES.map((shape) => {
    const { contentType, schema, format } = SHAPES[shape];
    const summary = `A notice, in the shape \`${shape}\``;
    return [shape, { summary, contentType, schema, example: format(NOTICE, OPTIONS), headers: HEADERS }];
  }),
);
