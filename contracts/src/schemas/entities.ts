import { Type, type Static } from 'typebox';
import {
  AlertStatusSchema,
  AlertTypeSchema,
  AnchorStateSchema,
  CategorySchema,
  ContactSchema,
  DeviceStatusSchema,
  EventTypeSchema,
  FileTypeSchema,
  FrequencySchema,
  LinkTypeSchema,
  oneOf,
  RoleSchema,
} from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { ENTRY_KINDS } from '../records/chain.ts';
import { AttributeChangesSchema } from './attributes.ts';
import { DeviceLabelsSchema, FileLabelsSchema } from './labels.ts';
import { NextWindowEndSchema } from './maintenance.ts';
import {
  closed,
  CountSchema,
  DescriptionSchema,
  EmailSchema,
  HashSchema,
  IdSchema,
  NameSchema,
  NoteSchema,
  nullable,
  PathSchema,
  TimestampSchema,
  UuidSchema,
} from './common.ts';

/** Fields of a file that a person sets; `interval` (seconds) only for PROBE, the pattern (RE2) only when rolled. */
export const fileFields = {
  name: NameSchema,
  description: DescriptionSchema,
  path: PathSchema,
  type: FileTypeSchema,
  monitoringFrequency: FrequencySchema,
  interval: Type.Optional(
    Type.Integer({
      minimum: LIMITS.fileIntervalSecondsMin,
      maximum: LIMITS.fileIntervalSecondsMax,
      description: 'seconds',
    }),
  ),
  rolled: Type.Boolean(),
  rolledFilenameRegexp: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.regexpCharacters })),
  modifiable: Type.Boolean(),
  watchAttributes: Type.Optional(
    Type.Boolean({
      description:
        'a change of mode, owner, kind or link target of a file that is not modifiable raises an alert; absent: of a new file that it does, of another one that it stays as it is',
    }),
  ),
  enabled: Type.Boolean(),
  labels: Type.Optional(FileLabelsSchema),
};

export const FileSchema = closed({
  id: UuidSchema,
  ...fileFields,
  /** Present when attributes are watched and the agent has reported them; earlier agents report none. */
  attributesTold: Type.Optional(Type.Literal(true)),
  creationDate: TimestampSchema,
  lastContact: nullable(TimestampSchema),
  contact: ContactSchema,
  activeAlerts: CountSchema,
  /** Present when the last report found nothing at the path, also after the alert of it was handled. */
  missing: Type.Optional(Type.Literal(true)),
  problem: Type.Optional(
    Type.String({ description: 'why its agent does not look at it; absent: it looks, or is not heard of' }),
  ),
  parked: Type.Optional(
    closed(
      {
        since: nullable(TimestampSchema),
        cause: nullable(Type.String()),
        waiting: CountSchema,
      },
      {
        description:
          'a record of it could not be judged: that one and all later ones wait (`waiting`). `since`: up to when it was judged; null: never',
      },
    ),
  ),
});
export type File = Static<typeof FileSchema>;

export const HealthIntervalSchema = Type.Integer({
  minimum: LIMITS.healthIntervalSecondsMin,
  maximum: LIMITS.healthIntervalSecondsMax,
  description: 'seconds',
});

const deviceRead = {
  id: UuidSchema,
  name: NameSchema,
  description: DescriptionSchema,
  path: PathSchema,
  healthInterval: HealthIntervalSchema,
  enabled: Type.Boolean(),
  category: CategorySchema,
  labels: Type.Optional(DeviceLabelsSchema),
  disabledNote: nullable(NoteSchema),
  disabledDate: nullable(TimestampSchema),
  emailAddress: nullable(Type.String({ description: 'email address of the user who disabled the device' })),
  creationDate: TimestampSchema,
  status: DeviceStatusSchema,
  lastContact: nullable(TimestampSchema),
  /** When the agent was last refused for an ended key; updated hourly. Absent when not since the last contact. */
  keyRefusedAt: Type.Optional(TimestampSchema),
};

export const DeviceListItemSchema = closed({ ...deviceRead, filesCount: CountSchema });
export type DeviceListItem = Static<typeof DeviceListItemSchema>;

export const DeviceSchema = closed({ ...deviceRead, apiKey: Type.String(), files: Type.Array(FileSchema) });
export type Device = Static<typeof DeviceSchema>;

/** Fields of an alert for everybody who may see it. */
const alertFields = {
  id: IdSchema,
  timestamp: TimestampSchema,
  status: AlertStatusSchema,
  type: AlertTypeSchema,
  deviceId: UuidSchema,
  deviceName: Type.String(),
  fileId: UuidSchema,
  fileName: Type.String(),
};

export const AlertSchema = closed({
  ...alertFields,
  attributeChanges: Type.Optional(AttributeChangesSchema),
  overrideUser: nullable(Type.String({ description: 'id of the user who handled the alert' })),
  overrideUserEmail: nullable(Type.String()),
  shared: Type.Boolean(),
  sharedData: Type.Array(closed({ emailAddress: Type.String(), timestamp: TimestampSchema })),
  /** When the public link ends or ended; from then on `shared` is false. Absent without a link. */
  shareExpiresAt: Type.Optional(TimestampSchema),
  hashId: IdSchema,
  /** Hash of the content that raised the alert; absent when there was no content. */
  contentHash: Type.Optional(HashSchema),
  assignee: Type.Optional(
    closed(
      { userId: UuidSchema, email: Type.String() },
      { description: 'the user who is to handle the alert; absent when the alert is not assigned' },
    ),
  ),
  comments: Type.Optional(
    Type.Integer({ minimum: 1, description: 'number of comments; absent when the alert has none' }),
  ),
  planned: Type.Optional(
    closed(
      { windowId: UuidSchema, reason: Type.String(), reviewed: Type.Boolean() },
      { description: 'the maintenance window that covers it with all its occurrences; absent: none' },
    ),
  ),
  expected: Type.Optional(
    closed(
      { listId: UuidSchema, reason: Type.String() },
      { description: 'the list of expected changes that has its path and its content; absent: none' },
    ),
  ),
  eventRequest: Type.Unknown({ description: 'the report as accepted' }),
  bsvTransactionID: nullable(HashSchema),
  note: nullable(Type.String()),
  occurrences: CountSchema,
  lastTimestamp: TimestampSchema,
});
export type Alert = Static<typeof AlertSchema>;

/** Fields of a shared alert for anybody with the link (section 2 of the specification). */
export const SharedAlertSchema = closed({
  ...alertFields,
  overrideUserEmail: nullable(Type.String()),
  note: nullable(Type.String()),
  eventRequest: Type.String({ description: 'the report as accepted, JSON' }),
});
export type SharedAlert = Static<typeof SharedAlertSchema>;

export const EventSchema = closed({
  id: IdSchema,
  timestamp: TimestampSchema,
  type: EventTypeSchema,
  deviceId: nullable(UuidSchema),
  deviceName: nullable(Type.String()),
  fileId: nullable(UuidSchema),
  fileName: nullable(Type.String()),
  alertId: nullable(IdSchema),
  hashId: nullable(IdSchema),
  note: Type.String({ description: 'JSON; plain text for MODIFY_DEVICE' }),
  alert: Type.Optional(
    closed(
      { type: AlertTypeSchema, status: AlertStatusSchema },
      { description: 'the alert as it is now; absent: the event is about none, or is part of an export' },
    ),
  ),
});
export type Event = Static<typeof EventSchema>;

export const LinkSchema = closed({
  id: IdSchema,
  number: CountSchema,
  hash: nullable(HashSchema),
  firstHash: Type.Boolean(),
  whileDisabled: Type.Optional(
    Type.Literal(true, {
      description:
        'the first report after monitoring was switched on again; absent: monitoring was on before',
    }),
  ),
  type: LinkTypeSchema,
  length: nullable(CountSchema),
  timestamp: TimestampSchema,
  linkHash: HashSchema,
  bsvId: nullable(HashSchema),
  anchor: closed({ state: AnchorStateSchema, batch: nullable(CountSchema), confirmations: CountSchema }),
  alerts: Type.Array(closed({ id: IdSchema, type: AlertTypeSchema, status: AlertStatusSchema })),
});
export type Link = Static<typeof LinkSchema>;

/** Chain entry other than a link, caused by a person or a policy. Like a link it has a number, an anchor and a proof. */
export const ChainEntrySchema = closed({
  id: IdSchema,
  number: CountSchema,
  kind: oneOf(ENTRY_KINDS),
  timestamp: TimestampSchema,
  linkHash: HashSchema,
  bsvId: nullable(HashSchema),
  anchor: LinkSchema.properties.anchor,
  alert: nullable(
    closed(
      {
        id: IdSchema,
        type: AlertTypeSchema,
        status: AlertStatusSchema,
        overrideUserEmail: nullable(Type.String()),
        note: nullable(Type.String()),
      },
      { description: 'the alert that it handled' },
    ),
  ),
});
export type ChainEntry = Static<typeof ChainEntrySchema>;

export const UserSchema = closed({
  id: IdSchema,
  name: Type.String(),
  emailAddress: EmailSchema,
  role: RoleSchema,
  orgId: UuidSchema,
  active: Type.Boolean(),
});
export type User = Static<typeof UserSchema>;

export const OrganizationSchema = closed({
  id: UuidSchema,
  name: Type.String(),
  sentinelAddress: Type.String(),
  /** Only for ADMIN. */
  stripeId: Type.Optional(nullable(Type.String())),
});
export type Organization = Static<typeof OrganizationSchema>;

/** A file as the dashboard names it. */
const NamedFileSchema = closed({
  id: UuidSchema,
  name: Type.String(),
  deviceId: UuidSchema,
  deviceName: Type.String(),
});

const namedFiles = `at most ${LIMITS.dashboardFilesPerDevice} of a device, ${LIMITS.dashboardFiles} in all`;

export const PerformanceSchema = closed({
  numberOfDevicesDefined: CountSchema,
  numberOfFilesDefined: CountSchema,
  numberOfDevicesActive: CountSchema,
  performance: nullable(
    Type.Number({
      description:
        'percent of the monitored files that are in contact; files that wait for their first check count neither way; null: no other is monitored',
    }),
  ),
  numberOfFilesMonitored: CountSchema,
  numberOfFilesWaiting: CountSchema,
  numberOfFilesWithoutContact: CountSchema,
  noContactFiles: Type.Array(NamedFileSchema, { description: namedFiles }),
  noContactDevices: Type.Array(closed({ id: UuidSchema, name: Type.String(), files: CountSchema }), {
    description: `devices with files without contact, those with most first; at most ${LIMITS.dashboardDevices}`,
  }),
});

/** The events of one hour, and the alerts raised in it. */
export const ActivityHourSchema = closed({
  start: TimestampSchema,
  events: CountSchema,
  alerts: CountSchema,
});
export type ActivityHour = Static<typeof ActivityHourSchema>;

/** The monitored files of the organisation at the worst look of one hour, or of one part of a day. */
export const ContactPartSchema = closed({
  start: TimestampSchema,
  inContact: CountSchema,
  waiting: CountSchema,
  lost: CountSchema,
  looks: CountSchema,
});
export type ContactPart = Static<typeof ContactPartSchema>;

const contactDescription =
  'monitored files at the look of the server that found most of them lost; a part without a look is left out, because nothing is known of it';

export const DashboardSchema = closed({
  events: Type.Array(EventSchema),
  stripeIdSet: Type.Boolean(),
  performance: PerformanceSchema,
  health: closed({ percent: CountSchema, devices: CountSchema, devicesWithActiveAlert: CountSchema }),
  devices: Type.Array(
    closed({
      id: UuidSchema,
      name: Type.String(),
      enabled: Type.Boolean(),
      status: DeviceStatusSchema,
      files: Type.Array(closed({ id: UuidSchema, name: Type.String(), enabled: Type.Boolean() })),
    }),
    { description: `at most ${LIMITS.dashboardDevices}, those that need attention first` },
  ),
  notMonitored: closed({ devices: CountSchema, files: CountSchema }),
  notJudged: Type.Optional(
    closed(
      {
        files: CountSchema,
        atLeast: Type.Boolean({
          description:
            'true: more files are parked in the whole system than are looked at, so that more can be of these',
        }),
        named: Type.Array(NamedFileSchema, { description: namedFiles }),
      },
      {
        description:
          'files with a record that could not be judged (`parked` of the file), whether they are monitored or not: an alert can be in what waits. Absent: none',
      },
    ),
  ),
  activity: Type.Array(ActivityHourSchema, { description: 'this hour and the 23 before it, oldest first' }),
  contact: Type.Array(ContactPartSchema, {
    description: `of the hours of \`activity\`, oldest first: ${contactDescription}`,
  }),
  alerts: Type.Array(AlertSchema),
  /** Excludes alerts that are set aside. */
  activeAlerts: CountSchema,
  setAside: closed(
    { planned: CountSchema, expected: CountSchema },
    {
      description:
        'active alerts of the last three months that count neither as active nor in health; one that is both counts as expected',
    },
  ),
  windowsToReview: CountSchema,
  nextWindowEnd: NextWindowEndSchema,
});
export type Dashboard = Static<typeof DashboardSchema>;

/** Activity of the last days, until now. */
export const ActivitySchema = closed({
  parts: Type.Array(ActivityHourSchema, {
    description:
      'of the days of the time zone: quarters of 7 days, or 30 whole days; oldest first, the last has now in it',
  }),
  /** End of the last part. */
  until: TimestampSchema,
  contact: Type.Array(ContactPartSchema, {
    description: `of \`parts\`, oldest first: ${contactDescription}`,
  }),
  handling: closed(
    {
      alerts: CountSchema,
      handled: CountSchema,
      medianSeconds: Type.Union([CountSchema, Type.Null()]),
    },
    {
      description: `of the alerts raised in this time, the newest ${LIMITS.handlingAlerts}; the median of the time until a person dismissed or reset one, null while none is handled`,
    },
  ),
});
export type Activity = Static<typeof ActivitySchema>;

/** Counts of each device that has something to count, without deleted files. */
export const DeviceCountsSchema = closed({
  devices: Type.Array(
    closed({
      id: UuidSchema,
      activeAlerts: CountSchema,
      filesWithoutContact: CountSchema,
      filesNotJudged: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            'files with a record that could not be judged, as in `notJudged` of the dashboard. Absent: none is known',
        }),
      ),
    }),
  ),
  notJudgedAtLeast: Type.Optional(
    Type.Literal(true, {
      description:
        'more files are parked in the whole system than are looked at, so that each device can have more of them',
    }),
  ),
});
export type DeviceCounts = Static<typeof DeviceCountsSchema>;
