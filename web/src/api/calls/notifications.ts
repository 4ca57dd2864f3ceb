import {
  EmptySchema,
  NotificationRuleSchema,
  NotificationRulesSchema,
  NotificationSettingSchema,
  type NotificationSetting,
} from '@sentinel-node/contracts';
import type { NotificationRuleFields } from '../../answers.ts';
import type { Http } from '../http.ts';

type Id = string | null | undefined;

export const notificationCalls = (http: Http) => ({
  getNotificationRules: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getNotificationRules',
      path: '/notifications/rules/{orgId}',
      params: { orgId },
      answer: NotificationRulesSchema,
      ...(signal && { signal }),
    }),
  getNotificationRule: (orgId: Id, id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getNotificationRule',
      path: '/notifications/rules/{orgId}/{id}',
      params: { orgId, id },
      answer: NotificationRuleSchema,
      ...(signal && { signal }),
    }),
  addNotificationRule: (orgId: Id, body: NotificationRuleFields) =>
    http.call({
      name: 'addNotificationRule',
      method: 'POST',
      path: '/notifications/rules/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      answer: NotificationRuleSchema,
    }),
  updateNotificationRule: (orgId: Id, id: Id, body: NotificationRuleFields, ifMatch?: string) =>
    http.call({
      name: 'updateNotificationRule',
      method: 'PUT',
      path: '/notifications/rules/{orgId}/{id}',
      params: { orgId, id },
      body,
      bodyName: 'body',
      ifMatch,
      answer: NotificationRuleSchema,
    }),
  deleteNotificationRule: (orgId: Id, id: Id) =>
    http.call({
      name: 'deleteNotificationRule',
      method: 'DELETE',
      path: '/notifications/rules/{orgId}/{id}',
      params: { orgId, id },
      answer: EmptySchema,
    }),
  getOwnNotifications: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getOwnNotifications',
      path: '/notifications/own/{orgId}',
      params: { orgId },
      answer: NotificationSettingSchema,
      ...(signal && { signal }),
    }),
  updateOwnNotifications: (orgId: Id, body: NotificationSetting, ifMatch?: string) =>
    http.call({
      name: 'updateOwnNotifications',
      method: 'PUT',
      path: '/notifications/own/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      ifMatch,
      answer: NotificationSettingSchema,
    }),
  sendTestNotification: (orgId: Id) =>
    http.call({
      name: 'sendTestNotification',
      method: 'POST',
      path: '/notifications/test/{orgId}',
      params: { orgId },
      body: {},
      bodyName: 'body',
      answer: EmptySchema,
    }),
});
