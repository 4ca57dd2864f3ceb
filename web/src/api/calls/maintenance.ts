import { CreatedSchema, MaintenanceListSchema, MaintenanceSchema } from '@sentinel-node/contracts';
import type { MaintenanceInput } from '../../answers.ts';
import type { Http } from '../http.ts';

type Id = string | null | undefined;

export const maintenanceCalls = (http: Http) => ({
  getMaintenance: (orgId: Id, query: { toReview?: boolean }, signal?: AbortSignal) =>
    http.call({
      name: 'getMaintenance',
      path: '/maintenance/{orgId}',
      params: { orgId },
      query,
      answer: MaintenanceListSchema,
      ...(signal && { signal }),
    }),
  getMaintenanceWindow: (orgId: Id, id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getMaintenanceWindow',
      path: '/maintenance/{orgId}/{id}',
      params: { orgId, id },
      answer: MaintenanceSchema,
      ...(signal && { signal }),
    }),
  openMaintenance: (orgId: Id, body: MaintenanceInput) =>
    http.call({
      name: 'openMaintenance',
      method: 'POST',
      path: '/maintenance/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      answer: CreatedSchema,
    }),
  changeMaintenance: (orgId: Id, id: Id, body: MaintenanceInput, ifMatch?: string) =>
    http.call({
      name: 'changeMaintenance',
      method: 'PUT',
      path: '/maintenance/{orgId}/{id}',
      params: { orgId, id },
      body,
      bodyName: 'body',
      ifMatch,
      answer: MaintenanceSchema,
    }),
  endMaintenance: (orgId: Id, id: Id) =>
    http.call({
      name: 'endMaintenance',
      method: 'DELETE',
      path: '/maintenance/{orgId}/{id}',
      params: { orgId, id },
      answer: MaintenanceSchema,
    }),
  reviewMaintenance: (orgId: Id, id: Id, note: string) =>
    http.call({
      name: 'reviewMaintenance',
      method: 'PUT',
      path: '/maintenance/review/{orgId}/{id}',
      params: { orgId, id },
      body: { note },
      bodyName: 'body',
      answer: MaintenanceSchema,
    }),
});
