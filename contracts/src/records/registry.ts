/**
 * Records of `sentinel.registry.v1` (key: orgId). Each holds the whole entity after the change with the version of its
 * stream, so a duplicate or late record is harmless: a view ignores a version not above its own.
 */
import { Type, type Static } from 'typebox';
import { CategorySchema, EventTypeSchema, RoleSchema } from '../enums.ts';
import {
  closed,
  CountSchema,
  IdSchema,
  MillisecondsSchema,
  nullable,
  UuidSchema,
} from '../schemas/common.ts';
import { DeviceTemplateSchema } from '../schemas/enrolment.ts';
import { fileFields } from '../schemas/entities.ts';
import { WebhookDisabledSchema, WebhookShapeSchema } from '../schemas/webhook.ts';
import { notificationRuleFields } from '../schemas/notification.ts';
import { ExpectedEntrySchema } from '../schemas/expected.ts';
import { DeviceLabelsSchema } from '../schemas/labels.ts';
import { DeviceLimitsSchema } from '../schemas/service-token.ts';
import { WeeklySchema } from '../schemas/maintenance.ts';
import { recorded, recordedFields } from './recorded.ts';

export const UserEntitySchema = closed({
  id: UuidSchema,
  name: Type.String(),
  /** As typed; compared after lower-casing. */
  emailAddress: Type.String(),
  role: RoleSchema,
  active: Type.Boolean(),
  /** The wallet's user id once bound; null before the first sign-in. */
  walletUserId: nullable(Type.String()),
  creationDate: MillisecondsSchema,
  /** SHA-256 (hex) of the activation id that is valid now; null when confirmed. */
  activation: nullable(closed({ idHash: Type.String(), expiresAt: MillisecondsSchema })),
});
export type UserEntity = Static<typeof UserEntitySchema>;

export const OrganizationEntitySchema = closed({
  kind: Type.Literal('ORGANIZATION'),
  id: UuidSchema,
  name: Type.String(),
  stripeId: nullable(Type.String()),
  creationDate: MillisecondsSchema,
  users: Type.Array(UserEntitySchema),
  /** Users deleted by this commit, so that their sessions and views can be ended. */
  removedUsers: Type.Array(UserEntitySchema),
});
export type OrganizationEntity = Static<typeof OrganizationEntitySchema>;

/** When monitoring was last switched on again; absent when never since the creation. */
const EnabledAtSchema = Type.Optional(MillisecondsSchema);

/** Path and labels that apply to alerts before `until`; absent when they are those of the creation. */
const EarlierSchema = Type.Optional(
  closed({ until: MillisecondsSchema, path: Type.String(), labels: Type.Array(Type.String()) }),
);

/**
 * When the agent was last told another absolute path, and the configVersion that tells it; absent when never since the creation.
 */
const MovedSchema = Type.Optional(closed({ at: MillisecondsSchema, version: CountSchema }));

export const FileEntitySchema = closed({
  id: UuidSchema,
  ...recordedFields(fileFields),
  earlier: EarlierSchema,
  creationDate: MillisecondsSchema,
  enabledAt: EnabledAtSchema,
  moved: MovedSchema,
});
export type FileEntity = Static<typeof FileEntitySchema>;

/** A replaced API key of a device, or secret of a webhook, with the end of the time that was promised for it. */
const KeyUntilSchema = closed({ version: CountSchema, validUntil: MillisecondsSchema });
export type KeyUntil = Static<typeof KeyUntilSchema>;

export const DeviceEntitySchema = closed({
  kind: Type.Literal('DEVICE'),
  id: UuidSchema,
  orgId: UuidSchema,
  name: Type.String(),
  description: Type.String(),
  path: Type.String(),
  healthInterval: Type.Integer(),
  enabled: Type.Boolean(),
  category: CategorySchema,
  disabledNote: nullable(Type.String()),
  disabledDate: nullable(MillisecondsSchema),
  /** E-mail of the user who disabled the device. */
  disabledBy: nullable(Type.String()),
  enabledAt: EnabledAtSchema,
  labels: Type.Optional(recorded(DeviceLabelsSchema)),
  earlier: EarlierSchema,
  creationDate: MillisecondsSchema,
  /** Stream version after the last change of a path, interval, key or file policy field. */
  configVersion: CountSchema,
  keyVersion: CountSchema,
  previousKey: nullable(KeyUntilSchema),
  /** Keys before the previous one that were promised to work at the last change of the key; absent without one. */
  earlierKeys: Type.Optional(Type.Array(KeyUntilSchema)),
  deleted: Type.Boolean(),
  files: Type.Array(FileEntitySchema),
  /** Files deleted by this commit. */
  removedFiles: Type.Array(FileEntitySchema),
});
export type DeviceEntity = Static<typeof DeviceEntitySchema>;

export const EnrolmentEntitySchema = closed({
  kind: Type.Literal('ENROLMENT'),
  id: UuidSchema,
  orgId: UuidSchema,
  name: Type.String(),
  namePattern: Type.String(),
  template: recorded(DeviceTemplateSchema),
  /** SHA-256 (hex) of the token. */
  tokenHash: Type.String(),
  uses: CountSchema,
  expiresAt: MillisecondsSchema,
  creationDate: MillisecondsSchema,
  /** E-mail of the user who made the token. */
  createdBy: Type.String(),
  endedAt: nullable(MillisecondsSchema),
  /** Time of the last event about a refused use; null when there was none. */
  refusalToldAt: nullable(MillisecondsSchema),
});
export type EnrolmentEntity = Static<typeof EnrolmentEntitySchema>;

export const ServiceTokenEntitySchema = closed({
  kind: Type.Literal('SERVICE_TOKEN'),
  id: UuidSchema,
  orgId: UuidSchema,
  name: Type.String(),
  role: RoleSchema,
  readOnly: Type.Boolean(),
  /** Absent for the whole organisation. */
  limits: Type.Optional(recorded(DeviceLimitsSchema)),
  /** SHA-256 (hex) of the token. */
  tokenHash: Type.String(),
  expiresAt: MillisecondsSchema,
  creationDate: MillisecondsSchema,
  /** E-mail of the administrator who made it. */
  createdBy: Type.String(),
  endedAt: nullable(MillisecondsSchema),
});
export type ServiceTokenEntity = Static<typeof ServiceTokenEntitySchema>;

export const WebhookEntitySchema = closed({
  kind: Type.Literal('WEBHOOK'),
  id: UuidSchema,
  orgId: UuidSchema,
  name: Type.String(),
  shape: WebhookShapeSchema,
  /** URL and routing key, encrypted: for some receivers the URL is the only secret. */
  sealedTarget: Type.String(),
  /** The part of the URL that people may see. */
  shownUrl: Type.String(),
  enabled: Type.Boolean(),
  /** null while the webhook is enabled. */
  disabledBecause: nullable(WebhookDisabledSchema),
  /** Version from which the secret is derived. */
  secretVersion: CountSchema,
  previousSecret: nullable(KeyUntilSchema),
  /** Secrets before the previous one that were promised to be valid at the last change of the secret; absent without one. */
  earlierSecrets: Type.Optional(Type.Array(KeyUntilSchema)),
  creationDate: MillisecondsSchema,
  /** E-mail of the administrator who made it. */
  createdBy: Type.String(),
  deleted: Type.Boolean(),
});
export type WebhookEntity = Static<typeof WebhookEntitySchema>;

/** Assignment and comments of an alert, which its chain does not contain. */
export const AlertEntitySchema = closed({
  kind: Type.Literal('ALERT'),
  id: IdSchema,
  orgId: UuidSchema,
  deviceId: UuidSchema,
  fileId: UuidSchema,
  /** User who should handle the alert, with the e-mail at the time of the assignment. */
  assignee: nullable(closed({ userId: UuidSchema, email: Type.String() })),
  comments: CountSchema,
  /** The change of the last commit; each commit has exactly one. */
  lastChange: Type.Union([
    closed({
      type: Type.Literal('ASSIGNED'),
      assignee: nullable(closed({ userId: UuidSchema, email: Type.String() })),
    }),
    closed({ type: Type.Literal('COMMENTED'), text: Type.String() }),
  ]),
});
export type AlertEntity = Static<typeof AlertEntitySchema>;

/** Rule by which an organisation is notified. */
export const NotificationRuleEntitySchema = closed({
  kind: Type.Literal('NOTIFICATION_RULE'),
  /** The default rule has the id of the organisation. */
  id: UuidSchema,
  orgId: UuidSchema,
  ...recordedFields(notificationRuleFields),
  changedAt: MillisecondsSchema,
  /** E-mail of the user who last changed the rule. */
  changedBy: Type.String(),
  deleted: Type.Boolean(),
});
export type NotificationRuleEntity = Static<typeof NotificationRuleEntitySchema>;
/** Covered devices, files and labels; each file with its device. */
export const CoveredSchema = closed({
  everything: Type.Boolean(),
  deviceIds: Type.Array(UuidSchema),
  files: Type.Array(closed({ id: UuidSchema, deviceId: UuidSchema })),
  labels: Type.Array(Type.String()),
});
export type Covered = Static<typeof CoveredSchema>;

export const IntervalSchema = closed({ from: MillisecondsSchema, to: MillisecondsSchema });
/** Milliseconds, [from, to). */
export type Interval = Static<typeof IntervalSchema>;

export const MaintenanceEntitySchema = closed({
  kind: Type.Literal('MAINTENANCE'),
  id: UuidSchema,
  orgId: UuidSchema,
  reason: Type.String(),
  start: MillisecondsSchema,
  end: MillisecondsSchema,
  weekly: nullable(recorded(WeeklySchema)),
  /** Scope and intervals from `at` to the next revision, oldest first. The last of an ended window has no intervals. */
  revisions: Type.Array(
    closed({ at: MillisecondsSchema, scope: CoveredSchema, intervals: Type.Array(IntervalSchema) }),
  ),
  creationDate: MillisecondsSchema,
  /** E-mail. */
  createdBy: Type.String(),
  endedAt: nullable(MillisecondsSchema),
  review: nullable(closed({ at: MillisecondsSchema, by: Type.String(), note: Type.String() })),
});
export type MaintenanceEntity = Static<typeof MaintenanceEntitySchema>;

export const ExpectedEntitySchema = closed({
  kind: Type.Literal('EXPECTED'),
  id: UuidSchema,
  orgId: UuidSchema,
  reason: Type.String(),
  scope: CoveredSchema,
  /** Number of entries. */
  entries: CountSchema,
  /** Entries added by this commit; the first commit adds all. */
  added: Type.Array(recorded(ExpectedEntrySchema)),
  creationDate: MillisecondsSchema,
  /** E-mail. */
  createdBy: Type.String(),
  end: MillisecondsSchema,
  endedAt: nullable(MillisecondsSchema),
});
export type ExpectedEntity = Static<typeof ExpectedEntitySchema>;

export const RegistryEventSchema = closed({
  id: IdSchema,
  type: EventTypeSchema,
  deviceId: nullable(UuidSchema),
  fileId: nullable(UuidSchema),
  /** Absent when the event is not about an alert. */
  alertId: Type.Optional(IdSchema),
  note: Type.String(),
});
export type RegistryEvent = Static<typeof RegistryEventSchema>;

export const RegistryRecordSchema = closed({
  v: Type.Literal(1),
  /**
   * `org:{id}`, `device:{id}`, `enrolment:{id}`, `service-token:{id}`, `webhook:{id}`, `notification-rule:{id}`,
   * `maintenance:{id}`, `expected:{id}` or `alert:{id}`.
   */
  stream: Type.String(),
  version: CountSchema,
  orgId: UuidSchema,
  at: MillisecondsSchema,
  by: nullable(closed({ userId: Type.String(), email: Type.String() })),
  entity: Type.Union([
    OrganizationEntitySchema,
    DeviceEntitySchema,
    EnrolmentEntitySchema,
    ServiceTokenEntitySchema,
    MaintenanceEntitySchema,
    ExpectedEntitySchema,
    AlertEntitySchema,
    WebhookEntitySchema,
    NotificationRuleEntitySchema,
  ]),
  events: Type.Array(RegistryEventSchema),
});
export type RegistryRecord = Static<typeof RegistryRecordSchema>;

export const organizationStream = (orgId: string): string => `org:${orgId}`;
export const deviceStream = (deviceId: string): string => `device:${deviceId}`;
export const enrolmentStream = (enrolmentId: string): string => `enrolment:${enrolmentId}`;
export const serviceTokenStream = (tokenId: string): string => `service-token:${tokenId}`;
export const webhookStream = (webhookId: string): string => `webhook:${webhookId}`;
export const notificationRuleStream = (ruleId: string): string => `notification-rule:${ruleId}`;
export const maintenanceStream = (windowId: string): string => `maintenance:${windowId}`;
export const expectedStream = (listId: string): string => `expected:${listId}`;
export const alertStream = (alertId: string): string => `alert:${alertId}`;
