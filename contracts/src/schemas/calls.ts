import { Type, type Static } from 'typebox';
import { CategorySchema, HandledStatusSchema, oneOf, RoleSchema } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { VISIBLE_PATTERN } from '../visible.ts';
import {
  closed,
  CountSchema,
  CursorSchema,
  DescriptionSchema,
  EmailSchema,
  IdSchema,
  NameSchema,
  NoteSchema,
  nullable,
  PathSchema,
  TimestampSchema,
  UuidSchema,
} from './common.ts';
import {
  AlertSchema,
  ChainEntrySchema,
  DeviceListItemSchema,
  EventSchema,
  fileFields,
  HealthIntervalSchema,
  LinkSchema,
  UserSchema,
} from './entities.ts';
import { alertFilterFields, LIST_ORDERS } from './alert-filter.ts';
import { DeviceLabelsSchema, LabelSchema } from './labels.ts';

/** RFC 9457 problem details. */
export const ProblemSchema = closed({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.Optional(Type.String()),
  code: Type.String(),
  requestId: Type.String(),
  errors: Type.Optional(Type.Array(closed({ path: Type.String(), message: Type.String() }))),
});
export type Problem = Static<typeof ProblemSchema>;

export const EmptySchema = closed({});
export const CreatedSchema = closed({ id: IdSchema });

/** POST /e2walletlogin: the wallet's statement that a person signed in (decision 3 of the specification). */
export const WalletCredentialsSchema = closed({
  accessToken: Type.String({ minLength: 16, maxLength: 512 }),
  userId: Type.String({ minLength: 1, maxLength: 200 }),
  email: EmailSchema,
  name: NameSchema,
  issuedAt: TimestampSchema,
  audience: Type.String({ maxLength: 2_000 }),
  signature: Type.String({
    pattern: '^[0-9a-f]+$',
    maxLength: 200,
    description: 'ECDSA secp256k1, DER, hex',
  }),
});
export type WalletCredentials = Static<typeof WalletCredentialsSchema>;

/** GET /session; GET /login adds the token. */
export const SessionSchema = closed({
  success: Type.Boolean(),
  name: Type.String(),
  email: Type.String(),
  userRole: nullable(RoleSchema),
  orgId: nullable(UuidSchema),
  userId: Type.String(),
});
export type Session = Static<typeof SessionSchema>;
export const LoginResultSchema = Type.Union([
  closed({
    success: Type.Literal(true),
    name: Type.String(),
    email: Type.String(),
    userRole: nullable(RoleSchema),
    orgId: nullable(UuidSchema),
    userId: Type.String(),
    token: Type.String(),
  }),
  closed({ success: Type.Literal(false) }),
]);
export type LoginResult = Static<typeof LoginResultSchema>;

export const CreateOrganizationSchema = closed({
  name: NameSchema,
  userName: NameSchema,
  e2Id: Type.String({ minLength: 1, maxLength: 200, description: 'user id of the token, or noUserId' }),
  emailAddress: EmailSchema,
});
export type CreateOrganization = Static<typeof CreateOrganizationSchema>;
export const UpdateOrganizationSchema = closed({
  stripeId: Type.String({ minLength: 1, maxLength: 200, pattern: VISIBLE_PATTERN }),
});

export const CreateUserSchema = closed({
  name: NameSchema,
  email: EmailSchema,
  type: RoleSchema,
  orgId: UuidSchema,
});
export type CreateUser = Static<typeof CreateUserSchema>;
export const UpdateUserSchema = closed({ name: NameSchema, emailAddress: EmailSchema, role: RoleSchema });
export type UpdateUser = Static<typeof UpdateUserSchema>;

export const CreateDeviceSchema = closed({
  name: NameSchema,
  description: Type.Optional(DescriptionSchema),
  path: PathSchema,
  healthInterval: HealthIntervalSchema,
  monitoring: Type.Boolean(),
  category: CategorySchema,
  labels: Type.Optional(DeviceLabelsSchema),
});
export type CreateDevice = Static<typeof CreateDeviceSchema>;

/** A file in a request: without `id` it is added, with one it is changed. */
export const FileInputSchema = closed({
  id: Type.Optional(UuidSchema),
  ...fileFields,
  description: Type.Optional(DescriptionSchema),
});
export type FileInput = Static<typeof FileInputSchema>;
export const FilesInputSchema = closed({
  files: Type.Array(FileInputSchema, { maxItems: LIMITS.filesPerDevice }),
});

export const UpdateDeviceSchema = closed({
  name: NameSchema,
  description: Type.Optional(DescriptionSchema),
  path: PathSchema,
  healthInterval: HealthIntervalSchema,
  enabled: Type.Boolean(),
  category: CategorySchema,
  labels: Type.Optional(DeviceLabelsSchema),
  disabledNote: Type.Optional(nullable(NoteSchema)),
  emailAddress: Type.Optional(nullable(Type.String({ maxLength: LIMITS.emailCharacters }))),
  files: Type.Optional(Type.Array(FileInputSchema, { maxItems: LIMITS.filesPerDevice })),
  /** When false, only `files` apply. */
  updateDeviceData: Type.Optional(Type.Boolean()),
});
export type UpdateDevice = Static<typeof UpdateDeviceSchema>;
export const DeleteDeviceSchema = closed({ forced: Type.Boolean() });
export const DeleteFilesSchema = closed({
  files: Type.Array(UuidSchema, { minItems: 1, maxItems: LIMITS.filesPerDevice }),
});
export const RotateKeySchema = closed({ now: Type.Optional(Type.Boolean()) });

export const TurnOffAlertSchema = closed({
  note: NoteSchema,
  status: HandledStatusSchema,
  /** Number of occurrences that the person saw; absent: the number when the command comes. More give 409 ALERT_CHANGED. */
  occurrences: Type.Optional(CountSchema),
});
export type TurnOffAlert = Static<typeof TurnOffAlertSchema>;
export const TurnOffAlertsSchema = closed({
  ids: Type.Array(IdSchema, { minItems: 1, maxItems: LIMITS.pageItems }),
  note: NoteSchema,
  status: HandledStatusSchema,
  /** As `occurrences` of one alert, in the order of `ids` and as many. */
  occurrences: Type.Optional(Type.Array(CountSchema, { minItems: 1, maxItems: LIMITS.pageItems })),
});
export type TurnOffAlerts = Static<typeof TurnOffAlertsSchema>;
/** One answer per id, in the order of the request; `code` is that of a PUT of this alert alone, null when done. */
export const TurnedOffAlertsSchema = closed({
  answers: Type.Array(closed({ id: IdSchema, status: Type.Integer(), code: nullable(Type.String()) })),
});
export type TurnedOffAlerts = Static<typeof TurnedOffAlertsSchema>;
export const ShareAlertSchema = closed({
  sharedEmailAddresses: Type.Array(EmailSchema, { minItems: 1, maxItems: LIMITS.shareAddresses }),
  expiresInDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.shareDaysMax,
      description: `when the link ends; absent: in ${LIMITS.shareDaysDefault} days, or when it would have ended if that is later`,
    }),
  ),
});
export type ShareAlert = Static<typeof ShareAlertSchema>;

export const ChainRequestSchema = closed({
  hashId: Type.Optional(IdSchema),
  idFrom: Type.Optional(IdSchema),
  idTo: Type.Optional(IdSchema),
  before: Type.Optional(Type.Integer({ minimum: 0, maximum: LIMITS.chainLinks })),
  after: Type.Optional(Type.Integer({ minimum: 0, maximum: LIMITS.chainLinks })),
});
export type ChainRequest = Static<typeof ChainRequestSchema>;

/** Range of entry numbers of a file, both inclusive. */
export const BundleQuerySchema = closed({
  from: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'absent: 0' }),
  ),
  to: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'absent: the newest entry' }),
  ),
});
export type BundleQuery = Static<typeof BundleQuerySchema>;
export const LinksSchema = closed({
  links: Type.Array(LinkSchema),
  entries: Type.Optional(
    Type.Array(ChainEntrySchema, {
      description: `the other entries between these links, and beyond them where the chain ends; newest first, at most ${LIMITS.chainLinks}`,
    }),
  ),
  newer: Type.Boolean(),
  older: Type.Boolean(),
});
export type Links = Static<typeof LinksSchema>;

const TimeZoneSchema = Type.String({ maxLength: 64, description: 'IANA name' });

const pageQuery = {
  lastId: Type.Optional(CursorSchema),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.pageItems })),
  timestampFrom: Type.Optional(TimestampSchema),
  timestampTo: Type.Optional(TimestampSchema),
  search: Type.Optional(Type.String({ maxLength: LIMITS.nameCharacters })),
  toExport: Type.Optional(Type.Boolean()),
  timeZone: Type.Optional(TimeZoneSchema),
};
export const EventsQuerySchema = closed({
  ...pageQuery,
  deviceName: Type.Optional(Type.String({ maxLength: LIMITS.nameCharacters })),
});
export type EventsQuery = Static<typeof EventsQuerySchema>;

/** Periods of the dashboard in days, including the current day. */
export const ACTIVITY_PERIODS = ['7d', '30d'] as const;
export type ActivityPeriod = (typeof ACTIVITY_PERIODS)[number];
export const ActivityQuerySchema = closed({
  period: Type.Enum(ACTIVITY_PERIODS),
  timeZone: Type.Optional(TimeZoneSchema),
});
export const AlertsQuerySchema = closed({
  ...pageQuery,
  ...alertFilterFields,
  order: Type.Optional(oneOf(LIST_ORDERS, 'what comes first, by the time of the alert; absent: newest')),
});
export type AlertsQuery = Static<typeof AlertsQuerySchema>;

/** Stands for the device's id in the path of an event without a device. */
export const NO_DEVICE = '-';

export const DevicesQuerySchema = closed({ label: Type.Optional(LabelSchema) });
export const DevicesSchema = closed({ devices: Type.Array(DeviceListItemSchema) });
export const AlertsSchema = closed({ alerts: Type.Array(AlertSchema), lastId: nullable(IdSchema) });
export type Alerts = Static<typeof AlertsSchema>;
export const EventsSchema = closed({ events: Type.Array(EventSchema), lastId: nullable(IdSchema) });
export type Events = Static<typeof EventsSchema>;
export const UsersSchema = closed({
  users: Type.Array(UserSchema),
  orgName: Type.String(),
  stripeId: Type.Optional(nullable(Type.String())),
});
export type Users = Static<typeof UsersSchema>;
export const CategoryIntervalsSchema = Type.Array(
  closed({ type: CategorySchema, interval: Type.Integer({ minimum: 1, description: 'seconds' }) }),
);
export const DevMailSchema = Type.Array(
  closed({
    id: IdSchema,
    messageId: Type.Optional(Type.String({ description: 'of the mail: the same each time it is sent' })),
    to: Type.String(),
    subject: Type.String(),
    text: Type.String(),
    html: Type.String(),
    links: Type.Array(Type.String()),
    /** As in `MailMessage`. */
    thread: Type.Optional(Type.String()),
    // `Type.Record` and types that are computed from others bring 38 KB of TypeBox into the console.
    headers: Type.Optional(Type.Object({}, { additionalProperties: Type.String() })),
    sentAt: TimestampSchema,
  }),
);
