import {
  CreatedWebhookSchema,
  EmptySchema,
  RotatedWebhookSchema,
  SentAgainSchema,
  WebhookDeadLettersSchema,
  WebhookDeliveriesSchema,
  WebhooksSchema,
  WebhookTestSchema,
  type CreateWebhook,
  type UpdateWebhook,
} from '@sentinel-node/contracts';
import type { Http } from '../http.ts';

type Id = string | null | undefined;

export const webhookCalls = (http: Http) => ({
  getWebhooks: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getWebhooks',
      path: '/webhooks/{orgId}',
      params: { orgId },
      answer: WebhooksSchema,
      ...(signal && { signal }),
    }),
  addWebhook: (orgId: Id, body: CreateWebhook) =>
    http.call({
      name: 'addWebhook',
      method: 'POST',
      path: '/webhooks/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      answer: CreatedWebhookSchema,
    }),
  updateWebhook: (orgId: Id, id: Id, body: UpdateWebhook) =>
    http.call({
      name: 'updateWebhook',
      method: 'PUT',
      path: '/webhooks/{orgId}/{id}',
      params: { orgId, id },
      body,
      bodyName: 'body',
      answer: EmptySchema,
    }),
  deleteWebhook: (orgId: Id, id: Id) =>
    http.call({
      name: 'deleteWebhook',
      method: 'DELETE',
      path: '/webhooks/{orgId}/{id}',
      params: { orgId, id },
      answer: EmptySchema,
    }),
  rotateWebhookSecret: (orgId: Id, id: Id) =>
    http.call({
      name: 'rotateWebhookSecret',
      method: 'POST',
      path: '/webhooks/secret/{orgId}/{id}',
      params: { orgId, id },
      answer: RotatedWebhookSchema,
    }),
  testWebhook: (orgId: Id, id: Id) =>
    http.call({
      name: 'testWebhook',
      method: 'POST',
      path: '/webhooks/test/{orgId}/{id}',
      params: { orgId, id },
      answer: WebhookTestSchema,
    }),
  getWebhookDeliveries: (orgId: Id, id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getWebhookDeliveries',
      path: '/webhooks/deliveries/{orgId}/{id}',
      params: { orgId, id },
      answer: WebhookDeliveriesSchema,
      ...(signal && { signal }),
    }),
  getDeadLetters: (orgId: Id, id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getDeadLetters',
      path: '/webhooks/dead-letters/{orgId}/{id}',
      params: { orgId, id },
      answer: WebhookDeadLettersSchema,
      ...(signal && { signal }),
    }),
  sendAgain: (orgId: Id, id: Id, noticeIds: string[]) =>
    http.call({
      name: 'sendAgain',
      method: 'POST',
      path: '/webhooks/dead-letters/{orgId}/{id}',
      params: { orgId, id },
      body: { noticeIds },
      bodyName: 'body',
      answer: SentAgainSchema,
    }),
});
