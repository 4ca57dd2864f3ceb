import {
  omit,
  type AlertEntity,
  type DeviceEntity,
  type EnrolmentEntity,
  type FileEntity,
  type NotificationRuleEntity,
  type ExpectedEntity,
  type MaintenanceEntity,
  type OrganizationEntity,
  type RegistryRecord,
  type ServiceTokenEntity,
  type UserEntity,
  type WebhookEntity,
} from '@sentinel-node/contracts';
import { endOfWindow } from '../registry/maintenance.ts';
import { entryKey, spansOf } from '../registry/set-aside.ts';
import { VIEWS } from './collections.ts';
import type {
  AlertHistoryView,
  AlertWorkView,
  DeviceView,
  EnrolmentView,
  EventView,
  FileView,
  NotificationRuleView,
  ExpectedEntryView,
  ExpectedView,
  MaintenanceView,
  OrganizationView,
  PastStateView,
  ServiceTokenView,
  UserView,
  WebhookView,
} from './documents.ts';
import type { ViewOp } from './view-op.ts';

/** Returns the view writes of the entity in the record. Deleted entities stay, with a mark. */
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
    case 'WEBHOOK':
      return [{ collection: VIEWS.webhooks, mode: 'upsert', documents: [webhookView(entity, rev)] }];
    case 'NOTIFICATION_RULE':
      return [{ collection: VIEWS.notificationRules, mode: 'upsert', documents: [ruleView(entity, rev)] }];
    case 'EXPECTED':
      return expectedOps(entity, rev);
    case 'MAINTENANCE':
      return [{ collection: VIEWS.maintenance, mode: 'upsert', documents: [maintenanceView(entity, rev)] }];
  }
}

const ENTRY_DIGITS = 5;

function expectedOps(entity: ExpectedEntity, rev: number): ViewOp[] {
  const { id: listId, orgId, added, end, endedAt } = entity;
  const list: ExpectedView = { ...omit(entity, 'kind', 'added'), rev, overAt: endedAt ?? end };
  const ops: ViewOp[] = [{ collection: VIEWS.expected, mode: 'upsert', documents: [list] }];
  const entries = added.map(({ path, sha256 }, at): ExpectedEntryView => {
    const id = `${listId}-${String(at).padStart(ENTRY_DIGITS, '0')}`;
    return { id, orgId, listId, key: entryKey(orgId, path, sha256), path, sha256 };
  });
  if (entries.length > 0)
    ops.push({ collection: VIEWS.expectedEntries, mode: 'insertMissing', documents: entries });
  return ops;
}

function maintenanceView(entity: MaintenanceEntity, rev: number): MaintenanceView {
  const isReviewed = entity.review !== null || spansOf(entity.revisions).length === 0;
  return { ...omit(entity, 'kind'), rev, overAt: endOfWindow(entity), awaitsReview: !isReviewed };
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

function webhookView(entity: WebhookEntity, rev: number): WebhookView {
  const fields = omit(entity, 'kind', 'sealedTarget', 'secretVersion', 'earlierSecrets', 'deleted');
  return { ...fields, rev, isDeleted: entity.deleted };
}

function ruleView(entity: NotificationRuleEntity, rev: number): NotificationRuleView {
  return { ...omit(entity, 'kind'), rev };
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
  const past = [entity, ...entity.files, ...entity.removedFiles].flatMap((one) =>
    pastState(entity.orgId, one),
  );
  const ops: ViewOp[] = [
    { collection: VIEWS.devices, mode: 'upsert', documents: [deviceView(entity, rev)] },
    { collection: VIEWS.files, mode: 'upsert', documents: files },
  ];
  if (past.length > 0) ops.push({ collection: VIEWS.pastStates, mode: 'insertMissing', documents: past });
  return ops;
}

function pastState(orgId: string, { id, earlier }: Pick<FileEntity, 'id' | 'earlier'>): PastStateView[] {
  return earlier === undefined ? [] : [{ id: `${id}-${earlier.until}`, orgId, subjectId: id, ...earlier }];
}

const describedAt = ({ earlier }: Pick<FileEntity, 'earlier'>) =>
  earlier === undefined ? {} : { describedAt: earlier.until };

function deviceView(entity: DeviceEntity, rev: number): DeviceView {
  const fields = omit(entity, 'kind', 'previousKey', 'earlierKeys', 'files', 'removedFiles', 'earlier');
  return { ...fields, ...describedAt(entity), rev, filesCount: entity.files.length };
}

function fileView(device: DeviceEntity, file: FileEntity, rev: number, deleted: boolean): FileView {
  const fields = { ...omit(file, 'earlier'), ...describedAt(file) };
  return { ...fields, rev, orgId: device.orgId, deviceId: device.id, deleted };
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
