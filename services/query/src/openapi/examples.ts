/** Objects of the API's examples. A test replays the examples against a running service. */
import type {
  AgentConfiguration,
  Alert,
  Bundle,
  ChainEntry,
  Device,
  DeviceListItem,
  Enrolment,
  Event,
  Expected,
  File,
  FileHistory,
  KeptReceipt,
  Link,
  NotificationRule,
  Maintenance,
  Organization,
  ServiceToken,
  Proof,
  User,
  Webhook,
} from '@sentinel-node/contracts';

export const EXAMPLE = {
  orgId: '019aa5f0-7c00-7a10-8000-000000000001',
  userId: '019aa5f0-7c00-7a10-8000-000000000002',
  adminId: '019aa5f0-7c00-7a10-8000-000000000003',
  deviceId: '019aa5f0-7c00-7a10-8000-000000000004',
  fileId: '019aa5f0-7c00-7a10-8000-000000000005',
  alertId: '06NRBM1A00V8G6YB4K2C9ZQT3D',
  eventId: '06NRBM1A00C4H2M8Q7R5T1WXYZ',
  linkId: '06NRBM1A00J9K3N5P7S8V2ABCD',
  activateId: 'kQ7Zr3mVxN0bT5yWc8HdLg2PfEoJsUaI',
  accessToken: 'a0d5f1b27c934e6b8f20c1d3e4a59687',
  stripeId: 'cus_Nv8Zx2kQp4Lw7R',
  enrolmentId: '019aa5f0-7c00-7a10-8000-000000000006',
  enrolmentToken: 'enr1.019aa5f0-7c00-7a10-8000-000000000006.Zy3mQ8vT1nXc5bWd7KfHj2LpRsUaEgIoYtMqNwBxVkA',
  serviceTokenId: '019aa5f0-7c00-7a10-8000-000000000007',
  serviceToken: 'sst1.019aa5f0-7c00-7a10-8000-000000000007.Zy3mQ8vT1nXc5bWd7KfHj2LpRsUaEgIoYtMqNwBxVkA',
  webhookId: '019aa5f0-7c00-7a10-8000-000000000008',
  noticeId: '019aa5f0-7c00-7a10-8000-000000000009',
  webhookAttemptId: '019aa5f0-7c00-7a10-8000-00000000000a',
  notificationRuleId: '019aa5f0-7c00-7a10-8000-00000000000b',
  unsubscribeToken: 'MDE5YWE1ZjA6dXNlcjowMTlhYTVmMA.Zy3mQ8vT1nXc5bWd7KfHj2LpRsUaEgIoYtMqNwBxVkA',
  windowId: '019aa5f0-7c00-7a10-8000-00000000000c',
  expectedId: '019aa5f0-7c00-7a10-8000-00000000000d',
  apiKey: 'sk1.Zy3mQ8vT1nXc5bWd7KfHj2LpRsUaEgIoYtMqNwBxVkA',
} as const;

const AT = '2026-11-21T10:00:00.000Z';
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const LINK_HASH = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';

export const organization = {
  id: EXAMPLE.orgId,
  name: 'Acme',
  sentinelAddress: 'http://localhost:8443/api/v1',
  stripeId: EXAMPLE.stripeId,
} satisfies Organization;

export const user = {
  id: EXAMPLE.userId,
  name: 'Bob Example',
  emailAddress: 'bob@example.org',
  role: 'REGULAR',
  orgId: EXAMPLE.orgId,
  active: true,
} satisfies User;

export const admin = {
  ...user,
  id: EXAMPLE.adminId,
  name: 'Ada Example',
  emailAddress: 'ada@example.org',
  role: 'ADMIN',
} satisfies User;

export const file = {
  id: EXAMPLE.fileId,
  name: 'Access log',
  description: 'Who came by',
  path: 'logs/access.log',
  type: 'TEXT',
  monitoringFrequency: 'PROBE',
  interval: 5,
  rolled: true,
  rolledFilenameRegexp: 'access\\.log\\.\\d+',
  modifiable: true,
  enabled: true,
  creationDate: AT,
  lastContact: AT,
  contact: 'OK',
  activeAlerts: 0,
} satisfies File;

const deviceRead = {
  id: EXAMPLE.deviceId,
  name: 'Web server 1',
  description: 'in the cellar',
  path: '/srv/web',
  healthInterval: 60,
  enabled: true,
  category: 'STANDARD',
  disabledNote: null,
  disabledDate: null,
  emailAddress: null,
  creationDate: AT,
  status: 'ACTIVE',
  lastContact: AT,
} as const;
export const deviceListItem = { ...deviceRead, filesCount: 1 } satisfies DeviceListItem;
export const device = { ...deviceRead, apiKey: EXAMPLE.apiKey, files: [file] } satisfies Device;

export const agentConfiguration = {
  orgId: EXAMPLE.orgId,
  devId: EXAMPLE.deviceId,
  apiKey: EXAMPLE.apiKey,
  healthInterval: device.healthInterval,
  workingDirectory: device.path,
  sentinelAddress: organization.sentinelAddress,
  clearOrphanedProcesses: true,
  files: [
    {
      id: EXAMPLE.fileId,
      path: file.path,
      type: 'PROBE',
      interval: file.interval,
      rolled: true,
      rolledfilenameregexp: file.rolledFilenameRegexp,
      modifiable: true,
      data: 'text',
    },
  ],
} satisfies AgentConfiguration;

export const serviceToken = {
  id: EXAMPLE.serviceTokenId,
  name: 'Release pipeline',
  role: 'REGULAR',
  readOnly: true,
  limits: { deviceIds: [EXAMPLE.deviceId], labels: ['site:graz'] },
  state: 'VALID',
  creationDate: AT,
  createdBy: admin.emailAddress,
  expires: '2027-02-19T10:00:00.000Z',
  ended: null,
  lastUse: { at: '2026-11-21T12:00:00.000Z', address: '203.0.113.7' },
} satisfies ServiceToken;

export const webhook = {
  id: EXAMPLE.webhookId,
  name: 'On-call',
  shape: 'cloudevents',
  url: 'https://receiver.example.org/sentinel',
  enabled: true,
  disabledBecause: null,
  creationDate: AT,
  createdBy: admin.emailAddress,
  previousSecretValidUntil: null,
  rules: ['Nights of the web servers'],
  waiting: 0,
  deadLetters: 0,
  leftOut: null,
  lastAttempt: { at: AT, delivered: true, status: 200, problem: null },
} satisfies Webhook;
export const notificationRule = {
  id: EXAMPLE.notificationRuleId,
  name: 'Nights of the web servers',
  enabled: true,
  when: {
    types: ['alert.raised', 'alert.continued', 'device.lost'],
    alertTypes: ['HASH_BREACH'],
    deviceIds: [EXAMPLE.deviceId],
    fileIds: [],
    labels: ['role:web'],
    categories: ['ADVANCED', 'MISSION_CRITICAL'],
    severity: 'warning',
  },
  to: {
    administrators: false,
    userIds: [user.id],
    addresses: ['on-call@example.com'],
    webhookIds: [],
  },
  how: 'GATHERED',
  dailyHour: 8,
  zone: 'Europe/Berlin',
  quietHours: { from: '22:00', to: '06:30' },
  urgent: true,
  required: false,
  gaps: { tellsNobody: false, notReached: [], neverTold: [] },
  isDefault: false,
  changed: AT,
  changedBy: admin.emailAddress,
} satisfies NotificationRule;

export const maintenance = {
  id: EXAMPLE.windowId,
  reason: 'Update of the web servers',
  scope: { labels: ['site:graz'] },
  start: AT,
  end: '2026-11-21T12:00:00.000Z',
  weekly: null,
  state: 'REVIEWED',
  intervals: [{ from: AT, to: '2026-11-21T12:00:00.000Z' }],
  creationDate: AT,
  createdBy: admin.emailAddress,
  changes: 0,
  ended: null,
  review: { at: '2026-11-21T12:30:00.000Z', by: admin.emailAddress, note: 'All of it was the update.' },
} satisfies Maintenance;

export const expected = {
  id: EXAMPLE.expectedId,
  reason: 'Release 4.2 of the shop',
  scope: { deviceIds: [EXAMPLE.deviceId] },
  state: 'VALID',
  entries: 1,
  creationDate: AT,
  createdBy: admin.emailAddress,
  end: '2026-11-22T10:00:00.000Z',
  ended: null,
  contents: [{ path: '/srv/web/shop.js', sha256: HASH }],
} satisfies Expected;

export const enrolment = {
  id: EXAMPLE.enrolmentId,
  name: 'Web servers',
  namePattern: '{host}',
  template: {
    description: '',
    path: '/srv/web',
    healthInterval: 60,
    category: 'STANDARD',
    files: [
      {
        name: file.name,
        description: file.description,
        path: file.path,
        type: file.type,
        monitoringFrequency: file.monitoringFrequency,
        interval: file.interval,
        rolled: true,
        rolledFilenameRegexp: file.rolledFilenameRegexp,
        modifiable: true,
        enabled: true,
      },
    ],
  },
  state: 'USABLE',
  uses: 20,
  usesLeft: 19,
  lastUse: AT,
  creationDate: AT,
  createdBy: admin.emailAddress,
  expires: '2026-11-28T10:00:00.000Z',
  ended: null,
} satisfies Enrolment;

export const report = {
  sequence: 1_763_719_200_000_000,
  timestamp: AT,
  change: 'APPENDED',
  versions: [
    { length: 1_024, hash: HASH },
    { length: 1_100, hash: LINK_HASH },
  ],
} as const;

export const alert = {
  id: EXAMPLE.alertId,
  timestamp: AT,
  status: 'ACTIVE',
  type: 'HASH_BREACH',
  deviceId: EXAMPLE.deviceId,
  deviceName: deviceRead.name,
  fileId: EXAMPLE.fileId,
  fileName: file.name,
  overrideUser: null,
  overrideUserEmail: null,
  shared: false,
  sharedData: [],
  hashId: EXAMPLE.linkId,
  contentHash: HASH,
  eventRequest: report,
  bsvTransactionID: null,
  note: null,
  occurrences: 1,
  lastTimestamp: AT,
} satisfies Alert;

export const handledAlert = {
  ...alert,
  status: 'RESOLVED',
  overrideUser: EXAMPLE.adminId,
  overrideUserEmail: admin.emailAddress,
  note: 'Restored from the backup on purpose',
} satisfies Alert;

export const event = {
  id: EXAMPLE.eventId,
  timestamp: AT,
  type: 'ALERT',
  deviceId: EXAMPLE.deviceId,
  deviceName: deviceRead.name,
  fileId: EXAMPLE.fileId,
  fileName: file.name,
  alertId: EXAMPLE.alertId,
  hashId: EXAMPLE.linkId,
  note: '{"type":"HASH_BREACH"}',
  alert: { type: 'HASH_BREACH', status: 'ACTIVE' },
} satisfies Event;

export const link = {
  id: EXAMPLE.linkId,
  number: 2,
  hash: HASH,
  firstHash: false,
  type: 'BREAK',
  length: 1_100,
  timestamp: AT,
  linkHash: LINK_HASH,
  bsvId: null,
  anchor: { state: 'RECEIVED', batch: null, confirmations: 0 },
  alerts: [{ id: EXAMPLE.alertId, type: 'HASH_BREACH', status: 'ACTIVE' }],
} satisfies Link;

export const chainEntry = {
  id: '06NRBM1A00B7T2X9M4Q6R8E1GH',
  number: 3,
  kind: 'POLICY',
  timestamp: AT,
  linkHash: HASH,
  bsvId: null,
  anchor: { state: 'RECEIVED', batch: null, confirmations: 0 },
  alert: null,
} satisfies ChainEntry;

export const fileHistory = {
  name: file.name,
  path: file.path,
  deleted: false,
  device: { id: EXAMPLE.deviceId, name: deviceRead.name, enabled: true },
  entries: 4,
  present: { length: link.length, hash: HASH, missing: false, linkHash: HASH, lastLinkId: link.id },
  versions: [{ id: link.id, number: link.number, type: 'BREAK', timestamp: AT, length: link.length }],
  whole: true,
  breaks: [
    {
      id: EXAMPLE.alertId,
      type: 'HASH_BREACH',
      status: 'ACTIVE',
      timestamp: AT,
      lastTimestamp: AT,
      occurrences: 1,
      hashId: EXAMPLE.linkId,
      handledAt: null,
      overrideUserEmail: null,
      note: null,
    },
  ],
  olderBreaks: false,
} satisfies FileHistory;

export const proof = {
  format: 'sentinel/proof/v1',
  state: 'PENDING',
  completeness: 'NOT_SHOWN',
  log: { logId: HASH, origin: 'sentinel-node/9f86d081884c7d65', keyFingerprint: LINK_HASH },
  subject: { type: 'FILE', id: EXAMPLE.fileId, deviceId: EXAMPLE.deviceId, orgId: EXAMPLE.orgId },
  entry: {
    number: link.number,
    kind: 'BREAK',
    alertType: 'HASH_BREACH',
    nonce: '0dab166aa3c494e40d8c17ab4735e8a9',
    acceptedAt: Date.parse(AT),
    reportedAt: Date.parse(AT),
    sequence: report.sequence,
    versionIndex: 0,
    contentHash: HASH,
    length: link.length,
    reportHash: LINK_HASH,
    policyHash: HASH,
    previous: HASH,
    linkHash: LINK_HASH,
  },
  batch: null,
  transaction: null,
  block: null,
} satisfies Proof;

const { previous, ...bundledEntry } = proof.entry;
export const bundle = {
  format: 'sentinel/bundle/v1',
  state: 'PENDING',
  completeness: 'RANGE',
  log: proof.log,
  subject: proof.subject,
  from: link.number,
  to: link.number,
  previous,
  entries: [bundledEntry],
  batches: [],
  blocks: [],
} satisfies Bundle;

export const keptReceipt = {
  format: 'sentinel/receipt/v1',
  fileId: EXAMPLE.fileId,
  reportHash: LINK_HASH,
  receipt: {
    acceptedAt: Date.parse(AT),
    index: 0,
    count: 1,
    path: [],
    root: HASH,
    signature: HASH + LINK_HASH,
  },
} satisfies KeptReceipt;

/** An example of a list's range, and the description that all lists share. */
export const RANGE = { timestampFrom: '2026-11-01T00:00:00.000Z', timestampTo: '2026-11-30T23:59:59.999Z' };
export const LISTED =
  'Newest first, page by page: `lastId` of an answer asks for the next; null is the end. With `toExport=true` the whole range, as CSV if that is accepted.';
