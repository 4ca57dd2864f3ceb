import { COLLECTIONS, TOPICS, type Topic } from '@sentinel-node/contracts';
import type { CollectionName, CollectionSpec } from '@sentinel-node/platform';
import type * as views from './documents.ts';

const NAMES = {
  organizations: 'organizations',
  users: 'users',
  devices: 'devices',
  files: 'files',
  enrolments: 'enrolments',
  serviceTokens: 'service_tokens',
  webhooks: 'webhooks',
  notificationRules: 'notification_rules',
  maintenance: 'maintenance',
  expected: 'expected',
  expectedEntries: 'expected_entries',
  /** Earlier labels and paths of devices and files. */
  pastStates: 'past_states',
  /** Entries that a chain shows: BASELINE, LINK, BREAK. */
  links: 'links',
  /** The other chain entries; these have numbers and proofs too. */
  chainEntries: 'chain_entries',
  alerts: 'alerts',
  alertRequests: 'alert_requests',
  /** Assignee and number of comments of each alert. */
  alertWork: 'alert_work',
  alertHistory: 'alert_history',
  events: 'events',
  fileStates: COLLECTIONS.fileStates,
  deviceActivity: 'device_activity',
  deviceContacts: 'device_contacts',
  deviceFirstContacts: 'device_first_contacts',
  deviceRefusals: 'device_refusals',
  fileParkings: 'file_parkings',
  /** The first cause of each parking; parking records for later reports of the file name no cause. */
  parkingCauses: 'parking_causes',
  anchorBatches: 'anchor_batches',
  anchorRanges: 'anchor_ranges',
  /** The evidence for proofs of a batch; absent until anchoring publishes it. */
  anchorProofs: 'anchor_proofs',
} as const;
export type ViewName = (typeof NAMES)[keyof typeof NAMES];

interface ViewDocuments {
  organizations: views.OrganizationView;
  users: views.UserView;
  devices: views.DeviceView;
  files: views.FileView;
  enrolments: views.EnrolmentView;
  serviceTokens: views.ServiceTokenView;
  webhooks: views.WebhookView;
  notificationRules: views.NotificationRuleView;
  maintenance: views.MaintenanceView;
  expected: views.ExpectedView;
  expectedEntries: views.ExpectedEntryView;
  pastStates: views.PastStateView;
  links: views.LinkView;
  chainEntries: views.ChainEntryView;
  alerts: views.AlertView;
  alertRequests: views.AlertRequestView;
  alertWork: views.AlertWorkView;
  alertHistory: views.AlertHistoryView;
  events: views.EventView;
  fileStates: views.FileStateView;
  deviceActivity: views.DeviceActivityView;
  deviceContacts: views.DeviceContactView;
  deviceFirstContacts: views.DeviceActivityView;
  deviceRefusals: views.DeviceRefusalView;
  fileParkings: views.FileParkingView;
  parkingCauses: views.ParkingCauseView;
  anchorBatches: views.AnchorBatchView;
  anchorRanges: views.AnchorRangeView;
  anchorProofs: views.AnchorProofView;
}

/**
 * Collections that the projector writes. They need no backup: the log can rebuild them, but for first contacts of which it has lost the
 * heartbeat (docs/decisions/015).
 */
export const VIEWS: {
  readonly [K in keyof typeof NAMES]: (typeof NAMES)[K] & CollectionName<ViewDocuments[K]>;
} = NAMES;

/** The source topics of each view. */
export const VIEW_TOPICS: Readonly<Record<ViewName, readonly Topic[]>> = {
  organizations: [TOPICS.registry],
  users: [TOPICS.registry],
  devices: [TOPICS.registry],
  files: [TOPICS.registry],
  enrolments: [TOPICS.registry],
  service_tokens: [TOPICS.registry],
  webhooks: [TOPICS.registry],
  notification_rules: [TOPICS.registry],
  maintenance: [TOPICS.registry],
  expected: [TOPICS.registry],
  expected_entries: [TOPICS.registry],
  past_states: [TOPICS.registry],
  links: [TOPICS.chain],
  chain_entries: [TOPICS.chain],
  alerts: [TOPICS.chain],
  alert_requests: [TOPICS.chain],
  alert_work: [TOPICS.registry],
  alert_history: [TOPICS.registry],
  events: [TOPICS.registry, TOPICS.chain],
  file_states: [TOPICS.chain],
  device_activity: [TOPICS.chain, TOPICS.deviceHealth],
  device_contacts: [TOPICS.deviceHealth],
  device_first_contacts: [TOPICS.chain, TOPICS.deviceHealth],
  device_refusals: [TOPICS.chain],
  file_parkings: [TOPICS.chain],
  parking_causes: [TOPICS.chain],
  anchor_batches: [TOPICS.anchors],
  anchor_ranges: [TOPICS.anchors],
  anchor_proofs: [TOPICS.anchors],
};

export const VIEW_COLLECTIONS: readonly (CollectionSpec & { readonly name: ViewName })[] = [
  { name: VIEWS.organizations, indexes: [] },
  { name: VIEWS.users, indexes: [{ fields: ['orgId', 'deleted', 'id'] }] },
  { name: VIEWS.devices, indexes: [{ fields: ['orgId', 'deleted', 'id'] }] },
  {
    name: VIEWS.files,
    indexes: [{ fields: ['deviceId', 'deleted', 'id'] }, { fields: ['orgId', 'deleted', 'id'] }],
  },
  {
    name: VIEWS.enrolments,
    indexes: [{ fields: ['orgId', 'id'] }, { fields: ['orgId', 'isEnded', 'expiresAt'] }],
  },
  {
    name: VIEWS.serviceTokens,
    indexes: [{ fields: ['orgId', 'id'] }, { fields: ['orgId', 'isEnded', 'expiresAt'] }],
  },
  { name: VIEWS.webhooks, indexes: [{ fields: ['orgId', 'isDeleted', 'id'] }] },
  { name: VIEWS.notificationRules, indexes: [{ fields: ['orgId', 'deleted', 'id'] }] },
  {
    name: VIEWS.maintenance,
    indexes: [
      { fields: ['orgId', 'id'] },
      { fields: ['orgId', 'overAt'] },
      { fields: ['orgId', 'awaitsReview', 'overAt'] },
    ],
  },
  {
    name: VIEWS.expected,
    indexes: [{ fields: ['orgId', 'id'] }, { fields: ['orgId', 'overAt'] }],
  },
  { name: VIEWS.expectedEntries, indexes: [{ fields: ['listId', 'id'] }, { fields: ['key'] }] },
  { name: VIEWS.pastStates, indexes: [{ fields: ['subjectId', 'until'] }] },
  { name: VIEWS.links, immutable: true, indexes: [{ fields: ['fileId', 'number'], batched: true }] },
  { name: VIEWS.chainEntries, immutable: true, indexes: [{ fields: ['fileId', 'number'] }] },
  {
    name: VIEWS.alerts,
    indexes: [
      { fields: ['orgId', 'id'] },
      { fields: ['orgId', 'status', 'id'] },
      { fields: ['orgId', 'status', 'lastTimestamp'] },
      { fields: ['deviceId', 'id'] },
      { fields: ['deviceId', 'status', 'id'] },
      { fields: ['fileId', 'status', 'id'] },
    ],
  },
  { name: VIEWS.alertRequests, immutable: true, indexes: [] },
  { name: VIEWS.alertWork, indexes: [] },
  { name: VIEWS.alertHistory, immutable: true, indexes: [{ fields: ['alertId', 'id'] }] },
  {
    name: VIEWS.events,
    immutable: true,
    indexes: [{ fields: ['orgId', 'id'] }, { fields: ['deviceId', 'id'] }, { fields: ['fileId', 'id'] }],
  },
  { name: VIEWS.fileStates, indexes: [] },
  { name: VIEWS.deviceActivity, indexes: [] },
  { name: VIEWS.deviceContacts, indexes: [] },
  { name: VIEWS.deviceFirstContacts, indexes: [] },
  { name: VIEWS.deviceRefusals, indexes: [] },
  { name: VIEWS.fileParkings, indexes: [{ fields: ['waiting'] }] },
  { name: VIEWS.parkingCauses, immutable: true, indexes: [] },
  { name: VIEWS.anchorBatches, indexes: [] },
  { name: VIEWS.anchorProofs, indexes: [] },
  { name: VIEWS.anchorRanges, immutable: true, indexes: [{ fields: ['partition', 'from'] }] },
];
