import {
  AlertCountsSchema,
  AlertGroupsSchema,
  AlertHistorySchema,
  AlertSchema,
  AlertsSchema,
  EmptySchema,
  ProofSchema,
  SavedViewsSchema,
  TurnedOffAlertsSchema,
  type AlertCountsQuery,
  type AlertGroupsQuery,
  type AlertsQuery,
  type AssignAlerts,
  type SavedView,
  type TurnOffAlert,
  type TurnOffAlerts,
} from '@sentinel-node/contracts';
import { SharedAlertSchema } from '../shared-alert.ts';
import type { Http } from '../http.ts';

type Id = string | null | undefined;

export interface AlertKey {
  orgId: Id;
  deviceId: Id;
  id: Id;
}

export const alertCalls = (http: Http) => ({
  getAlerts: (orgId: Id, query: AlertsQuery, signal?: AbortSignal) =>
    http.call({
      name: 'getAlerts',
      path: '/alerts/{orgId}',
      params: { orgId },
      query,
      answer: AlertsSchema,
      ...(signal && { signal }),
    }),
  getAlert: (key: AlertKey, signal?: AbortSignal) =>
    http.call({
      name: 'getAlert',
      path: '/alerts/{orgId}/{deviceId}/{id}',
      params: { ...key },
      answer: AlertSchema,
      ...(signal && { signal }),
    }),
  getSharedAlert: (id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getSharedAlert',
      path: '/alerts/link/shared/data/{id}',
      params: { id },
      answer: SharedAlertSchema,
      ...(signal && { signal }),
    }),
  getSharedProof: (id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getSharedProof',
      path: '/alerts/link/shared/proof/{id}',
      params: { id },
      answer: ProofSchema,
      isDocument: true,
      ...(signal && { signal }),
    }),
  shareAlert: (key: AlertKey, sharedEmailAddresses: string[]) =>
    http.call({
      name: 'shareAlert',
      method: 'POST',
      path: '/alerts/share/{orgId}/{deviceId}/{id}',
      params: { ...key },
      body: { sharedEmailAddresses },
      bodyName: 'sharedEmailAddresses',
      answer: EmptySchema,
    }),
  endSharing: (key: AlertKey) =>
    http.call({
      name: 'endSharing',
      method: 'DELETE',
      path: '/alerts/share/{orgId}/{deviceId}/{id}',
      params: { ...key },
      answer: EmptySchema,
    }),
  turnOffAlert: (key: AlertKey & { fileId: Id }, body: TurnOffAlert) =>
    http.call({
      name: 'turnOffAlert',
      method: 'PUT',
      path: '/alerts/turnoff/{orgId}/{deviceId}/{fileId}/{id}',
      params: { ...key },
      body,
      bodyName: 'body',
      answer: AlertSchema,
    }),
  turnOffAlerts: (orgId: Id, body: TurnOffAlerts) =>
    http.call({
      name: 'turnOffAlerts',
      method: 'PUT',
      path: '/alerts/turnoff/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      answer: TurnedOffAlertsSchema,
    }),
  getAlertCounts: (orgId: Id, query: AlertCountsQuery, signal?: AbortSignal) =>
    http.call({
      name: 'getAlertCounts',
      path: '/alerts/counts/{orgId}',
      params: { orgId },
      query,
      answer: AlertCountsSchema,
      ...(signal && { signal }),
    }),
  getAlertGroups: (orgId: Id, query: AlertGroupsQuery, signal?: AbortSignal) =>
    http.call({
      name: 'getAlertGroups',
      path: '/alerts/groups/{orgId}',
      params: { orgId },
      query,
      answer: AlertGroupsSchema,
      ...(signal && { signal }),
    }),
  getAlertHistory: (key: AlertKey, signal?: AbortSignal) =>
    http.call({
      name: 'getAlertHistory',
      path: '/alerts/history/{orgId}/{deviceId}/{id}',
      params: { ...key },
      answer: AlertHistorySchema,
      ...(signal && { signal }),
    }),
  assignAlerts: (orgId: Id, body: AssignAlerts) =>
    http.call({
      name: 'assignAlerts',
      method: 'PUT',
      path: '/alerts/assign/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      answer: TurnedOffAlertsSchema,
    }),
  commentAlert: (key: AlertKey, text: string) =>
    http.call({
      name: 'commentAlert',
      method: 'POST',
      path: '/alerts/comments/{orgId}/{deviceId}/{id}',
      params: { ...key },
      body: { text },
      bodyName: 'text',
      answer: AlertHistorySchema,
    }),
  getSavedViews: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getSavedViews',
      path: '/alerts/views/{orgId}',
      params: { orgId },
      answer: SavedViewsSchema,
      ...(signal && { signal }),
    }),
  saveViews: (orgId: Id, views: SavedView[]) =>
    http.call({
      name: 'saveViews',
      method: 'PUT',
      path: '/alerts/views/{orgId}',
      params: { orgId },
      body: { views },
      bodyName: 'views',
      answer: SavedViewsSchema,
    }),
  exportAlerts: (orgId: Id, query: AlertsQuery) =>
    http.download(
      {
        name: 'exportAlerts',
        path: '/alerts/{orgId}',
        params: { orgId },
        query: { ...query, toExport: true },
      },
      'text/csv',
    ),
});
