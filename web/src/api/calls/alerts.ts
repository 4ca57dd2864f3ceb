import {
  AlertSchema,
  AlertsSchema,
  EmptySchema,
  ProofSchema,
  TurnedOffAlertsSchema,
  type AlertsQuery,
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
