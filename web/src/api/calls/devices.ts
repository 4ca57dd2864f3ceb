import {
  ActivitySchema,
  CategoryIntervalsSchema,
  CreatedSchema,
  DashboardSchema,
  DeviceCountsSchema,
  DeviceSchema,
  DevicesSchema,
  EmptySchema,
  type ActivityPeriod,
  type CreateDevice,
} from '@sentinel-node/contracts';
import type { FileInput, UpdateDevice } from '../../answers.ts';
import type { Http } from '../http.ts';
import { readDevice, readEach } from '../spellings.ts';

type Id = string | null | undefined;

export const deviceCalls = (http: Http) => ({
  getDashboard: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getDashboard',
      path: '/dashboard/{orgId}',
      params: { orgId },
      answer: DashboardSchema,
      read: readEach('devices', readDevice),
      ...(signal && { signal }),
    }),
  getActivity: (
    { orgId, period, timeZone }: { orgId: Id; period: ActivityPeriod; timeZone: string },
    signal?: AbortSignal,
  ) =>
    http.call({
      name: 'getActivity',
      path: '/dashboard/{orgId}/activity',
      params: { orgId },
      query: { period, timeZone },
      answer: ActivitySchema,
      ...(signal && { signal }),
    }),
  getDeviceCounts: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getDeviceCounts',
      path: '/dashboard/{orgId}/devices',
      params: { orgId },
      answer: DeviceCountsSchema,
      ...(signal && { signal }),
    }),
  getDevices: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getDevices',
      path: '/devices/{orgId}',
      params: { orgId },
      answer: DevicesSchema,
      read: readEach('devices', readDevice),
      ...(signal && { signal }),
    }),
  getDevice: (orgId: Id, id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getDevice',
      path: '/devices/{orgId}/{id}',
      params: { orgId, id },
      answer: DeviceSchema,
      read: readDevice,
      ...(signal && { signal }),
    }),
  getCategoryIntervals: (signal?: AbortSignal) =>
    http.call({
      name: 'getCategoryIntervals',
      path: '/devices/category/intervals',
      answer: CategoryIntervalsSchema,
      ...(signal && { signal }),
    }),
  addDevice: (orgId: Id, body: CreateDevice) =>
    http.call({
      name: 'addDevice',
      method: 'POST',
      path: '/devices/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      answer: CreatedSchema,
    }),
  updateDevice: (orgId: Id, id: Id, body: UpdateDevice, ifMatch?: string) =>
    http.call({
      name: 'updateDevice',
      method: 'PUT',
      path: '/devices/{orgId}/{id}',
      params: { orgId, id },
      body,
      bodyName: 'body',
      ifMatch,
      answer: DeviceSchema,
      read: readDevice,
    }),
  /** Makes a new key. @param now ends the old key at once instead of after 24 hours */
  rotateKey: (orgId: Id, id: Id, now: boolean) =>
    http.call({
      name: 'rotateKey',
      method: 'POST',
      path: '/devices/key/{orgId}/{id}',
      params: { orgId, id },
      body: { now },
      bodyName: 'body',
      answer: DeviceSchema,
      read: readDevice,
    }),
  deleteDevice: (orgId: Id, id: Id, forced: boolean) =>
    http.call({
      name: 'deleteDevice',
      method: 'PUT',
      path: '/devices/delete/{orgId}/{id}',
      params: { orgId, id },
      body: { forced },
      bodyName: 'forced',
      answer: EmptySchema,
    }),
  saveFiles: (orgId: Id, id: Id, files: FileInput[], ifMatch?: string) =>
    http.call({
      name: 'saveFiles',
      method: 'PUT',
      path: '/devices/files/{orgId}/{id}',
      params: { orgId, id },
      body: { files },
      bodyName: 'files',
      ifMatch,
      answer: DeviceSchema,
      read: readDevice,
    }),
});
