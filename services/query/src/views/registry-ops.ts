import {
  omit,
  type AlertEntity,
  type DeviceEntity,
  type EnrolmentEntity,
  type FileEntity,
  type OrganizationEntity,
  type RegistryRecord,
  type ServiceTokenEntity,
  type UserEntity,
} from '@sentinel-node/contracts';
import { VIEWS } from './collections.ts';
import type {
  AlertHistoryView,
  AlertWorkView,
  DeviceView,
  EnrolmentView,
  EventView,
  FileView,
  OrganizationView,
  ServiceTokenView,
  UserView,
} from './documents.ts';
import type { ViewOp } from './view-op.ts';

/** Views of the whole entity that the record holds. Deleted things stay, marked. */
export function registryOps(record: RegistryRecord): ViewOp[] {
  const { entity, version } = record;
  const ops = entityOps(entity, version);
  if (entity.kind === 'ALERT') ops.push(...alertHistoryOps(record, entity));
  if (record.events.length > 0) {
    const documents = record.events.map((event) => eventView(record, event));
    ops.push({ collection: VIEWS.events, mode: 'insertMissing', documents });
  }
  return ops;
}

function entityOps(entity: RegistryRecord['entity'], rev: number): ViewOp[] {
  switch (entity.kind) {
    case 'DEVICE':
      return deviceOps(entity, rev);
    case 'ORGANIZATION':
      return organizationOps(entity, rev);
    case 'ALERT':
      return [{ collection: VIEWS.alertWork, mode: 'upsert', documents: [alertWorkView(entity, rev)] }];
    case 'ENROLMENT':
      return [{ collection: VIEWS.enrolments, mode: 'upsert', documents: [enrolmentView(entity, rev)] }];
    case 'SERVICE_TOKEN':
      return [
        { collection: VIEWS.serviceTokens, mode: 'upsert', documents: [serviceTokenView(entity, rev)] },
      ];
  }
}

function alertWorkView({ id, orgId, assignee, comments }: AlertEntity, rev: number): AlertWorkView {
  return { id, rev, orgId, assignee, comments };
}

function alertHistoryOps({ at, by, events }: RegistryRecord, entity: AlertEntity): ViewOp[] {
  const { id: alertId, orgId, lastChange } = entity;
  const isComment = lastChange.type === 'COMMENTED';
  const documents = events.map(({ id }): AlertHistoryView => ({
    id,
    orgId,
    alertId,
    kind: lastChange.type,
    timestamp: at,
    by: by?.email ?? null,
    text: isComment ? lastChange.text : null,
    to: isComment ? null : (lastChange.assignee?.email ?? null),
  }));
  return [{ collection: VIEWS.alertHistory, mode: 'insertMissing', documents }];
}

function enrolmentView(entity: EnrolmentEntity, rev: number): EnrolmentView {
  const fields = omit(entity, 'kind', 'tokenHash', 'refusalToldAt');
  return { ...fields, rev, isEnded: entity.endedAt !== null };
}

function serviceTokenView(entity: ServiceTokenEntity, rev: number): ServiceTokenView {
  return { ...omit(entity, 'kind', 'tokenHash'), rev, isEnded: entity.endedAt !== null };
}

function organizationOps(entity: OrganizationEntity, rev: number): ViewOp[] {
  const { id, name, stripeId, creationDate } = entity;
  const organization: OrganizationView = { id, rev, name, stripeId, creationDate };
  const users = [
    ...entity.users.map((user) => userView(id, user, rev, false)),
    ...entity.removedUsers.map((user) => userView(id, user, rev, true)),
  ];
  return [
    { collection: VIEWS.organizations, mode: 'upsert', documents: [organization] },
    { collection: VIEWS.users, mode: 'upsert', documents: users },
  ];
}

function userView(orgId: string, user: UserEntity, rev: number, deleted: boolean): UserView {
  const { id, name, emailAddress, role, active, creationDate } = user;
  return { id, rev, orgId, name, emailAddress, role, active, creationDate, deleted };
}

function deviceOps(entity: DeviceEntity, rev: number): ViewOp[] {
  const files = [
    ...entity.files.map((file) => fileView(entity, file, rev, entity.deleted)),
    ...entity.removedFiles.map((file) => fileView(entity, file, rev, true)),
  ];
  return [
    { collection: VIEWS.devices, mode: 'upsert', documents: [deviceView(entity, rev)] },
    { collection: VIEWS.files, mode: 'upsert', documents: files },
  ];
}

function deviceView(entity: DeviceEntity, rev: number): DeviceView {
  const fields = omit(entity, 'kind', 'previousKey', 'files', 'removedFiles');
  return { ...fields, rev, filesCount: entity.files.length };
}

function fileView(device: DeviceEntity, file: FileEntity, rev: number, deleted: boolean): FileView {
  return { ...file, rev, orgId: device.orgId, deviceId: device.id, deleted };
}

function eventView(record: RegistryRecord, event: RegistryRecord['events'][number]): EventView {
  const { id, type, deviceId, fileId, alertId = null, note } = event;
  return {
    id,
    orgId: record.orgId,
    deviceId,
    fileId,
    type,
    timestamp: record.at,
    alertId,
    hashId: null,
    note,
  };
}
